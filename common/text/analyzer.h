#pragma once
// The one definition of a term. There are two sets of rules; a collection keeps those that it was built with.
//
// standard: words by Unicode's word boundaries; English possessives (with a stemmer), lower case, stop words, stem.
// standard2: words in a normal form, in which case, width, apostrophes and soft hyphens make no difference, and accents
//   neither with fold_accents (normal_form.h); elided articles, possessives, O' and commas between digits in groups of
//   three are taken away (apostrophes.h); stop words, stem. Pairs of characters in scripts without spaces and in
//   Korean; words with . @ & + # are terms as a whole and by their parts (term_spans.h). The whole is not stemmed.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/analyzer_config.h"
#include "common/text/term_spans.h"
#include "common/text/token_cutter.h"

namespace frond::text {

// Not thread-safe, since the stemmer has state: make one for each thread.
class Analyzer {
 public:
  // The terms of 2^cache_bits words are kept, in 64 bytes each: 2 MiB. 0: of none.
  static constexpr int kCacheBits = 15;
  explicit Analyzer(const AnalyzerConfig& config, int cache_bits = kCacheBits);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  const AnalyzerConfig& config() const;

  // Calls sink(std::string_view term, TokenSpan where) for every term of a document's `text`, nearly in order; those of
  // standard2 may overlap (term_spans.h). Terms are valid during the call only; they are UTF-8, never empty, never
  // contain a NUL, and are at most kMaxTokenBytes + a few bytes long. Bytes that are not UTF-8 separate words.
  template <class Sink>
  void analyze(std::string_view text, Sink&& sink) {
    const auto give = [&](TokenSpan where) {
      const std::string_view term = term_of(text.substr(where.begin, where.end - where.begin));
      if (!term.empty()) sink(term, where);
    };
    if (config().kind == AnalyzerKind::kStandard) return for_each_token(text, give);
    for_each_span(text, [&](TokenSpan where, bool) { give(where); });
  }
  std::vector<std::string> terms(std::string_view text);
  // The terms that a query `text` asks for: those of which a document has all if it contains the text. Without the
  // terms that documents have besides.
  std::vector<std::string> query_terms(std::string_view text);

  // The next token at or after `from`; empty at the end of the text.
  static TokenSpan next_token(std::string_view text, std::size_t from) { return text::next_token(text, from); }
  // The term of one token; empty for a stop word. Valid until the next call.
  std::string_view term_of(std::string_view token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond::text
