#include <algorithm>

#include "common/text/utf8.h"
#include "indexer/ingest/charset.h"
#include "indexer/ingest/html.h"
#include "indexer/ingest/man_page.h"
#include "indexer/ingest/parsers.h"

namespace frond::indexer {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return out;
}

// The last component, without the ending that tells how it was compressed.
std::string_view file_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".gz", ".bz2", ".zst"})
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

bool is_html(std::string_view name, std::string_view bytes) {
  for (const std::string_view ending : {".html", ".htm", ".xhtml", ".xht", ".shtml"})
    if (name.ends_with(ending)) return true;
  std::string_view head = bytes.substr(0, 512);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  const std::string start = in_small_letters(head.substr(0, 14));
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}
bool is_markdown(std::string_view name) {
  return name.ends_with(".md") || name.ends_with(".markdown") || name.ends_with(".mkd") || name.ends_with(".mdown");
}

Result<TitledText> text_of(std::string_view name, std::string_view bytes) {
  if (is_html(name, bytes)) return html_to_text(FROND_TRY(to_utf8(bytes, charset_of_html(bytes))));
  const std::string text = FROND_TRY(to_utf8(bytes));
  if (looks_like_man_page(text)) return man_page_to_text(text);
  if (is_markdown(name)) return markdown_to_text(text);
  TitledText plain{underlined_heading(text), readable(text)};
  return plain;
}

}  // namespace

Result<Document> parse_text_file(const RawRecord& record) {
  FROND_TRY(check_id(record.name));
  const std::string id = text::repaired_utf8(record.name);  // names are bytes
  const std::string_view name = file_name(id);
  TitledText text = FROND_TRY(text_of(in_small_letters(name), record.bytes));
  Document document;
  document.title = text.title.empty() ? std::string(name) : std::move(text.title);
  document.body = std::move(text.body);
  document.id = id;
  return document;
}

}  // namespace frond::indexer
