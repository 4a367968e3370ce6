#pragma once
// Tags in a page, for what is done before it is parsed: names, ends, elements whose content has none.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace frond::indexer::ingest {

// A tag's name in lower case, as far as it fits.
struct TagName {
  static constexpr std::size_t kMaxLetters = 16;
  std::array<char, kMaxLetters> letters{};
  friend bool operator==(const TagName&, const TagName&) = default;
  std::string_view view() const {
    return {letters.data(), std::min(std::string_view(letters.data(), kMaxLetters).find('\0'), kMaxLetters)};
  }
};

inline bool is_tag_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The name at html[at].
TagName tag_name_at(std::string_view html, std::size_t at);

// Past the '>' of the tag whose name starts at `at`; quoted attribute values may hold one.
std::size_t tag_end(std::string_view html, std::size_t at);

// Whether an element's content is text only: script, style, title and their like.
bool is_raw_element(const TagName& name);

// Where the end tag of a raw element starts, from `at`; the page's size: it has none.
std::size_t raw_element_end(std::string_view html, std::size_t at, const TagName& name);

}  // namespace frond::indexer::ingest
