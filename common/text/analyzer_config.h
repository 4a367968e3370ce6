#pragma once
// How a collection's text becomes terms. Part of the manifest, so that broker and indexer agree.
#include <optional>
#include <string>
#include <string_view>

namespace frond::text {

enum class Stemmer { kNone, kPorter, kEnglish };

struct AnalyzerConfig {
  Stemmer stemmer = Stemmer::kPorter;
  bool stop_words = true;  // Lucene's 33 English stop words are dropped
  friend bool operator==(const AnalyzerConfig&, const AnalyzerConfig&) = default;
};

constexpr std::string_view name_of(Stemmer stemmer) {
  constexpr std::string_view kNames[] = {"none", "porter", "english"};
  return kNames[static_cast<int>(stemmer)];
}
constexpr std::optional<Stemmer> stemmer_named(std::string_view name) {
  for (const auto stemmer : {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish})
    if (name == name_of(stemmer)) return stemmer;
  return std::nullopt;
}

}  // namespace frond::text
