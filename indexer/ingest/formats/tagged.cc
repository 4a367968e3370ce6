#include <algorithm>
#include <optional>

#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/html.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

struct Section {
  std::string_view content;
  std::size_t begin = 0, end = 0;  // of the whole, tags included
};
std::optional<Section> find_section(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t begin = find_tag(text, open);
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = find_tag(text, close, begin + open.size());
  if (end == text.npos) return std::nullopt;
  return Section{text.substr(begin + open.size(), end - begin - open.size()), begin, end + close.size()};
}

bool begins_like_html(std::string_view bytes) {
  std::string storage;
  return markup_of(without_spaces(plain_beginning(bytes.substr(0, kSniffBytes), storage))) == Markup::kHtml;
}

Result<Document> parse_trec(const RawRecord& record, const NamedFields&) {
  std::string_view rest = record.bytes;
  Document document;
  if (const std::optional<Section> number = find_section(rest, "<docno>", "</docno>")) {
    document.id = FROND_TRY(to_utf8(trimmed(number->content)));
    rest.remove_prefix(number->end);
  }
  std::string_view charset;
  bool plain = false, xhtml = false;
  if (const std::optional<Section> header = find_section(rest, "<dochdr>", "</dochdr>")) {
    std::string_view lines = trimmed(header->content);
    const std::string_view line = take_line(lines), first = line.substr(0, line.find_first_of(kSpaces));
    if (first.find("://") != first.npos) document.url = FROND_TRY(to_utf8(first));
    rest.remove_prefix(header->end);
    const std::string_view named = HeaderFields::parse(lines).value("Content-Type");
    const MediaType type = media_type(named);
    charset = type.charset;
    xhtml = is_xhtml(type.essence);
    plain = !type.essence.empty() && page_type(type.essence).text != TextType::kHtml && !begins_like_html(rest);
  }
  const std::string utf8 = FROND_TRY(to_utf8(rest, plain ? charset : charset_of_html(rest, charset)));
  if (plain) {
    document.body = readable(trimmed(utf8));
    return document;
  }
  TitledText text = FROND_TRY(html_to_text(utf8, {record.tree_bytes, xhtml, record.stop}));
  document.title = std::move(text.title);
  document.body = std::move(text.body);
  return document;
}

constexpr DocumentTags kTrecTags = {"<doc>", "</doc>", "\n<doc>", "no </DOC> before the end of the file",
                                    "no </DOC> before the next <DOC>"};

// Documents, also below a declaration and in a root element, if they have numbers.
Sniffed sniff_trec(const Beginning& head) {
  std::string_view text = head.text;
  while (text.starts_with("<?") || text.starts_with("<!"))
    text = without_spaces(text.substr(std::min(text.find('>'), text.size() - 1) + 1));
  const auto begins = [&] { return find_tag(text.substr(0, kTrecTags.begin.size()), kTrecTags.begin) == 0; };
  if (begins()) return {true, {}};
  if (!text.starts_with('<')) return {};
  text = without_spaces(text.substr(std::min(text.find('>'), text.size() - 1) + 1));
  return {begins() && find_tag(text, "<docno>") != text.npos, {}};
}

// Resolves the references that wikiextractor writes.
std::string without_references(std::string_view text) {
  constexpr std::pair<std::string_view, char> kReferences[] = {{"&amp;", '&'},  {"&lt;", '<'},   {"&gt;", '>'},
                                                               {"&quot;", '"'}, {"&#39;", '\''}, {"&#x27;", '\''}};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out.append(text.substr(0, at));
    text.remove_prefix(at);
    if (text.empty()) break;
    const auto known =
        std::ranges::find_if(kReferences, [&](const auto& reference) { return text.starts_with(reference.first); });
    out.push_back(known == std::end(kReferences) ? '&' : known->second);
    text.remove_prefix(known == std::end(kReferences) ? 1 : known->first.size());
  }
  return out;
}

// The value of `name="…"`. The last attribute's value goes up to the last quotation mark, since titles may hold some.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string key = " " + std::string(name) + "=\"";
  const std::size_t at = tag.find(key);
  if (at == tag.npos) return {};
  const std::string_view rest = tag.substr(at + key.size());
  const bool last = rest.find("=\"") == rest.npos;
  return without_references(rest.substr(0, last ? rest.rfind('"') : rest.find('"')));
}

Result<Document> parse_wikiextractor(const RawRecord& record, const NamedFields&) {
  const std::string utf8 = FROND_TRY(to_utf8(record.bytes, "utf-8"));
  std::string_view rest = utf8;
  const std::string_view line = take_line(rest);
  if (!line.ends_with('>')) return Error(Code::kInvalid, "the tag <doc …> does not end on its line");
  const std::string tag = " " + std::string(line.substr(0, line.size() - 1));
  Document document;
  document.id = attribute(tag, "id");
  document.url = attribute(tag, "url");
  document.title = attribute(tag, "title");
  document.body = without_references(trimmed(rest));
  // The text repeats the title in its first line.
  if (!document.title.empty() && document.body.starts_with(document.title + "\n"))
    document.body = trimmed(std::string_view(document.body).substr(document.title.size()));
  return document;
}

Sniffed sniff_wikiextractor(const Beginning& head) {
  return {head.text.starts_with("<doc ") && first_line(head.text).find(" id=\"") != head.text.npos, {}};
}

constexpr DocumentTags kWikiTags = {"<doc ", "</doc>", "\n<doc ", "no </doc> before the end of the file",
                                    "no </doc> before the next <doc>"};

}  // namespace

constinit const SourceFormat kTrec = {
    .name = "trec",
    .evidence = Evidence::kOpening,
    .sniff = sniff_trec,
    .cut = [](std::size_t max_bytes) { return tagged_cutter(kTrecTags, max_bytes); },
    .parse = parse_trec,
    .cost = [](const RawRecord& record) { return file_cost(record.bytes, true); },
    .no_id = "no <DOCNO>",
};

constinit const SourceFormat kWikiextractor = {
    .name = "wikiextractor",
    .evidence = Evidence::kOpening,
    .sniff = sniff_wikiextractor,
    .cut = [](std::size_t max_bytes) { return tagged_cutter(kWikiTags, max_bytes); },
    .parse = parse_wikiextractor,
    .cost = [](const RawRecord& record) { return file_cost(record.bytes, false); },
};

}  // namespace frond::indexer::ingest
