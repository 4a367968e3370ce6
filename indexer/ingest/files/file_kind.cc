#include "indexer/ingest/files/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kKindSniffBytes = 8 << 10;

// Beginnings so long or so odd that no text has them.
struct Magics {
  SkipReason reason;
  std::array<std::string_view, 9> beginnings;  // the last ones may be empty
};
constexpr Magics kMagics[] = {
    {SkipReason::kPdf, {"%PDF-"sv}},
    {SkipReason::kPostscript, {"%!PS-Adobe"sv, "\xc5\xd0\xd3\xc6"sv}},
    {SkipReason::kRtf, {"{\\rtf"sv}},
    {SkipReason::kWarc, {"WARC/0."sv, "WARC/1."sv, "filedesc://"sv}},
    {SkipReason::kOffice, {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv}},
    {SkipReason::kArchive,
     {"PK\3\4"sv, "PK\5\6"sv, "7z\xbc\xaf\x27\x1c"sv, "Rar!\x1a\x07"sv, "!<arch>\n"sv, "MSCF\0\0\0\0"sv,
      "\xed\xab\xee\xdb"sv}},
    {SkipReason::kCompressed,
     {"\x1f\x8b\x08"sv, "\x1f\x9d"sv, "BZh91AY&SY"sv,
      "\xfd"
      "7zXZ\0"sv,
      "\x28\xb5\x2f\xfd"sv, "\x04\x22\x4d\x18"sv, "LZIP\1"sv, "\x5d\0\0"sv}},
    {SkipReason::kImage,
     {"\x89PNG\r\n\x1a\n"sv, "\xff\xd8\xff"sv, "GIF87a"sv, "GIF89a"sv, "II*\0"sv, "MM\0*"sv, "\0\0\1\0"sv, "8BPS\0"sv}},
    {SkipReason::kMedia, {"OggS\0"sv, "fLaC\0"sv, "ID3\2"sv, "ID3\3"sv, "ID3\4"sv, "\x1a\x45\xdf\xa3"sv, "FLV\1"sv}},
    {SkipReason::kFont, {"wOFF\0"sv, "wOF2\0"sv, "OTTO\0"sv, "\0\1\0\0\0"sv}},
    {SkipReason::kProgram,
     {"\x7f"
      "ELF"sv,
      "\xcf\xfa\xed\xfe"sv, "\xca\xfe\xba\xbe"sv, "\0asm"sv}},
    {SkipReason::kData,
     {"SQLite format 3\0"sv, "PAR1\x15"sv, "\x89HDF\r\n\x1a\n"sv, "Obj\1"sv, "\x80\3"sv, "\x80\4\x95"sv, "\x80\5\x95"sv,
      "\x93NUMPY"sv, "ARROW1\0"sv}},
};
struct Magic {
  std::size_t at;
  std::string_view bytes;
  SkipReason reason;
};
// Texts may begin with these, too: only used for files that are known to be binary.
constexpr Magic kWeakMagics[] = {
    {0, "BM"sv, SkipReason::kImage},       {0, "MZ"sv, SkipReason::kProgram},     {8, "WEBP"sv, SkipReason::kImage},
    {4, "ftypavif"sv, SkipReason::kImage}, {4, "ftypheic"sv, SkipReason::kImage}, {4, "ftyp"sv, SkipReason::kMedia},
    {8, "WAVEfmt"sv, SkipReason::kMedia},  {8, "AVI LIST"sv, SkipReason::kMedia},
};

