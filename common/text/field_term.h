#pragma once
// A term in one field: text fields with field_search have lists of their own, whose terms are the field's place in the
// schema before the word. A byte that no word begins with keeps them apart from those of plain lists.
#include <cstdint>
#include <string>
#include <string_view>

namespace frond::text {

inline constexpr char kFieldMark = '\x01';
inline constexpr std::size_t kFieldTermPrefix = 3;  // bytes before the word

// field: below 256.
inline void append_field_prefix(std::uint32_t field, std::string& out) {
  out.push_back(kFieldMark);
  out.push_back(static_cast<char>(0x40 + (field >> 4)));
  out.push_back(static_cast<char>(0x40 + (field & 15)));
}
inline std::string field_term(std::uint32_t field, std::string_view word) {
  std::string term;
  term.reserve(kFieldTermPrefix + word.size());
  append_field_prefix(field, term);
  term += word;
  return term;
}
inline bool is_field_term(std::string_view term) {
  return term.size() > kFieldTermPrefix && term.front() == kFieldMark;
}
// Of a field term.
inline std::uint32_t field_of_term(std::string_view term) {
  return static_cast<std::uint32_t>((term[1] & 15) << 4 | (term[2] & 15));
}

}  // namespace frond::text
