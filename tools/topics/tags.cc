#include "tools/topics/topic_forms.h"

#include <array>
#include <charconv>
#include <utility>

#include "common/text/utf8.h"

namespace frond::tools {
namespace {

constexpr std::string_view kCdata = "<![CDATA[", kCdataEnd = "]]>", kComment = "<!--", kCommentEnd = "-->";

bool is_name_end(char c) { return is_space(c) || c == '>' || c == '/'; }

// Behind the next `close`, or the end of the text.
std::size_t behind(std::string_view text, std::string_view close, std::size_t from) {
  const auto at = text.find(close, from);
  return at == std::string_view::npos ? text.size() : at + close.size();
}

Tag named_tag(std::string_view text, std::size_t at) {
  Tag tag;
  tag.begin = at++;
  tag.closes = text[at] == '/';
  if (tag.closes) ++at;
  const auto name = at;
  while (at < text.size() && !is_name_end(text[at])) ++at;
  tag.name = lower_case(text.substr(name, at - name));
  const auto attributes = at;
  char quote = 0;
  for (; at < text.size() && (quote != 0 || text[at] != '>'); ++at) {
    if (quote != 0)
      quote = text[at] == quote ? char{0} : quote;
    else if ((text[at] == '"' || text[at] == '\'') && text[at - 1] == '=')
      quote = text[at];
  }
  tag.attributes = text.substr(attributes, at - attributes);
  tag.end = std::min(at + 1, text.size());
  return tag;
}

// Appends what `reference`, between '&' and ';', stands for. False: it stands for nothing.
bool append_reference(std::string_view reference, std::string& out) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : kNamed)
    if (reference == name) return out += character, true;
  if (!reference.starts_with('#')) return false;
  reference.remove_prefix(1);
  const int base = reference.starts_with('x') || reference.starts_with('X') ? 16 : 10;
  if (base == 16) reference.remove_prefix(1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(), value, base);
  if (error != std::errc() || end != reference.data() + reference.size() || value == 0 || value > 0x10ffff ||
      (value >= 0xd800 && value < 0xe000))
    return false;
  text::append_utf8(value, out);
  return true;
}

void append_text(std::string_view text, std::string& out) {
  constexpr std::size_t kLongestReference = 12;
  while (!text.empty()) {
    const auto at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) return;
    const auto end = text.substr(0, kLongestReference).find(';');
    if (end != std::string_view::npos && append_reference(text.substr(1, end - 1), out)) {
      text.remove_prefix(end + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
}

}  // namespace

std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
  for (auto at = text.find('<', from); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (at + 1 == text.size()) break;
    const char next = text[at + 1];
    const bool closes = next == '/' && at + 2 < text.size() && text::is_ascii_letter(text[at + 2]);
    if (closes || text::is_ascii_letter(next)) return named_tag(text, at);
    if (next != '!' && next != '?') continue;
    const auto rest = text.substr(at);
    Tag tag;
    tag.begin = at;
    tag.end = rest.starts_with(kComment) ? behind(text, kCommentEnd, at)
              : rest.starts_with(kCdata) ? behind(text, kCdataEnd, at)
                                         : behind(text, ">", at);
    return tag;
  }
  return std::nullopt;
}

std::optional<std::string_view> attribute(std::string_view attributes, std::string_view name) {
  for (std::size_t at = 0; at < attributes.size();) {
    while (at < attributes.size() && is_name_end(attributes[at])) ++at;
    const auto begin = at;
    while (at < attributes.size() && attributes[at] != '=' && !is_space(attributes[at])) ++at;
    const bool matches = lower_case(attributes.substr(begin, at - begin)) == name;
    while (at < attributes.size() && is_space(attributes[at])) ++at;
    if (at == attributes.size() || attributes[at] != '=') continue;
    do ++at;
    while (at < attributes.size() && is_space(attributes[at]));
    const char quote = at < attributes.size() ? attributes[at] : ' ';
    const bool quoted = quote == '"' || quote == '\'';
    if (quoted) ++at;
    const auto value = at;
    while (at < attributes.size() && (quoted ? attributes[at] != quote : !is_space(attributes[at]))) ++at;
    if (matches) return attributes.substr(value, at - value);
    if (quoted && at < attributes.size()) ++at;
  }
  return std::nullopt;
}

std::string without_tags(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (const auto tag = next_tag(text, at)) {
    append_text(text.substr(at, tag->begin - at), out);
    const auto inside = text.substr(tag->begin, tag->end - tag->begin);
    if (inside.starts_with(kCdata))
      out += inside.substr(kCdata.size(),
                           inside.size() - kCdata.size() - (inside.ends_with(kCdataEnd) ? kCdataEnd.size() : 0));
    else
      out += ' ';
    at = tag->end;
  }
  append_text(text.substr(at), out);
  return out;
}

}  // namespace frond::tools
