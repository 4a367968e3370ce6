#pragma once
// What collections are made with where nothing else is said. The parameters' own default values belong to what reads
// manifests and must not change; these may, and do not touch collections that exist (ADR 22).
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::indexer {

// The best of the usual values on four sets with judgments: docs/measurements/analyzer-and-quality.md.
inline constexpr scoring::Bm25Parameters kNewCollectionBm25 = {.k1 = 1.5, .b = 0.75};

// More of what people look for is found by it: docs/measurements/analyzer-and-quality.md. A file in the Common Index
// File Format has terms that others made, most often by rules that are nearer to the older analyzer.
inline constexpr text::AnalyzerKind kNewCollectionAnalyzer = text::AnalyzerKind::kStandard3;
inline constexpr text::AnalyzerKind kImportedAnalyzer = text::AnalyzerKind::kStandard;

// The stop words of the stemmer's language; of English where it has none.
inline text::StopWords usual_stop_words(text::Stemmer stemmer) {
  if (stemmer <= text::Stemmer::kEnglish) return text::StopWords(true);
  return text::StopWords::named(name_of(stemmer)).value_or(text::StopWords(false));
}

}  // namespace frond::indexer
