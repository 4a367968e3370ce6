#pragma once
// Finds tags in a page before it is parsed: their names and ends, and elements whose content holds no tags.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace frond::indexer::ingest {

// A tag's name in lower case, cut to the space there is.
struct TagName {
  static constexpr std::size_t kMaxLetters = 16;
  std::array<char, kMaxLetters> letters{};
  friend bool operator==(const TagName&, const TagName&) = default;
  std::string_view view() const {
    return {letters.data(), std::min(std::string_view(letters.data(), kMaxLetters).find('\0'), kMaxLetters)};
  }
};

inline bool is_tag_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The name that begins at html[at].
TagName tag_name_at(std::string_view html, std::size_t at);

// The place behind the '>' of the tag whose name begins at `at`. Quoted attribute values may hold a '>'.
std::size_t tag_end(std::string_view html, std::size_t at);

// Whether an element's content is text only, as of script, style and title.
bool is_raw_element(const TagName& name);

// The place of a raw element's end tag, searched from `at`. The page's size: there is none.
std::size_t raw_element_end(std::string_view html, std::size_t at, const TagName& name);

}  // namespace frond::indexer::ingest
