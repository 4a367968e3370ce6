#pragma once
// Makes text of any size, for `frond synth --text`: a thread a chunk. The bytes depend on the options but not on the
// number of threads.
//
// Memory: about 1.5 MiB a thread, more only while a document is longer than that; 1 MiB for the tables.
#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "tools/synth/text/text_output.h"

namespace frond::tools::synth {

struct TextOptions {
  const TextProfile* profile = nullptr;
  Markup markup = Markup::kJsonLines;
  SpellingShares shares;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  OutputOptions output;
};

struct TextSummary {
  OutputTotals totals;
  double tail_exponent = 0;   // of word frequencies; the vocabulary grows with tokens to the power of its reciprocal
  double expected_terms = 0;  // different words, stop words not counted
  double seconds = 0, cpu_seconds = 0;
};

// Errors as TextOutput's.
Result<TextSummary> make_text(const TextOptions& options);

// ".jsonl" or ".trec".
std::string suffix_of(Markup markup);

}  // namespace frond::tools::synth
