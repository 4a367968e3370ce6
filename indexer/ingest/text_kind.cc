#include "indexer/ingest/text_kind.h"

#include <algorithm>
#include <span>

#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kHtml[] = {".html", ".htm", ".xhtml", ".xht", ".shtml"};
constexpr std::string_view kMarkdown[] = {".md", ".markdown", ".mkd", ".mdown"};
// Text and source code, which may begin with a tag without being a page.
constexpr std::string_view kText[] = {".txt", ".text",   ".rst", ".adoc", ".tex", ".log", ".po",  ".srt",
                                      ".vue", ".svelte", ".jsx", ".tsx",  ".js",  ".ts",  ".css", ".py",
                                      ".c",   ".cc",     ".h",   ".java", ".rb",  ".pl",  ".sh",  ".go"};

bool ends_with(std::string_view name, std::string_view suffix) {
  return name.size() > suffix.size() &&
         std::ranges::equal(name.substr(name.size() - suffix.size()), suffix, {}, small_letter);
}
bool ends_with_any(std::string_view name, std::span<const std::string_view> suffixes) {
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return ends_with(name, suffix); });
}

}  // namespace

std::string_view file_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".gz", ".bz2", ".zst", ".xz"})
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

bool has_suffix(std::string_view path, std::string_view suffix) { return ends_with(file_name(path), suffix); }

TextKind text_kind(std::string_view path, std::string_view head) {
  const std::string_view name = file_name(path);
  if (ends_with_any(name, kHtml)) return TextKind::kHtml;
  const bool markdown = ends_with_any(name, kMarkdown);
  const bool text = markdown || ends_with_any(name, kText);
  const Markup markup = text ? markup_in_text(head) : markup_of(head);
  if (markup == Markup::kHtml) return TextKind::kHtml;
  if (markup == Markup::kXml) return TextKind::kXml;
  if (markdown) return TextKind::kMarkdown;
  if (name.find('.') == name.npos && holds_page(head)) return TextKind::kHtml;
  return TextKind::kPlain;
}

}  // namespace frond::indexer::ingest
