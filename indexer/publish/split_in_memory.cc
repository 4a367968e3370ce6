#include "indexer/publish/split_in_memory.h"

#include <string_view>
#include <utility>

#include "indexer/invert/term_ranges.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/posting_splitter.h"

namespace frond::indexer::publish {
namespace {

using Terms = std::shared_ptr<const invert::TermPostings>;

// Terms that follow each other.
struct Slice {
  struct Piece {  // of a range
    Terms of;
    std::size_t begin, end;
  };
  std::vector<Piece> pieces;
  std::uint64_t postings = 0;

  // visit(std::string_view term, const invert::TermPostings::Term&)
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Piece& piece : pieces)
      for (std::size_t i = piece.begin; i < piece.end; ++i) visit(piece.of->term(i), piece.of->terms[i]);
  }
};

// The terms of all inverters, as slices. Threads of the pool put some ranges in order ahead.
class OrderedTerms {
 public:
  static Result<std::unique_ptr<OrderedTerms>> begin(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from,
                                                     TaskPool& pool) {
    std::unique_ptr<OrderedTerms> terms(new OrderedTerms(from, pool));
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
  OrderedTerms(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool)
      : ranges_(from), tasks_(pool, pool.threads() + 2) {}
  void order_ahead() {
    for (; next_range_ < ranges_.count() && !tasks_.full(); ++next_range_)
      tasks_.begin(1, [this, range = next_range_](std::size_t) -> Result<Terms> {
        return std::make_shared<const invert::TermPostings>(ranges_.terms(range));
      });
  }
  invert::TermRanges ranges_;
  std::size_t next_range_ = 0;
  Terms terms_ = std::make_shared<const invert::TermPostings>();  // at hand
  std::size_t at_ = 0;                                            // the next of these
  OrderedTasks<Terms> tasks_;                                     // last: it uses the others
};

// Any thread.
SplitSlice split(const std::shared_ptr<const Slice>& slice, std::uint32_t partitions) {
  PostingSplitter splitter(partitions, slice->postings);
  SplitSlice made;
  slice->for_each([&](std::string_view text, const invert::TermPostings::Term& one) {
    SplitSlice::Term& term = made.terms.emplace_back();
    term.text = text;
    term.document_frequency = one.postings;
    const std::uint64_t first = one.of->first_document();
    invert::ChainReader reader(*one.chain, one.of->arena());
    while (splitter.is_one() && reader.left() > 0) {
      auto to = splitter.room(text, reader.left());
      reader.read(to.count, [&](std::uint32_t number, Frequency frequency) {
        term.occurrences += frequency;
        *to.docids++ = static_cast<DocId>(first + number);
        *to.frequencies++ = frequency;
      });
    }
    reader.read(reader.left(), [&](std::uint32_t number, Frequency frequency) {
      term.occurrences += frequency;
      splitter.add(text, first + number, frequency);
    });
    splitter.end_term(text);
  });
  made.groups = splitter.take();
  made.memory = slice;
  return made;
}

}  // namespace

Result<void> split_in_memory(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool,
                             SplitPostings& to) {
  const auto ordered = FROND_TRY(OrderedTerms::begin(from, pool));
  Slice gathered;  // slices of ranges with few postings
  while (ordered->more()) {
    while (!ordered->ready() && !to.empty()) FROND_TRY(to.give_on());
    Slice next = FROND_TRY(ordered->next(pipeline::kSlicePostings - gathered.postings));
    gathered.postings += next.postings;
    for (Slice::Piece& piece : next.pieces) gathered.pieces.push_back(std::move(piece));
    if (gathered.pieces.empty() || (gathered.postings < pipeline::kSlicePostings && ordered->more())) continue;
    const auto slice = std::make_shared<const Slice>(std::exchange(gathered, {}));
    FROND_TRY(to.add(slice->postings, [slice, partitions = to.partitions()] { return split(slice, partitions); }));
  }
  return to.finish();
}

}  // namespace frond::indexer::publish
