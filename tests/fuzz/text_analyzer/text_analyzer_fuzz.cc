// Any bytes through every analyzer and the snippet: what the headers promise of terms and extracts holds, and the
// terms' places are those that cutting everything finds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/text/cut_form.h"
#include "common/text/snippets/snippet.h"
#include "common/text/snippets/term_matches.h"
#include "common/text/utf8.h"
#include "tests/support/spans_of_runs.h"

using frond::text::Analyzer;
using frond::text::AnalyzerKind;
using frond::text::Stemmer;
using frond::text::StopWords;

namespace {

// The spans from the vector path's tokens are those from the plain path's.
void check_spans(std::string_view text, frond::text::SpanRules rules) {
  std::vector<std::pair<frond::text::TokenSpan, bool>> fast, plain;
  frond::text::for_each_span(
      text, [&](frond::text::TokenSpan span, bool main) { fast.emplace_back(span, main); }, rules);
  auto sink = [&](frond::text::TokenSpan span, bool main) { plain.emplace_back(span, main); };
  frond::text::SpanCutter spans(text, sink, rules);
  const frond::text::TokenRules tokens = frond::text::token_rules(rules);
  for (auto token = frond::text::next_token(text, 0, tokens); token.begin != token.end;
       token = frond::text::next_token(text, token.end, tokens))
    spans.odd(token);
  spans.finish();
  FROND_CHECK(fast == plain);
}

// The form of a form is the form, also in pieces.
void check_form(std::string_view text) {
  frond::text::CutForm form, again;
  const std::string once(form.of(text));
  FROND_CHECK(again.of(once) == once && once.size() <= 7 * text.size());
  check_spans(once, {true, false, true});
  check_spans(once, {true, true, false});
}

// A text has the terms that it asks for as a query.
void check_query(Analyzer& analyzer, std::string_view text) {
  std::vector<std::string> has = analyzer.terms(text), asks = analyzer.query_terms(text);
  std::ranges::sort(has);
  std::ranges::sort(asks);
  FROND_CHECK(std::ranges::includes(has, asks));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Analyzer analyzers[] = {
      Analyzer({Stemmer::kPorter, true}),
      Analyzer({Stemmer::kEnglish, false}),
      Analyzer({Stemmer::kNone, true}),
      Analyzer({Stemmer::kPorter, true, AnalyzerKind::kStandard2, false}),
      Analyzer({Stemmer::kFrench, *StopWords::named("french"), AnalyzerKind::kStandard2, true}),
      Analyzer({Stemmer::kNone, *StopWords::own({"a", "b.c", "é", "'", "北京"}), AnalyzerKind::kStandard2}),
      Analyzer({Stemmer::kPorter, true, AnalyzerKind::kStandard3}),
      Analyzer({Stemmer::kNone, false, AnalyzerKind::kStandard3, true, true}),
      Analyzer({Stemmer::kTurkish, false, AnalyzerKind::kStandard3})};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> query;
  // The tokens of the vector path are those of the plain one.
  std::size_t at = 0;
  frond::text::for_each_token(text, [&](frond::text::TokenSpan where) {
    FROND_CHECK(where.end > where.begin && where == Analyzer::next_token(text, at));
    at = where.end;
  });
  const frond::text::TokenSpan none = Analyzer::next_token(text, at);
  FROND_CHECK(none.begin == none.end);
  frond::support::SpansOfRuns spans;
  frond::text::for_each_token(text, spans);
  at = 0;
  for (const frond::text::TokenSpan where : spans.all) {
    FROND_CHECK(where.end > where.begin && where == Analyzer::next_token(text, at));
    at = where.end;
  }
  FROND_CHECK(Analyzer::next_token(text, at) == none);
  check_spans(text, {});
  check_form(text);
  for (Analyzer& analyzer : analyzers) {
    const bool may_overlap = analyzer.config().kind != AnalyzerKind::kStandard;
    std::size_t end = 0;
    analyzer.analyze(text, [&](std::string_view term, frond::text::TokenSpan where) {
      FROND_CHECK(!term.empty() && term.size() <= frond::text::kMaxTokenBytes + 4);
      FROND_CHECK(frond::text::is_utf8(term) && term.find('\0') == term.npos);
      FROND_CHECK(where.end > where.begin && where.end <= text.size() && (may_overlap || where.begin >= end));
      end = where.end;
      if (query.size() < 3) query.emplace_back(term);
    });
    if (size > 1 && data[1] % 2 == 0 && query.size() == 3) query.erase(query.begin());  // fewer candidates
    FROND_CHECK(frond::text::find_terms(analyzer, text, query) ==
                frond::text::find_terms_plainly(analyzer, text, query));
    check_query(analyzer, text);
    const std::size_t budget = size ? data[0] : 0;
    const std::string shown = frond::text::snippet(analyzer, text, query, budget);
    FROND_CHECK(frond::text::is_utf8(shown));
  }
  return 0;
}
