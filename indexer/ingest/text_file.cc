#include "common/text/utf8.h"
#include "indexer/ingest/charset.h"
#include "indexer/ingest/html.h"
#include "indexer/ingest/man_page.h"
#include "indexer/ingest/parsers.h"
#include "indexer/ingest/text_kind.h"
#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

Result<TitledText> text_of(std::string_view name, std::string_view bytes, std::size_t tree_bytes) {
  std::string storage;
  const TextKind kind = text_kind(name, plain_beginning(bytes.substr(0, kSniffBytes), storage));
  if (kind == TextKind::kHtml) return html_to_text(FROND_TRY(to_utf8(bytes, charset_of_html(bytes))), tree_bytes);
  if (kind == TextKind::kXml) return Error(Code::kInvalid, "XML or SGML that is not XHTML");
  const std::string text = FROND_TRY(to_utf8(bytes));
  if (looks_like_man_page(text)) return man_page_to_text(text);
  if (kind == TextKind::kMarkdown) return markdown_to_text(text);
  TitledText plain{underlined_heading(text), readable(text)};
  return plain;
}

}  // namespace

Result<Document> parse_text_file(const RawRecord& record) {
  const std::string id = text::repaired_utf8(record.name);  // names are bytes
  const std::string_view name = file_name(id);
  TitledText text = FROND_TRY(text_of(name, record.bytes, record.tree_bytes));
  Document document;
  document.title = text.title.empty() ? std::string(name) : std::move(text.title);
  document.body = std::move(text.body);
  document.id = id;
  return document;
}

}  // namespace frond::indexer::ingest
