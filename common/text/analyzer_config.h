#pragma once
// How a collection's text becomes terms. Part of the manifest, so that broker and indexer agree.
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/text/stop_words.h"

namespace frond::text {

// The rules by which text becomes terms. Rules never change once collections are built with them: new ones get a new
// name. What the rules of each are: analyzer.h.
enum class AnalyzerKind { kStandard, kStandard2, kStandard3 };

// All of libstemmer's. The analyzer `standard` takes the first three only.
enum class Stemmer {
  kNone,
  kPorter,
  kEnglish,
  kArabic,
  kArmenian,
  kBasque,
  kCatalan,
  kDanish,
  kDutch,
  kFinnish,
  kFrench,
  kGerman,
  kGreek,
  kHindi,
  kHungarian,
  kIndonesian,
  kIrish,
  kItalian,
  kLithuanian,
  kNepali,
  kNorwegian,
  kPortuguese,
  kRomanian,
  kRussian,
  kSerbian,
  kSpanish,
  kSwedish,
  kTamil,
  kTurkish,
  kYiddish,
};

struct AnalyzerConfig {
  Stemmer stemmer = Stemmer::kPorter;
  StopWords stop_words = true;  // which are dropped
  AnalyzerKind kind = AnalyzerKind::kStandard;
  bool fold_accents = false;  // not of standard: Latin and Greek letters lose their accents
  bool split_case = false;    // standard3 only: camelCase words have parts
  friend bool operator==(const AnalyzerConfig&, const AnalyzerConfig&) = default;
};

inline constexpr std::array<std::string_view, 3> kAnalyzerNames = {"standard", "standard2", "standard3"};
inline constexpr std::array kStemmerNames = std::to_array<std::string_view>(
    {"none",    "porter",  "english",    "arabic", "armenian",  "basque",     "catalan",   "danish",
     "dutch",   "finnish", "french",     "german", "greek",     "hindi",      "hungarian", "indonesian",
     "irish",   "italian", "lithuanian", "nepali", "norwegian", "portuguese", "romanian",  "russian",
     "serbian", "spanish", "swedish",    "tamil",  "turkish",   "yiddish"});

constexpr std::string_view name_of(AnalyzerKind kind) { return kAnalyzerNames[static_cast<std::size_t>(kind)]; }
constexpr std::string_view name_of(Stemmer stemmer) { return kStemmerNames[static_cast<std::size_t>(stemmer)]; }
constexpr std::optional<AnalyzerKind> analyzer_named(std::string_view name) {
  for (std::size_t i = 0; i < kAnalyzerNames.size(); ++i)
    if (name == kAnalyzerNames[i]) return static_cast<AnalyzerKind>(i);
  return std::nullopt;
}
constexpr std::optional<Stemmer> stemmer_named(std::string_view name) {
  for (std::size_t i = 0; i < kStemmerNames.size(); ++i)
    if (name == kStemmerNames[i]) return static_cast<Stemmer>(i);
  return std::nullopt;
}
// Whether `kind` works with the rest.
inline bool is_valid(const AnalyzerConfig& config) {
  if (config.split_case && config.kind != AnalyzerKind::kStandard3) return false;
  return config.kind != AnalyzerKind::kStandard || (config.stemmer <= Stemmer::kEnglish && !config.fold_accents);
}

// The configuration of a text field that has another kind of analyzer than its collection (schema::Field::analyzer),
// without what that kind does not know. Empty: the collection's. name: of kAnalyzerNames.
inline AnalyzerConfig field_analyzer(AnalyzerConfig config, std::string_view name) {
  config.kind = analyzer_named(name).value_or(config.kind);
  if (config.kind != AnalyzerKind::kStandard3) config.split_case = false;
  if (config.kind == AnalyzerKind::kStandard) {
    config.fold_accents = false;
    if (config.stemmer > Stemmer::kEnglish) config.stemmer = Stemmer::kNone;
  }
  return config;
}

// In words: "analyzer standard, stemmer porter, stop words english".
std::string described(const AnalyzerConfig& config);

}  // namespace frond::text
