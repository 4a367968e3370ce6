#include "leaf/cpu/exhaustive_or.h"

#include <array>
#include <vector>

#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"
#include "leaf/cpu/window_sums.h"

namespace frond::leaf::cpu {
namespace {

constexpr DocId kWindow = WindowSums::kWindow;

struct Term {
  Term(const engine::Plan& plan, const engine::PlanTerm& term) : opened(plan, term) {}
  TermReader& reader() { return opened; }
  TermReader opened;
  std::uint32_t block = 0;  // the first block with postings not yet added
  std::uint32_t from = 0;   // the first such posting in it
};

// Adds the term's postings below `end`. A block that does not decode ends the list and makes the reader corrupt().
void add_window(Term& term, DocId begin, DocId end, WindowSums& sums) {
  TermReader& reader = term.reader();
  while (term.block < reader.blocks() && !reader.corrupt()) {
    reader.enter(term.block);
    const bool whole = reader.last() < end;
    const std::uint32_t to = whole ? reader.size() : reader.position_of(end);
    if (term.from < to) sums.add(reader, term.from, to, begin);
    term.from = whole ? 0 : to;
    if (!whole) return;
    ++term.block;
  }
}

}  // namespace

Result<engine::Outcome> search_exhaustive_or(const engine::Plan& plan, const Clock& clock) {
  auto terms = FROND_TRY(open_terms<Term>(plan, terms_with_postings(plan)));
  Threshold threshold(plan);
  WindowSums sums;
  std::array<DocId, kWindow + kSelectSlack> docids;
  std::array<Score, kWindow + kSelectSlack> scores;
  engine::Outcome outcome;
  const std::uint64_t documents = plan.lengths.size();
  for (std::uint64_t begin = 0; begin < documents; begin += kWindow) {
    if (plan.deadline.passed(clock)) return deadline_passed();
    const auto end = static_cast<DocId>(std::min<std::uint64_t>(begin + kWindow, documents));
    for (Term& term : terms) add_window(term, static_cast<DocId>(begin), end, sums);
    outcome.matches += sums.documents(static_cast<DocId>(begin), plan.hidden);
    threshold.look_at(static_cast<DocId>(begin), end - 1);
    const auto least = static_cast<Score>(std::min<std::uint64_t>(threshold.least(), 0xffffffff));
    const Selection kept{docids.data(), scores.data()};
    threshold.offer(kept, sums.take(static_cast<DocId>(begin), least, kept));
  }
  for (Term& term : terms) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  outcome.hits = threshold.take();
  return outcome;
}

}  // namespace frond::leaf::cpu
