#pragma once
// The most frequent words of made-up text: English function words, by frequency.
#include <array>
#include <cstdint>
#include <string_view>

namespace frond::tools::synth {

inline constexpr std::uint32_t kFunctionWords = 96;

extern const std::array<std::uint8_t, kFunctionWords> kIsStopWord;  // 0 or 1
std::string_view function_word(std::uint32_t number);               // below kFunctionWords
// Whether the word is one of Lucene's 33 English stop words, which the analyzer drops. All of them are function words.
inline bool is_stop_word(std::uint64_t number) {
  return kIsStopWord[number < kFunctionWords ? number : kFunctionWords - 1] != 0;
}

}  // namespace frond::tools::synth
