#include "leaf/cpu/algorithms.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"
#include "leaf/cpu/window_matches.h"
#include "leaf/cpu/window_sums.h"

namespace frond::leaf::cpu {
namespace {

void keep(const engine::Plan& plan, DocId docid, engine::Outcome& outcome) {
  outcome.hits.push_back({plan.placement.ordinal(docid), 0});
}

// Keeps the first of a window's documents while there are fewer than k.
void keep_first(const engine::Plan& plan, DocId first, const WindowBits& documents, engine::Outcome& outcome) {
  for (DocId i = 0; i < documents.size() && outcome.hits.size() < plan.k; ++i)
    for (std::uint64_t word = documents[i]; word != 0 && outcome.hits.size() < plan.k; word &= word - 1)
      keep(plan, first + i * 64 + static_cast<DocId>(std::countr_zero(word)), outcome);
}

Result<engine::Outcome> first_of_list(const engine::Plan& plan, const engine::PlanTerm& only, const Clock& clock) {
  TermReader term(plan, only);
  engine::Outcome outcome;
  for (std::uint32_t block = 0; block < term.blocks() && outcome.hits.size() < plan.k && !term.corrupt(); ++block) {
    if (block % kBlocksBetweenGlances == 0 && plan.deadline.passed(clock)) return deadline_passed();
    term.enter(block);
    for (std::uint32_t i = 0; i < term.size() && outcome.hits.size() < plan.k; ++i)
      if (plan.hidden == nullptr || !plan.hidden->contains(term.docids()[i])) keep(plan, term.docids()[i], outcome);
  }
  outcome.matches = postings_left(term, plan);
  if (term.corrupt()) return term.error();
  outcome.postings_decoded = term.postings_decoded();
  return outcome;
}

// The longest list of a union that is counted: documents of the others are looked up in it where they are few.
class LongestList {
 public:
  LongestList(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}

  // How many documents of the window at `first` are in `others` and not in the list. Windows ascend.
  std::uint64_t count_missing(DocId first, WindowMarks& others) {
    constexpr std::size_t kFewPerBlock = 4;  // to mark a block takes as long as to look up so many documents
    const std::size_t count = count_bits(others.bits().data(), kGroups);
    const auto& list = reader_.list();
    begin_ = list.find_block(first, begin_);
    if (count == 0 || begin_ == list.blocks()) return count;
    const DocId last = first + (kWindowDocuments - 1);
    const std::uint32_t end = std::min(list.find_block(last, begin_) + 1, list.blocks());
    if (count <= (end - begin_) * kFewPerBlock) return count - count_held(first, others.bits());
    std::uint64_t marked = 0;
    for (std::uint32_t block = begin_; block < end; ++block) {
      reader_.enter(block);
      const std::uint32_t from = block == begin_ ? reader_.position_of(first) : 0;
      const std::uint32_t to = block + 1 == end ? reader_.position_of(first + kWindowDocuments) : reader_.size();
      if (from >= to) continue;
      marked += to - from;
      others.add(reader_.docids() + from, to - from, first);
    }
    return count_bits(others.bits().data(), kGroups) - marked;
  }
  TermReader& reader() { return reader_; }

 private:
  std::uint64_t count_held(DocId first, const WindowBits& documents) {
    std::uint64_t held = 0;
    std::uint32_t block = begin_;
    for (DocId i = 0; i < documents.size(); ++i)
      for (std::uint64_t word = documents[i]; word != 0; word &= word - 1) {
        const DocId docid = first + i * 64 + static_cast<DocId>(std::countr_zero(word));
        if (reader_.list().last_docid(block) < docid) block = reader_.list().find_block(docid, block);
        if (block == reader_.blocks()) return held;
        reader_.enter(block);
        const std::uint32_t position = reader_.position_of(docid);
        held += position < reader_.size() && reader_.docids()[position] == docid;
      }
    return held;
  }

  TermReader reader_;
  std::uint32_t begin_ = 0;
};

// The number of documents in any list: all of the longest, and those of the others that it does not have. Nothing is
// hidden.
Result<engine::Outcome> count_union(const engine::Plan& plan, const Clock& clock) {
  auto chosen = terms_with_postings(plan);
  std::ranges::stable_sort(chosen, {}, [](const auto* term) { return term->list->postings.count(); });
  LongestList longest(plan, *chosen.back());
  chosen.pop_back();
  auto others = FROND_TRY(open_terms<OrderedTerm>(plan, chosen));
  WindowMarks marks;
  engine::Outcome outcome{.hits = {}, .matches = longest.reader().list().count()};
  for (std::uint64_t begin = 0; !longest.reader().corrupt(); begin += kWindowDocuments) {
    if (plan.deadline.passed(clock)) return deadline_passed();
    DocId next = kNoDoc;
    for (const OrderedTerm& term : others) next = std::min(next, term.next());
    if (next == kNoDoc) break;
    begin = std::max<std::uint64_t>(begin, next / kWindowDocuments * kWindowDocuments);
    const auto first = static_cast<DocId>(begin);
    for (OrderedTerm& term : others)
      term.take_below(begin + kWindowDocuments, [&](std::uint32_t from, std::uint32_t to) {
        marks.add(term.reader().docids() + from, to - from, first);
      });
    outcome.matches += longest.count_missing(first, marks);
    marks.clear();
  }
  if (longest.reader().corrupt()) return longest.reader().error();
  outcome.postings_decoded = longest.reader().postings_decoded();
  for (OrderedTerm& term : others) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  return outcome;
}

Result<engine::Outcome> search_union(const engine::Plan& plan, const Clock& clock) {
  engine::Outcome outcome;
  const bool counts_apart = plan.hidden == nullptr;
  if (counts_apart) outcome = FROND_TRY(count_union(plan, clock));
  if (counts_apart && plan.k == 0) return outcome;
  outcome.postings_decoded +=
      FROND_TRY(visit_matches(plan, clock, [&](DocId first, const WindowBits& documents) -> Result<bool> {
        if (!counts_apart) outcome.matches += count_bits(documents.data(), documents.size());
        keep_first(plan, first, documents, outcome);
        return !counts_apart || outcome.hits.size() < plan.k;
      }));
  return outcome;
}

}  // namespace

Result<engine::Outcome> search_unranked(const engine::Plan& plan, const Clock& clock) {
  const auto lists = terms_with_postings(plan);
  if (lists.size() == 1) return first_of_list(plan, *lists.front(), clock);
  return plan.mode == engine::Mode::kAnd ? search_conjunction(plan, clock) : search_union(plan, clock);
}

}  // namespace frond::leaf::cpu
