#include "indexer/ingest/wikiextractor.h"

#include <algorithm>

#include "indexer/ingest/charset.h"
#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/tagged_cutter.h"

namespace frond::indexer::ingest {
namespace {

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

Result<Document> parse_wikiextractor(const RawRecord& record) {
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

Sniffed sniff_wikiextractor(const Head& head) {
  return {head.text.starts_with("<doc ") && first_line(head.text).find(" id=\"") != head.text.npos, {}};
}

constexpr DocumentTags kWikiTags = {"<doc ", "</doc>", "\n<doc ", "no </doc> before the end of the file",
                                    "no </doc> before the next <doc>"};

}  // namespace

constinit const SourceFormat kWikiextractor = {
    .name = "wikiextractor",
    .evidence = Evidence::kOpening,
    .sniff = sniff_wikiextractor,
    .cut = [](std::size_t max_bytes) { return tagged_cutter(kWikiTags, max_bytes); },
    .parse = parse_wikiextractor,
    .cost = [](const RawRecord& record) { return file_cost(record.bytes, false); },
    .no_id = id_is_empty,
};

}  // namespace frond::indexer::ingest
