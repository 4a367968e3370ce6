#pragma once
// The one definition of a term. There are three sets of rules; a collection keeps those that it was built with.
//
// standard: words by Unicode's word boundaries; English possessives (with a stemmer), lower case, stop words, stem.
// standard2: words in a normal form, in which case, width, apostrophes and soft hyphens make no difference, and accents
//   neither with fold_accents (normal_form.h); elided articles, possessives, O' and commas between digits in groups of
//   three are taken away (normal_form.h); stop words, stem. Pairs of characters in scripts without spaces and in
//   Korean; words with . @ & + # are terms as a whole and by their parts (term_spans.h). The whole is not stemmed.
// standard3: as standard2, of a text in its form (cut_form.h); words with : _ · have parts, too, and so have parts side
//   by side (3.11 of 3.11.2); symbols are terms. Initials are a word (U.S.A is usa), a version loses its v (v1.2 is
//   1.2), l·l is ll, and i without a dot is i. With the Turkish stemmer I is the capital of i without a dot, and what
//   is behind an apostrophe is left out.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/analyzer_config.h"
#include "common/text/cut_form.h"
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
  // standard2 and standard3 may overlap (term_spans.h). Terms are valid during the call only; they are UTF-8, never
  // empty, never contain a NUL, and are at most kMaxTokenBytes + a few bytes long. Bytes that are not UTF-8 separate
  // words. The sink must not use this analyzer.
  template <class Sink>
  void analyze(std::string_view text, Sink&& sink) {
    const auto give = [&](std::string_view of, TokenSpan token, TokenSpan where) {
      const std::string_view term = term_of(of.substr(token.begin, token.end - token.begin));
      if (!term.empty()) sink(term, where);
    };
    if (config().kind == AnalyzerKind::kStandard)
      return for_each_token(text, [&](TokenSpan token) { give(text, token, token); });
    if (config().kind == AnalyzerKind::kStandard2)
      return for_each_span(text, [&](TokenSpan span, bool) { give(text, span, span); });
    cut_form().in_pieces(text, [&](std::string_view form, std::size_t from) {
      const auto give_span = [&](TokenSpan span, bool) { give(form, span, cut_form().original(span)); };
      for_each_span(form, give_span, span_rules(config()), from);
    });
  }
  std::vector<std::string> terms(std::string_view text);
  // The terms that a query `text` asks for: those of which a document has all if it contains the text. Without the
  // terms that documents have besides.
  std::vector<std::string> query_terms(std::string_view text);

  // For texts of standard3, as they are cut.
  CutForm& cut_form();

  // The next token at or after `from`; empty at the end of the text.
  static TokenSpan next_token(std::string_view text, std::size_t from) { return text::next_token(text, from); }
  // The term of one token; empty for a stop word. Valid until the next call.
  std::string_view term_of(std::string_view token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond::text
