#pragma once
// Tags in a text that is nearly XML.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::tools {

struct Tag {
  std::string name;  // in lower case; empty: a comment, a declaration or an instruction
  std::string_view attributes;
  bool closes = false;
  std::size_t begin = 0, end = 0;  // of the text
};

// The first tag that begins at `from` or behind it. "<" before anything but a letter, '/', '!' and '?' is text.
std::optional<Tag> next_tag(std::string_view text, std::size_t from);
// Calls visit(const Tag&) for every tag, until a call gives false.
template <class Visit>
void for_each_tag(std::string_view text, Visit&& visit) {
  for (auto tag = next_tag(text, 0); tag && visit(*tag); tag = next_tag(text, tag->end)) {
  }
}
// The value of name="value", in any case of letters; quotes may be missing.
std::optional<std::string_view> attribute(std::string_view attributes, std::string_view name);
// The text without tags, with CDATA sections and references to characters replaced; unknown references stay.
std::string without_tags(std::string_view text);

}  // namespace frond::tools
