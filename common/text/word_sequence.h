#pragma once
// The words of a text one behind the other, for phrases: of documents and of queries the same, so a phrase is found
// wherever its text stands.
//
// Every place of the sequence has one term as it is indexed, or is a gap, where a stop word stands. Where an analyzer
// gives a whole and its parts (term_spans.h), the sequence has the parts, so `node.js` is `node`, `js`, and phrases go
// on behind it: "node.js server" and "node js server" are one phrase. A whole with a single part (C++) stays whole.
// In scripts without spaces the places are the pairs of characters side by side.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "common/text/analyzer.h"
#include "common/text/term_spans.h"

namespace frond::text {

// One thread; keeps its memory from text to text.
class WordSequence {
 public:
  // Calls sink(std::string_view term) in the text's order; an empty term is a gap. Terms are valid during the call.
  template <class Sink>
  void for_each(Analyzer& analyzer, std::string_view text, Sink&& sink) {
    const AnalyzerConfig& config = analyzer.config();
    if (config.kind == AnalyzerKind::kStandard)
      return for_each_token(
          text, [&](TokenSpan token) { sink(analyzer.term_of(text.substr(token.begin, token.end - token.begin))); });
    const auto piece = [&](std::string_view of, std::size_t from) {
      spans_.clear();
      for_each_span(
          of, [&](TokenSpan span, bool main) { add(of, span, main); }, span_rules(config), from);
      for (const TokenSpan span : chosen()) sink(analyzer.term_of(of.substr(span.begin, span.end - span.begin)));
    };
    if (config.kind == AnalyzerKind::kStandard2) return piece(text, 0);
    analyzer.cut_form().in_pieces(text, piece);
  }

 private:
  void add(std::string_view text, TokenSpan span, bool main);
  const std::vector<TokenSpan>& chosen();

  struct Span {
    TokenSpan where;
    bool main = false, gram = false;
  };
  std::vector<Span> spans_;
  std::vector<TokenSpan> chosen_;
};

}  // namespace frond::text