// A tar header has a checksum at 148, in octal: the sum of its bytes, where those of the checksum count as spaces.
bool is_tar(std::string_view head) {
  constexpr std::size_t kHeader = 512, kAt = 148, kDigits = 8;
  if (head.size() < kHeader || head[0] == '\0') return false;
  std::uint64_t sum = 0, stated = 0;
  for (std::size_t i = 0; i < kHeader; ++i)
    sum += i >= kAt && i < kAt + kDigits ? ' ' : static_cast<unsigned char>(head[i]);
  bool any = false;
  for (const char c : head.substr(kAt, kDigits)) {
    if (c == ' ' && !any) continue;
    if (c < '0' || c > '7') break;
    stated = stated * 8 + static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  return any && sum == stated;
}

// An index in the Common Index File Format begins with the length of its header, a protocol buffer: version 1, and the
// numbers of lists and documents in the file and in all.
bool is_ciff(std::string_view head) {
  const auto pass_varint = [&head] {
    constexpr std::size_t kMaxVarint = 5;
    std::size_t at = 0;
    while (at < std::min(kMaxVarint, head.size()) && (head[at] & 0x80) != 0) ++at;
    if (at >= std::min(kMaxVarint, head.size())) return false;
    head.remove_prefix(at + 1);
    return true;
  };
  if (!pass_varint() || !head.starts_with("\x08\x01\x10"sv)) return false;
  head.remove_prefix(2);
  for (const char tag : {'\x10', '\x18', '\x20', '\x28'}) {
    if (!head.starts_with(tag)) return false;
    head.remove_prefix(1);
    if (!pass_varint()) return false;
  }
  return true;
}

// Office documents and EPUB are zip files whose first entry says so.
bool is_zipped_office(std::string_view head) {
  const std::string_view names = head.substr(0, 200);
  for (const std::string_view sign : {"mimetypeapplication/epub+zip"sv, "mimetypeapplication/vnd.oasis"sv,
                                      "[Content_Types].xml"sv, "_rels/.rels"sv, "docProps/"sv, "word/"sv})
    if (names.find(sign) != names.npos) return true;
  return false;
}

// Which bytes are control characters that do not occur in text. Overstrikes and escapes of old terminals do occur.
constexpr std::array<std::uint8_t, 256> kControls = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c)
    table[c] = "\t\n\r\f\v\b\x1b"sv.find(static_cast<char>(c)) == std::string_view::npos;
  return table;
}();

bool looks_binary(std::string_view head) {
  const std::size_t begin = head.find_first_not_of('\0');
  if (begin == head.npos) return false;  // nothing in it
  const std::string_view content = head.substr(begin, head.find_last_not_of('\0') + 1 - begin);
  std::size_t controls = 0;
  for (const char c : content) controls += kControls[static_cast<unsigned char>(c)];
  // ISO-2022-KR and -CN shift their characters out and in.
  if (controls > 0 && content.find("\x1b$)") != content.npos)
    for (const char c : content) controls -= c == '\x0e' || c == '\x0f';
  return controls > std::max<std::size_t>(1, content.size() / 50) && wide_encoding(head).empty();
}

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

// Removes everything up to and including `end` from `text`; all of it if there is no `end`.
void skip_to(std::string_view& text, std::string_view end, std::size_t from) {
  const std::size_t at = text.find(end, from);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
}

// "<!DOCTYPE html", or another name with HTML's public identifier.
bool is_html_doctype(std::string_view text) {
  std::string_view rest = text.substr(0, text.find('>'));
  rest.remove_prefix(std::string_view("<!doctype").size());
  rest = without_spaces(rest);
  const std::string_view name = rest.substr(0, rest.find_first_of(kSpaces));
  if (begins_with(name, "html") && name.size() == 4) return true;
  return find_in_any_case(rest, "//dtd html") != rest.npos || find_in_any_case(rest, "//dtd xhtml") != rest.npos;
}

// Passes over what may stand before a page.
struct Prologue {
  bool comment = false, declaration = false;
};
Prologue skip_prologue(std::string_view& head) {
  Prologue prologue;
  for (;;) {
    head = without_spaces(head);
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

std::optional<SkipReason> known_kind(std::string_view head) {
  std::optional<SkipReason> kind;
  for (const Magics& magics : kMagics)
    for (const std::string_view beginning : magics.beginnings)
      if (!kind && !beginning.empty() && head.starts_with(beginning)) kind = magics.reason;
  if (kind == SkipReason::kArchive && head.starts_with("PK") && is_zipped_office(head)) return SkipReason::kOffice;
  if (!kind && is_tar(head)) return SkipReason::kArchive;
  if (!kind && is_ciff(head)) return SkipReason::kCiff;
  return kind;
}

std::optional<SkipReason> binary_kind(std::string_view head) {
  if (!looks_binary(head.substr(0, kKindSniffBytes))) return std::nullopt;
  for (const Magic& magic : kWeakMagics)
    if (head.substr(std::min(magic.at, head.size())).starts_with(magic.bytes)) return magic.reason;
  return SkipReason::kBinary;
}

SkipReason kind_without_records(std::string_view head) { return binary_kind(head).value_or(SkipReason::kNoRecords); }

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
