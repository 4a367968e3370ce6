#pragma once
// Tokens of documents in text fields with lists of their own, by the fields' places in a schema. What was counted
// before the schema gained fields is shorter, and has no tokens in them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace frond::partition {

using FieldTokens = std::vector<std::uint64_t>;

template <class Number>
void add_field_tokens(FieldTokens& to, const std::vector<Number>& more) {
  to.resize(std::max(to.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}
// False: there would be fewer than none.
inline bool take_field_tokens(FieldTokens& from, const FieldTokens& fewer) {
  from.resize(std::max(from.size(), fewer.size()));
  bool there = true;
  for (std::size_t i = 0; i < fewer.size(); ++i) {
    there = there && fewer[i] <= from[i];
    from[i] -= std::min(from[i], fewer[i]);
  }
  return there;
}
// In all fields: the occurrences of all terms of lists of fields.
template <class Number>
std::uint64_t sum_of(const std::vector<Number>& tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), std::uint64_t{0});
}

}  // namespace frond::partition
