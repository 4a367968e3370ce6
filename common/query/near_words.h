#pragma once
// Words of a dictionary that are like another one: what is asked for, and what is found. Letters are code points.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frond::query {

inline constexpr std::size_t kMaxNearWords = 16;       // of one search
inline constexpr std::size_t kMaxNearWordBytes = 256;  // of each
inline constexpr std::uint32_t kMaxNearEdits = 2;
inline constexpr std::uint32_t kMaxNearTerms = 256;
// In place of a number of edits: what begins with the word is like it. Of such terms the first in byte order are found,
// each with one edit; the members between `edits` and `least_df` mean nothing, and the word may be empty.
inline constexpr std::uint32_t kAnyEnding = kMaxNearEdits + 1;

struct NearWord {
  std::string field;               // a text field with lists of its own; empty: all text
  std::string word;                // as indexed
  std::uint32_t edits = 2;         // at most; one is a letter inserted, removed or replaced
  bool swaps = true;               // … or two side by side in the other order, each in one such pair at most
  std::uint32_t same_letters = 1;  // at the beginning
  float least_nearness = 0;
  std::uint64_t least_df = 1;
  bool more_frequent = false;  // only what is in more documents than the word
  bool only_absent = false;    // nothing, if some document has the word
  std::uint32_t most = 32;     // of those with one edit, and of all: the nearest, then in byte order
  friend bool operator==(const NearWord&, const NearWord&) = default;
};
struct NearTerm {
  std::string text;
  std::uint64_t df = 0;     // documents of the collection that have it
  std::uint32_t edits = 1;  // between it and the word
  friend bool operator==(const NearTerm&, const NearTerm&) = default;
};
struct NearTerms {
  std::uint64_t df = 0;         // of the word itself
  std::vector<NearTerm> terms;  // without the word; the nearest first, then in byte order
  bool whole = true;            // false: more terms begin as wanted than may be looked at
  friend bool operator==(const NearTerms&, const NearTerms&) = default;
};

// Of words of that many letters: 1 for equal ones, at most; not above 0 where all of the shorter one was changed.
inline float nearness(std::uint32_t edits, std::size_t letters, std::size_t other_letters) {
  return 1.0F - static_cast<float>(edits) / static_cast<float>(std::min(letters, other_letters));
}

}  // namespace frond::query
