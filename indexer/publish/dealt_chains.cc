#include "indexer/publish/dealt_chains.h"

#include <string_view>
#include <utility>

#include "indexer/invert/term_ranges.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/posting_dealer.h"

namespace frond::indexer::publish {
namespace {

using Terms = std::shared_ptr<const invert::HeldTerms>;

// Terms that follow each other.
struct Slice {
  struct Piece {  // of a range
    Terms of;
    std::size_t begin, end;
  };
  std::vector<Piece> pieces;
  std::uint64_t postings = 0;

  // visit(std::string_view term, const invert::HeldTerms::Term&)
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Piece& piece : pieces)
      for (std::size_t i = piece.begin; i < piece.end; ++i) visit(piece.of->term(i), piece.of->terms[i]);
  }
};

// The terms of all inverters, as slices. Threads of the pool put some ranges in order ahead.
class OrderedTerms {
 public:
  static Result<std::unique_ptr<OrderedTerms>> begin(const std::vector<std::unique_ptr<invert::HeldChains>>& held,
                                                     TaskPool& pool) {
    std::unique_ptr<OrderedTerms> terms(new OrderedTerms(held, pool));
    OrderedTasks<bool> orders(pool, 0);
    for (dictionary::TrieCollection one = 0; one < dictionary::kFirstTriple; ++one)
      orders.begin(0, [&ranges = terms->ranges_, one](std::size_t) -> Result<bool> {
        ranges.order(one);
        return true;
      });
    while (!orders.empty()) FROND_TRY(orders.take());
    terms->ranges_.cut();
    terms->order_ahead();
    return terms;
  }

  // Whether there are terms left.
  bool more() const { return at_ < terms_->terms.size() || !tasks_.empty(); }
  // Whether next() would not wait.
  bool ready() { return at_ < terms_->terms.size() || tasks_.ready(); }
  // The next terms, until they have so many postings or their range ends; perhaps none.
  Result<Slice> next(std::uint64_t postings) {
    if (at_ == terms_->terms.size()) {
      terms_ = FROND_TRY(tasks_.take());
      at_ = 0;
      order_ahead();
    }
    Slice slice;
    const std::size_t begin = at_;
    while (at_ < terms_->terms.size() && slice.postings < postings) slice.postings += terms_->terms[at_++].postings;
    if (at_ > begin) slice.pieces.push_back({terms_, begin, at_});
    return slice;
  }

 private:
  OrderedTerms(const std::vector<std::unique_ptr<invert::HeldChains>>& held, TaskPool& pool)
      : ranges_(held), tasks_(pool, pool.threads() + 2) {}
  void order_ahead() {
    for (; next_range_ < ranges_.count() && !tasks_.full(); ++next_range_)
      tasks_.begin(1, [this, range = next_range_](std::size_t) -> Result<Terms> {
        return std::make_shared<const invert::HeldTerms>(ranges_.terms(range));
      });
  }
  invert::TermRanges ranges_;
  std::size_t next_range_ = 0;
  Terms terms_ = std::make_shared<const invert::HeldTerms>();  // at hand
  std::size_t at_ = 0;                                         // the next of these
  OrderedTasks<Terms> tasks_;                                  // last: it uses the others
};

struct Dealt {
  DealtSlice made;
  std::shared_ptr<const Slice> slice;
};

// Any thread.
DealtSlice deal(const Slice& slice, std::uint32_t partitions) {
  PostingDealer dealer(partitions, slice.postings);
  DealtSlice made;
  slice.for_each([&](std::string_view term, const invert::HeldTerms::Term& one) {
    DealtSlice::Statistics& statistics = made.terms.emplace_back();
    statistics.document_frequency = one.postings;
    const std::uint64_t first = one.of->first_document();
    invert::for_each_posting(*one.chain, one.of->arena(), [&](std::uint32_t number, Frequency frequency) {
      statistics.occurrences += frequency;
      dealer.add(term, first + number, frequency);
    });
    dealer.end_term(term);
  });
  made.groups = dealer.take();
  return made;
}

Result<void> put(const Dealt& dealt, WrittenTerms& terms) {
  auto statistics = dealt.made.terms.begin();
  Result<void> put;
  dealt.slice->for_each([&](std::string_view term, const invert::HeldTerms::Term&) {
    if (put) put = terms.put(term, statistics->document_frequency, statistics->occurrences);
    ++statistics;
  });
  return put;
}

}  // namespace

Result<void> deal_chains(const std::vector<std::unique_ptr<invert::HeldChains>>& held,
                         std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms, TaskPool& pool,
                         std::uint64_t postings_at_a_time, std::stop_token stop) {
  const auto ordered = FROND_TRY(OrderedTerms::begin(held, pool));
  OrderedTasks<Dealt> tasks(pool, postings_at_a_time);
  Slice gathered;  // slices of ranges with few postings
  while (ordered->more() || !tasks.empty()) {
    if (ordered->more() && !tasks.full() && (tasks.empty() || ordered->ready())) {
      Slice next = FROND_TRY(ordered->next(pipeline::kHeldSlicePostings - gathered.postings));
      gathered.postings += next.postings;
      for (Slice::Piece& piece : next.pieces) gathered.pieces.push_back(std::move(piece));
      if (gathered.pieces.empty() || (gathered.postings < pipeline::kHeldSlicePostings && ordered->more())) continue;
      auto slice = std::make_shared<const Slice>(std::exchange(gathered, {}));
      tasks.begin(slice->postings,
                  [slice, partitions = static_cast<std::uint32_t>(to.size())](std::size_t) -> Result<Dealt> {
                    return Dealt{deal(*slice, partitions), slice};
                  });
      continue;
    }
    Dealt dealt = FROND_TRY(tasks.take());
    if (terms != nullptr) FROND_TRY(put(dealt, *terms));
    FROND_TRY(give_groups(std::move(dealt.made.groups), to, stop));
  }
  for (const auto& queue : to) queue->close();
  return {};
}

}  // namespace frond::indexer::publish
