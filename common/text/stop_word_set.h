#pragma once
// The stop words of an analyzer, in the form in which it compares them: in its letter case, before stemming.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::text {

// Immutable.
class StopWordSet {
 public:
  StopWordSet() = default;
  explicit StopWordSet(std::vector<std::string> words) : words_(std::move(words)) {
    std::ranges::sort(words_);
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    for (const std::string& word : words_) lengths_[static_cast<unsigned char>(word[0])] |= bit_of(word.size());
  }
  bool contains(std::string_view word) const {
    if (word.empty() || (lengths_[static_cast<unsigned char>(word[0])] & bit_of(word.size())) == 0) return false;
    return std::ranges::binary_search(words_, word);  // most words do not come here
  }

 private:
  static constexpr std::uint32_t bit_of(std::size_t bytes) { return 1u << std::min<std::size_t>(bytes, 31); }

  std::vector<std::string> words_;
  std::array<std::uint32_t, 256> lengths_{};  // by first byte, the lengths of its words
};

}  // namespace frond::text
