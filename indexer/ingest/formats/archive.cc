#include "indexer/ingest/formats/archive.h"

#include <algorithm>
#include <array>

#include "common/base/bytes.h"
#include "common/base/text.h"
#include "common/partition/file_checksum.h"
#include "common/text/limits.h"
#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/html.h"
#include "indexer/ingest/records/document.h"

namespace frond::indexer::ingest {
namespace {

Result<Document> parse_warc(const RawRecord& record, const NamedFields&) {
  const std::optional<WarcPage> page = warc_page(record.bytes);
  if (!page) return Error(Code::kInvalid, "no page");
  Document document;
  document.id = FROND_TRY(to_utf8(page->id));
  document.url = FROND_TRY(to_utf8(page->url));
  // As in browsers, what the server says comes before what the page says.
  const bool html = page->type == TextType::kHtml;
  const std::string_view declared = html ? charset_of_html(page->content, page->charset) : page->charset;
  const std::string utf8 = FROND_TRY(to_utf8(page->content, declared));
  if (html) {
    TitledText text = FROND_TRY(html_to_text(utf8, {record.tree_bytes, page->xhtml, record.stop}));
    document.title = std::move(text.title);
    document.body = std::move(text.body);
  } else {
    document.body = readable(utf8);
  }
  return document;
}

ParseCost warc_cost(const RawRecord& record) {
  const std::optional<WarcPage> page = warc_page(record.bytes);
  if (!page) return file_cost(record.bytes, false);
  return file_cost(page->content, page->type == TextType::kHtml);
}

// A file with the name of an archive that does not begin as one is read from where a record begins.
Sniffed sniff(const Beginning& head, std::string_view ending, bool (*begins_record)(std::string_view line)) {
  if (begins_record(first_line(head.text))) return {true, {}};
  if (!has_suffix(head.path, ending)) return {};
  for (std::string_view rest = head.text; !rest.empty();)
    if (begins_record(take_line(rest))) return {true, {}};
  return {true, kind_without_records(head.bytes)};
}
Sniffed sniff_warc(const Beginning& head) { return sniff(head, ".warc", is_warc_version); }
Sniffed sniff_arc(const Beginning& head) {
  return sniff(head, ".arc", [](std::string_view line) { return arc_head(line).has_value(); });
}

std::string_view without_brackets(std::string_view value) {
  if (value.starts_with('<') && value.ends_with('>')) return value.substr(1, value.size() - 2);
  return value;
}

// Whether a URL is one of the web; others name what a crawler noted: "dns:…", "metadata://…", "urn:…".
bool is_of_the_web(std::string_view url) {
  const std::string_view scheme = url.substr(0, std::min(url.find(':'), url.size()));
  for (const std::string_view known : {"http", "https", "ftp", "ftps", "file", "gopher"})
    if (same_name(scheme, known)) return true;
  return false;
}

}  // namespace

std::string warc_page_head(const WarcPage& page) {
  std::string head(1, page.type == TextType::kHtml ? kHtmlMark : kTextMark);
  for (const std::string_view line : {std::string_view(), page.id, page.url, page.charset}) {
    head.append(line);
    head.push_back('\n');
  }
  return head;
}

std::optional<WarcPage> warc_page(std::string_view bytes) {
  WarcPage page;
  const char mark = bytes.empty() ? '\0' : bytes.front();
  if (mark != kHtmlMark && mark != kXhtmlMark && mark != kTextMark) return std::nullopt;
  page.type = mark == kTextMark ? TextType::kText : TextType::kHtml;
  page.xhtml = mark == kXhtmlMark;
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = bytes.find('\n');
    if (end == bytes.npos) return std::nullopt;
    line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  page.id = lines[1];
  page.url = lines[2];
  page.charset = lines[3];
  page.content = bytes;
  return page;
}

constinit const SourceFormat kWarc = {
    .name = "warc",
    .evidence = Evidence::kOpening,
    .sniff = sniff_warc,
    .cut = warc_cutter,
    .parse = parse_warc,
    .cost = warc_cost,
    .no_id = "no WARC-Record-ID",
};
constinit const SourceFormat kArc = {
    .name = "arc",
    .evidence = Evidence::kOpening,
    .sniff = sniff_arc,
    .cut = arc_cutter,
    .parse = parse_warc,
    .cost = warc_cost,
};

bool is_warc_version(std::string_view line) {
  if (!line.starts_with(kWarcMagic)) return false;
  line = trimmed(line.substr(kWarcMagic.size()));
  return !line.empty() && line.size() <= 8 && line.find('.') != line.npos &&
         line.find_first_not_of("0123456789.") == line.npos;
}

std::optional<WarcHead> warc_head(std::string_view lines) {
  const HeaderFields fields = HeaderFields::parse(lines);
  WarcHead head;
  const auto bytes = number_in<decltype(head.length)>(fields.value("Content-Length"));
  if (!bytes) return std::nullopt;
  head.length = *bytes;
  const std::string_view trec = fields.value("WARC-TREC-ID");
  head.id = without_brackets(trec.empty() ? fields.value("WARC-Record-ID") : trec);
  head.url = without_brackets(fields.value("WARC-Target-URI"));
  head.content_type = fields.value("Content-Type");

  const std::string_view type = fields.value("WARC-Type");
  const auto is = [&](std::string_view name) { return same_name(type, name); };
  const std::string essence = media_type(head.content_type).essence;
  const bool segmented = fields.has("WARC-Segment-Number");
  if (is("revisit")) {
    head.skip_because = SkipReason::kRevisit;
  } else if (is("continuation") || (segmented && (is("response") || is("resource") || is("conversion")))) {
    head.skip_because = SkipReason::kSegmented;
  } else if (is("response") && essence == "application/http") {
    head.block = WarcBlock::kHttp;
  } else if (is("conversion") || ((is("response") || is("resource")) && is_of_the_web(head.url))) {
    // Some crawlers leave the content type of responses out.
    head.block = is("response") && essence.empty() ? WarcBlock::kHttp : WarcBlock::kPage;
  } else {
    head.skip_because = SkipReason::kWarcOther;
  }
  return head;
}

std::optional<WarcHead> arc_head(std::string_view line) {
  constexpr std::size_t kMaxFields = 64, kDateDigits = 14;
  constexpr std::string_view kDigits = "0123456789";
  std::vector<std::string_view> fields;
  for (std::string_view rest = trimmed(line); !rest.empty() && fields.size() < kMaxFields;) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    fields.push_back(rest.substr(0, end));
    rest = without_spaces(rest.substr(end));
  }
  const auto is_date = [&](std::size_t i) {
    return fields[i].size() == kDateDigits && fields[i].find_first_not_of(kDigits) == line.npos &&
           fields[i - 1].find_first_not_of("0123456789abcdefABCDEF.:-") == line.npos;
  };
  std::size_t date = 2;  // further on if the URL has spaces
  while (date + 1 < fields.size() && !is_date(date)) ++date;
  if (date + 1 >= fields.size()) return std::nullopt;
  WarcHead head;
  const auto bytes = number_in<decltype(head.length)>(fields.back());
  head.url = trimmed(line.substr(0, static_cast<std::size_t>(fields[date - 1].data() - line.data())));
  if (!bytes || head.url.find(':') == head.url.npos) return std::nullopt;
  head.length = *bytes;
  head.id = std::string(fields[date]) + "/" + head.url;
  if (head.id.size() > text::kMaxIdBytes) {
    partition::Xxh3 digest;
    digest.update(as_bytes(head.url));
    head.id = std::string(fields[date]) + "/" + digest.hex();
  }
  if (date + 2 < fields.size()) head.content_type = fields[date + 1];
  if (same_name(head.url.substr(0, 5), "http:") || same_name(head.url.substr(0, 6), "https:")) {
    head.block = WarcBlock::kHttp;
  } else if (is_of_the_web(head.url)) {
    head.block = WarcBlock::kPage;
  } else {
    head.skip_because = SkipReason::kWarcOther;  // what the crawler notes: "filedesc://", "dns:"
  }
  return head;
}

}  // namespace frond::indexer::ingest
