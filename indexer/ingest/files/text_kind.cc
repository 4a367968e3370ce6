#include <algorithm>
#include <span>
#include <string>

#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/lines.h"

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

constexpr std::size_t kPrescanBytes = 1024;

// Elements that a page, or a fragment of one, begins with.
constexpr std::string_view kHtmlTags[] = {
    "html",    "head",   "body",       "title",   "meta",     "link",     "base",    "script", "style",    "noscript",
    "iframe",  "div",    "span",       "p",       "a",        "b",        "i",       "u",      "s",        "q",
    "br",      "hr",     "wbr",        "h1",      "h2",       "h3",       "h4",      "h5",     "h6",       "font",
    "center",  "table",  "thead",      "tbody",   "tfoot",    "tr",       "td",      "th",     "caption",  "col",
    "ul",      "ol",     "li",         "dl",      "dt",       "dd",       "dir",     "menu",   "pre",      "xmp",
    "img",     "map",    "area",       "object",  "embed",    "applet",   "param",   "form",   "fieldset", "legend",
    "input",   "button", "select",     "option",  "textarea", "label",    "frame",   "layer",  "frameset", "noframes",
    "section", "header", "footer",     "article", "main",     "nav",      "aside",   "figure", "details",  "basefont",
    "strong",  "em",     "small",      "big",     "tt",       "code",     "kbd",     "samp",   "var",      "cite",
    "abbr",    "del",    "ins",        "sub",     "sup",      "nobr",     "address", "audio",  "video",    "canvas",
    "marquee", "blink",  "blockquote", "bgsound", "acronym",  "plaintext"};
// Those of them that follow an XML declaration in a page.
constexpr std::string_view kOutermostTags[] = {"html", "head", "body"};

bool is_letter(char c) { return small_letter(c) >= 'a' && small_letter(c) <= 'z'; }

bool begins_with(std::string_view text, std::string_view small) {
  return text.size() >= small.size() && std::ranges::equal(text.substr(0, small.size()), small, {}, small_letter);
}
std::size_t find_ignoring_case(std::string_view text, std::string_view small) {
  const auto same = [](char a, char b) { return small_letter(a) == b; };
  const auto found = std::search(text.begin(), text.end(), small.begin(), small.end(), same);
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

// The name of the start tag that `text` begins with, as written. Empty: it begins with none.
std::string_view tag_name(std::string_view text) {
  if (text.size() < 2 || text[0] != '<' || !is_letter(text[1])) return {};
  const std::size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:._-", 1);
  if (end == text.npos || std::string_view(" \t\r\n\f>/").find(text[end]) == std::string_view::npos) return {};
  return text.substr(1, end - 1);
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view other) { return name.size() == other.size() && begins_with(name, other); });
}

void skip_spaces(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size())); }

// Removes everything up to and including `end` from `text`; all of it if there is no `end`.
void skip_to(std::string_view& text, std::string_view end, std::size_t from) {
  const std::size_t at = text.find(end, from);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
}

// "<!DOCTYPE html", or another name with HTML's public identifier.
bool is_html_doctype(std::string_view text) {
  std::string_view rest = text.substr(0, text.find('>'));
  rest.remove_prefix(std::string_view("<!doctype").size());
  skip_spaces(rest);
  const std::string_view name = rest.substr(0, rest.find_first_of(kSpaces));
  if (begins_with(name, "html") && name.size() == 4) return true;
  return find_ignoring_case(rest, "//dtd html") != rest.npos || find_ignoring_case(rest, "//dtd xhtml") != rest.npos;
}

// Passes over what may stand before a page.
struct Prologue {
  bool comment = false, declaration = false;
};
Prologue skip_prologue(std::string_view& head) {
  Prologue prologue;
  for (;;) {
    skip_spaces(head);
    if (head.starts_with("<!--")) {
      prologue.comment = true;
      skip_to(head, "-->", 2);  // <!--> is a whole one
    } else if (begins_with(head, "<?xml") && head.size() > 5 && !is_letter(head[5])) {
      prologue.declaration = true;
      skip_to(head, ">", 5);
    } else {
      return prologue;
    }
  }
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

Markup markup_of(std::string_view head) {
  const Prologue prologue = skip_prologue(head);
  if (begins_with(head, "<!doctype")) return is_html_doctype(head) ? Markup::kHtml : Markup::kXml;
  const std::string_view name = tag_name(head);
  if (prologue.declaration) return is_one_of(name, kOutermostTags) ? Markup::kHtml : Markup::kXml;
  if (is_one_of(name, kHtmlTags)) return Markup::kHtml;
  if (!name.empty() && head.find("</" + std::string(name) + ">") != head.npos) return Markup::kXml;
  if (!name.empty() && head.substr(0, head.find('>')).find("xmlns") != head.npos) return Markup::kXml;
  return prologue.comment ? Markup::kHtml : Markup::kNone;
}

Markup markup_in_text(std::string_view head) {
  const Prologue prologue = skip_prologue(head);
  if (begins_with(head, "<!doctype")) return is_html_doctype(head) ? Markup::kHtml : Markup::kXml;
  if (is_one_of(tag_name(head), kOutermostTags)) return Markup::kHtml;
  return prologue.declaration ? Markup::kXml : Markup::kNone;
}

bool holds_page(std::string_view head) {
  head = head.substr(0, kPrescanBytes);
  if (head.starts_with("#!") || head.starts_with("<?php") || head.starts_with("<%")) return false;
  for (std::size_t at = head.find('<'); at != head.npos; at = head.find('<', at + 1)) {
    const std::string_view rest = head.substr(at);
    if (is_one_of(tag_name(rest), kOutermostTags) || (begins_with(rest, "<!doctype") && is_html_doctype(rest)))
      return true;
  }
  return false;
}

}  // namespace frond::indexer::ingest
