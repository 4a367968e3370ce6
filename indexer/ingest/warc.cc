#include "indexer/ingest/warc.h"

#include "indexer/ingest/charset.h"
#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/file_kind.h"
#include "indexer/ingest/html.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/text_kind.h"
#include "indexer/ingest/warc_cutter.h"
#include "indexer/ingest/warc_record.h"

namespace frond::indexer::ingest {
namespace {

Result<Document> parse_warc(const RawRecord& record) {
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
Sniffed sniff(const Head& head, std::string_view ending, bool (*begins_record)(std::string_view line)) {
  if (begins_record(first_line(head.text))) return {true, {}};
  if (!has_suffix(head.file.path, ending)) return {};
  for (std::string_view rest = head.text; !rest.empty();)
    if (begins_record(take_line(rest))) return {true, {}};
  return {true, kind_without_records(head.file.bytes)};
}
Sniffed sniff_warc(const Head& head) { return sniff(head, ".warc", is_warc_version); }
Sniffed sniff_arc(const Head& head) {
  return sniff(head, ".arc", [](std::string_view line) { return arc_head(line).has_value(); });
}

}  // namespace

constinit const SourceFormat kWarc = {
    .name = "warc",
    .evidence = Evidence::kOpening,
    .sniff = sniff_warc,
    .cut = warc_cutter,
    .parse = parse_warc,
    .cost = warc_cost,
    .no_id = [](const FieldNames&) { return std::string("no WARC-Record-ID"); },
};
constinit const SourceFormat kArc = {
    .name = "arc",
    .evidence = Evidence::kOpening,
    .sniff = sniff_arc,
    .cut = arc_cutter,
    .parse = parse_warc,
    .cost = warc_cost,
    .no_id = id_is_empty,
};

}  // namespace frond::indexer::ingest
