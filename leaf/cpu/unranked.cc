#include "leaf/cpu/algorithms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"
#include "leaf/cpu/window_sums.h"

namespace frond::leaf::cpu {
namespace {

// Marks documents of a window: a byte each, because a bit would be read and written again for every posting nearby.
struct Marks {
  static constexpr DocId kGroup = 64, kGroups = 64, kWindow = kGroup * kGroups;
  alignas(64) std::array<std::uint8_t, kWindow> documents{};
  alignas(64) std::array<std::uint8_t, kGroups> groups{};  // 1: the group has marks
  void set(DocId at) {
    documents[at] = 1;
    groups[at / kGroup] = 1;
  }
};
constexpr DocId kWindow = Marks::kWindow;

void keep(const engine::Plan& plan, DocId docid, engine::Outcome& outcome) {
  outcome.hits.push_back({plan.placement.ordinal(docid), 0});
}

// How many of a group's bytes are 1.
std::uint64_t count_marks(const std::uint8_t* group) {
  std::uint64_t sums = 0;  // of the bytes at each of eight places
  for (DocId i = 0; i < Marks::kGroup; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, group + i, 8);
    sums += eight;
  }
  return sums * 0x0101010101010101 >> 56;
}

void remove_hidden(const partition::HiddenDocuments& hidden, DocId begin, Marks& marks) {
  for (DocId g = 0; g < Marks::kGroups; ++g)
    for (std::uint64_t bits = marks.groups[g] != 0 ? hidden.word(begin / Marks::kGroup + g) : 0; bits != 0;
         bits &= bits - 1)
      marks.documents[g * Marks::kGroup + static_cast<DocId>(std::countr_zero(bits))] = 0;
}

// Counts the documents of a window, keeps the first of them while there are fewer than k, and removes the marks.
void take(const engine::Plan& plan, DocId begin, Marks& marks, engine::Outcome& outcome) {
  if (plan.hidden != nullptr) remove_hidden(*plan.hidden, begin, marks);
  for (DocId g = 0; g < Marks::kGroups; ++g) {
    if (marks.groups[g] == 0) continue;
    std::uint8_t* const group = marks.documents.data() + g * Marks::kGroup;
    outcome.matches += count_marks(group);
    for (DocId i = 0; i < Marks::kGroup && outcome.hits.size() < plan.k; ++i)
      if (group[i] != 0) keep(plan, begin + g * Marks::kGroup + i, outcome);
    std::memset(group, 0, Marks::kGroup);
  }
  marks.groups.fill(0);
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

// Of two lists: documents in either.
Result<std::uint64_t> count_either(const engine::Plan& plan, const Clock& clock, std::uint64_t& postings_decoded) {
  engine::Plan both = plan;
  both.mode = engine::Mode::kAnd;
  both.k = 0;
  std::uint64_t sum = 0;
  for (const auto& term : both.terms) {
    TermReader reader(plan, term);
    sum += postings_left(reader, plan);
    if (reader.corrupt()) return reader.error();
    if (plan.hidden != nullptr) postings_decoded += reader.postings_decoded();
  }
  const engine::Outcome outcome = FROND_TRY(search_conjunction(both, clock));
  postings_decoded += outcome.postings_decoded;
  return sum - outcome.matches;
}

Result<engine::Outcome> search_union(const engine::Plan& plan, const Clock& clock) {
  auto terms = FROND_TRY(open_terms<OrderedTerm>(plan, terms_with_postings(plan)));
  Marks marks;
  engine::Outcome outcome;
  for (std::uint64_t begin = 0;; begin += kWindow) {
    if (plan.deadline.passed(clock)) return deadline_passed();
    if (terms.size() == 2 && plan.terms.size() == 2 && outcome.hits.size() >= plan.k) {
      outcome.matches = FROND_TRY(count_either(plan, clock, outcome.postings_decoded));
      break;
    }
    DocId next = kNoDoc;
    for (const OrderedTerm& term : terms) next = std::min(next, term.next());
    if (next == kNoDoc) break;
    begin = std::max<std::uint64_t>(begin, next / kWindow * kWindow);
    for (OrderedTerm& term : terms)
      term.take_below(begin + kWindow, [&](std::uint32_t from, std::uint32_t to) {
        const DocId* const docids = term.reader().docids();
        for (std::uint32_t i = from; i < to; ++i) marks.set(docids[i] - static_cast<DocId>(begin));
      });
    take(plan, static_cast<DocId>(begin), marks, outcome);
  }
  for (OrderedTerm& term : terms) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  return outcome;
}

}  // namespace

Result<engine::Outcome> search_unranked(const engine::Plan& plan, const Clock& clock) {
  const auto lists = terms_with_postings(plan);
  if (lists.size() == 1) return first_of_list(plan, *lists.front(), clock);
  return plan.mode == engine::Mode::kAnd ? search_conjunction(plan, clock) : search_union(plan, clock);
}

}  // namespace frond::leaf::cpu
