#include "leaf/cpu/window_matches.h"

#include <algorithm>
#include <utility>

#include "leaf/cpu/algorithms.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"
#include "leaf/cpu/window_sums.h"

namespace frond::leaf::cpu {
namespace {

Result<std::uint64_t> visit_union(const engine::Plan& plan, const Clock& clock, const TakeWindow& take) {
  auto terms = FROND_TRY(open_terms<OrderedTerm>(plan, terms_with_postings(plan)));
  WindowMarks marks;
  for (std::uint64_t begin = 0;; begin += kWindowDocuments) {
    if (plan.deadline.passed(clock)) return deadline_passed();
    DocId next = kNoDoc;
    for (const OrderedTerm& term : terms) next = std::min(next, term.next());
    if (next == kNoDoc) break;
    begin = std::max<std::uint64_t>(begin, next / kWindowDocuments * kWindowDocuments);
    const auto first = static_cast<DocId>(begin);
    for (OrderedTerm& term : terms)
      term.take_below(begin + kWindowDocuments, [&](std::uint32_t from, std::uint32_t to) {
        marks.add(term.reader().docids() + from, to - from, first);
      });
    remove_hidden(plan, first, marks.bits());
    if (!FROND_TRY(take(first, marks.bits()))) break;
    marks.clear();
  }
  std::uint64_t decoded = 0;
  for (OrderedTerm& term : terms) {
    if (term.reader().corrupt()) return term.reader().error();
    decoded += term.reader().postings_decoded();
  }
  return decoded;
}

Result<std::uint64_t> visit_all_of(const engine::Plan& plan, const Clock& clock, const TakeWindow& take) {
  DocId window = kNoDoc;
  WindowBits bits{};
  const auto visit = [&](const DocId* docids, std::size_t count) -> Result<bool> {
    for (std::size_t i = 0; i < count; ++i) {
      const DocId at = docids[i] % kWindowDocuments;
      if (docids[i] - at != window) {
        const DocId done = std::exchange(window, kNoDoc);
        if (done != kNoDoc && !FROND_TRY(take(done, bits))) return false;
        window = docids[i] - at;
        bits.fill(0);
      }
      bits[at / 64] |= std::uint64_t{1} << at % 64;
    }
    return true;
  };
  const std::uint64_t decoded = FROND_TRY(visit_conjunction(plan, clock, visit));
  if (window != kNoDoc) FROND_TRY(take(window, bits));
  return decoded;
}

}  // namespace

Result<std::uint64_t> visit_matches(const engine::Plan& plan, const Clock& clock, const TakeWindow& take) {
  const std::size_t lists = terms_with_postings(plan).size();
  if (lists == 0 || (plan.mode == engine::Mode::kAnd && lists < plan.terms.size())) return std::uint64_t{0};
  return plan.mode == engine::Mode::kOr || lists == 1 ? visit_union(plan, clock, take)
                                                      : visit_all_of(plan, clock, take);
}

}  // namespace frond::leaf::cpu
