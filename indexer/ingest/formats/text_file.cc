#include "common/text/utf8.h"
#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/markup/html.h"
#include "indexer/ingest/markup/plain_text.h"
#include "indexer/ingest/records/document.h"

namespace frond::indexer::ingest {
namespace {

Result<TitledText> text_of(std::string_view name, const RawRecord& record) {
  const std::string_view bytes = record.bytes;
  std::string storage;
  const TextKind kind = text_kind(name, plain_beginning(bytes.substr(0, kSniffBytes), storage));
  if (kind == TextKind::kHtml) {
    const bool xhtml = has_suffix(name, ".xhtml") || has_suffix(name, ".xht");
    return html_to_text(FROND_TRY(to_utf8(bytes, charset_of_html(bytes))), {record.tree_bytes, xhtml, record.stop});
  }
  if (kind == TextKind::kXml) return Error(Code::kInvalid, "XML or SGML that is not XHTML");
  const std::string text = FROND_TRY(to_utf8(bytes));
  if (looks_like_man_page(text)) return man_page_to_text(text);
  if (kind == TextKind::kMarkdown) return markdown_to_text(text);
  TitledText plain{underlined_heading(text), readable(text)};
  return plain;
}

Result<Document> parse_text_file(const RawRecord& record, const NamedFields&) {
  const std::string id = text::repaired_utf8(record.name);  // names are bytes
  const std::string_view name = file_name(id);
  TitledText text = FROND_TRY(text_of(name, record));
  Document document;
  document.title = text.title.empty() ? std::string(name) : std::move(text.title);
  document.body = std::move(text.body);
  document.id = id;
  return document;
}

// Text of any kind but XML that is no page. Also asked if --format names this format.
Sniffed sniff_file(const Beginning& head) {
  if (const auto kind = binary_kind(head.bytes)) return {true, *kind};
  if (text_kind(head.path, head.text) == TextKind::kXml) return {true, SkipReason::kXml};
  return {true, {}};
}

// A file is a record.
class FileCutter final : public RecordCutter {
 public:
  using RecordCutter::RecordCutter;
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (done_) return std::optional<Cut>();
    done_ = true;
    Cut cut{.number = 1};
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      append(window, cut);
      if (!cut.problem.empty()) break;
      stream.consume(window.size());
    }
    return std::optional<Cut>(std::move(cut));
  }

 private:
  bool done_ = false;
};

ParseCost text_file_cost(const RawRecord& record) {
  std::string storage;
  const std::string_view head = std::string_view(record.bytes).substr(0, kSniffBytes);
  return file_cost(record.bytes, text_kind(record.name, plain_beginning(head, storage)) == TextKind::kHtml);
}

}  // namespace

constinit const SourceFormat kFiles = {
    .name = "files",
    .evidence = Evidence::kNone,
    .whole_file = true,
    .sniff = sniff_file,
    .cut = RecordCutter::of<FileCutter>,
    .parse = parse_text_file,
    .cost = text_file_cost,
};

}  // namespace frond::indexer::ingest
