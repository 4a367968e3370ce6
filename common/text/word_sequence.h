#pragma once
// The words of a text one behind the other, for phrases: of documents and of queries the same, so a phrase is found
// wherever its text stands.
//
// Every place of the sequence has one term as it is indexed, or is a gap, where a stop word stands. Where an analyzer
// gives a whole and its parts (term_spans.h), the sequence has the parts, so `node.js` is `node`, `js`, and phrases go
// on behind it: "node.js server" and "node js server" are one phrase. A whole with a single part (C++) stays whole.
// In scripts without spaces the places are the pairs of characters side by side. A symbol that people may leave out
// (is_left_out() of term_spans.h) takes no place: "Acme™ rockets" is "Acme rockets".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
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
      const auto place = [&](const Span& span) {
        sink(analyzer.term_of(of.substr(span.where.begin, span.where.end - span.where.begin)));
      };
      for_each_span(
          of,
          [&](TokenSpan where, bool main) {
            add(of, {where, main}, place);
          },
          span_rules(config), from);
      finish(of, place);
    };
    if (config.kind == AnalyzerKind::kStandard2) return piece(text, 0);
    analyzer.cut_form().in_pieces(text, piece);
  }

  // For who cuts a text anyway, by standard2 or standard3.
  struct Span {
    TokenSpan where;
    bool main = false;
    std::uint64_t hash = 0;  // the caller's
  };
  // Spans of `text` as for_each_span() gives them. Calls sink(const Span&) for those that are places, once it is known.
  template <class Sink>
  void add(std::string_view text, const Span& span, Sink&& sink) {
    // Parts are no main spans, and come before the whole: nothing that follows can be one with what there was. In runs
    // of grams each pair is a place whatever is beside it, so that a long run need not be held.
    if (span.main && (span.where.begin >= end_ || (spans_.size() > kMostHeld && span.where.begin >= last_begin_)))
      finish(text, sink);
    spans_.push_back(span);
    end_ = std::max(end_, span.where.end);
    last_begin_ = std::max(last_begin_, span.where.begin);
  }
  // The text or piece ends.
  template <class Sink>
  void finish(std::string_view text, Sink&& sink) {
    if (spans_.size() == 1 && spans_[0].main)
      sink(std::as_const(spans_[0]));
    else
      for (const Span& span : chosen(text)) sink(span);
    spans_.clear();
    end_ = last_begin_ = 0;
  }

 private:
  static constexpr std::size_t kMostHeld = 4096;
  const std::vector<Span>& chosen(std::string_view text);

  std::vector<Span> spans_;               // that overlap, or may be parts of one
  std::size_t end_ = 0, last_begin_ = 0;  // of them: the greatest
  std::vector<bool> grams_;               // which of them are of scripts without spaces
  std::vector<Span> chosen_;
};

}  // namespace frond::text
