#pragma once
// Signs of query languages in a query's text. Frond takes them as plain text, so an answer says which ones it met.
// Pure function.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frond::broker::query {

struct Sign {
  std::string_view sign;  // its name: - + ! AND OR NOT && || | field: "…" * ? ~ ^ […] (…)
  std::string text;       // where it stands, as typed: a word, a phrase or a range; cut to kMaxSignText bytes
  friend bool operator==(const Sign&, const Sign&) = default;
};

inline constexpr std::size_t kMaxSigns = 16;      // in one answer
inline constexpr std::size_t kMaxSignText = 100;  // bytes

// The first kMaxSigns, each once, as Lucene's and most search boxes' syntax has them. What is usual in plain text
// counts as plain: C++, 3-4, e-mail addresses, URLs, paths, times, std::vector, host:8080, +49, a question mark at the
// end, one quotation mark, brackets and parentheses without operators. `query` is UTF-8.
std::vector<Sign> signs_not_applied(std::string_view query);

}  // namespace frond::broker::query
