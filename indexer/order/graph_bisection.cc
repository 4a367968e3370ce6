#include "indexer/order/graph_bisection.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>

#include "common/base/threads/parallel.h"
#include "indexer/order/bisection_rules.h"

namespace frond::indexer::order {

namespace {

constexpr std::uint32_t kLeftOut = 0xffffffff;

}  // namespace

void RangeIndex::fill(const ForwardIndex& index, std::span<const std::uint32_t> range, std::size_t middle) {
  met_.clear();
  std::size_t postings = 0;
  for (const std::uint32_t document : range) postings += index.of(document).size();
  for (const std::uint32_t document : range)
    for (const std::uint32_t term : index.of(document))
      if (counts_[term]++ == 0) met_.push_back(term);
  std::uint32_t kept = 0;
  for (const std::uint32_t term : met_) counts_[term] = counts_[term] > 1 ? kept++ : kLeftOut;
  sides_.assign(kept, {});
  begins_.assign(1, 0);
  terms_.clear();
  terms_.reserve(postings);
  for (std::size_t i = 0; i < range.size(); ++i) {
    const auto side = i < middle ? &TermSides::left : &TermSides::right;
    for (const std::uint32_t term : index.of(range[i])) {
      const std::uint32_t number = counts_[term];
      if (number == kLeftOut) continue;
      terms_.push_back(number);
      ++(sides_[number].*side);
    }
    begins_.push_back(terms_.size());
  }
  for (const std::uint32_t term : met_) counts_[term] = 0;
}

namespace {

constexpr std::size_t kSharedRange = 4096;  // documents; threads do not pay off for fewer
constexpr std::uint32_t kTabulated = 1u << 16;

using Documents = std::span<std::uint32_t>;

// Orders documents by preference (bisection_rules.h), equal ones by number.
std::uint64_t sort_key(std::int64_t preference, bool is_right, std::uint32_t document) {
  return std::uint64_t{preference_key(preference, is_right)} << 32 | document;
}
std::uint32_t document_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
bool was_right(std::uint64_t key) { return key >> 32 & 1; }

// The memory of one thread. Documents are numbered by their places in the range.
struct Workspace {
  explicit Workspace(std::uint32_t terms) : index(terms) {}
  RangeIndex index;
  std::vector<std::int32_t> saved_to_right, saved_to_left;  // what moving one document of a term over saves
  std::vector<std::uint64_t> keys;                          // sort_key() of each document
  std::vector<std::uint8_t> is_right;                       // for each document: the half that it is in
};

// The sum of the savings of a document's terms. Four partial sums, since each addition waits for the one before.
std::int64_t gain_of(std::span<const std::uint32_t> terms, const std::vector<std::int32_t>& saved) {
  std::int64_t sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= terms.size(); i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += saved[terms[i + lane]];
  for (; i < terms.size(); ++i) sums[0] += saved[terms[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// As in_parallel() of work without a result. Throws what a thread threw, when all have ended.
template <class Work>
void together(std::size_t parts, std::size_t threads, const Work& work) {
  const auto done = in_parallel(parts, threads, [&](std::size_t part) -> Result<void> {
    work(part);
    return {};
  });
  if (!done) throw std::runtime_error(done.error().message());
}

class Bisection {
 public:
  Bisection(const ForwardIndex& index, std::stop_token stop) : index_(index), stop_(stop), steps_(kTabulated) {
    for (std::uint32_t d = 1; d < kTabulated; ++d) steps_[d] = step_of(d);
  }

  // Orders the range with so many threads.
  void order(Documents range, std::uint32_t threads, std::optional<Workspace>& work) const {
    if (range.size() <= kSmallestRange || stop_.stop_requested()) return;
    if (range.size() < kSharedRange) threads = 1;
    if (!work) work.emplace(index_.terms);
    const std::size_t middle = range.size() / 2;
    const Documents left = range.first(middle), right = range.subspan(middle);
    cut(range, middle, threads, *work);
    if (threads < 2) {
      order(left, 1, work);
      order(right, 1, work);
      return;
    }
    work.reset();  // threads hold no more than the ranges that they are at
    together(2, 2, [&, this](std::size_t half) {
      std::optional<Workspace> its_own;
      if (half == 0)
        order(left, threads - threads / 2, work);
      else
        order(right, threads / 2, its_own);
    });
  }

 private:
  // Exchanges documents between the halves until no pair gains.
  void cut(Documents range, std::size_t middle, std::uint32_t threads, Workspace& work) const {
    work.index.fill(index_, range, middle);
    work.keys.resize(range.size());
    work.is_right.assign(range.size(), 0);
    std::fill(work.is_right.begin() + static_cast<std::ptrdiff_t>(middle), work.is_right.end(), 1);
    for (std::uint32_t round = 0; round < kMaxRounds && !stop_.stop_requested(); ++round) {
      weigh_terms(middle, range.size() - middle, work);
      weigh_documents(threads, kMarginStep * round, work);
      if (exchange(middle, work) * kMinMovedPart < range.size()) break;
    }
    // Either half stays in the input's order, which is the best guess for the next cut; small ranges keep it.
    const std::vector<std::uint32_t> before(range.begin(), range.end());
    std::size_t left = 0, right = middle;
    for (std::size_t i = 0; i < range.size(); ++i) range[work.is_right[i] ? right++ : left++] = before[i];
  }

  std::int32_t step(std::uint32_t d) const { return d < kTabulated ? steps_[d] : step_of(d); }

  void weigh_terms(std::size_t left, std::size_t right, Workspace& work) const {
    const std::int32_t difference =
        size_difference(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right));
    const std::vector<TermSides>& sides = work.index.sides();
    work.saved_to_right.resize(sides.size());
    work.saved_to_left.resize(sides.size());
    for (std::size_t term = 0; term < sides.size(); ++term) {
      const auto [in_left, in_right] = sides[term];
      // A step of 0 is 0, and nobody reads what moving a document that is not there would save.
      work.saved_to_right[term] = difference - step(in_left) + step(in_right + 1);
      work.saved_to_left[term] = step(in_left + 1) - step(in_right) - difference;
    }
  }

  // Computes how much each document prefers the right half. The half that it is in has an advantage of `margin`.
  static void weigh_documents(std::uint32_t threads, std::int64_t margin, Workspace& work) {
    const std::size_t count = work.keys.size();
    together(threads, threads, [&](std::size_t part) {
      for (std::size_t i = count * part / threads; i < count * (part + 1) / threads; ++i) {
        const auto document = static_cast<std::uint32_t>(i);
        const bool is_right = work.is_right[i];
        const std::int64_t gain = gain_of(work.index.of(document), is_right ? work.saved_to_left : work.saved_to_right);
        work.keys[i] = sort_key(is_right ? margin - gain : gain - margin, is_right, document);
      }
    });
  }

  // Moves the documents that prefer the left half most there, and the others to the right. These are the exchanges of
  // the pairs that gain more than both margins in sum, found without sorting. Gives the number of documents that moved.
  static std::size_t exchange(std::size_t middle, Workspace& work) {
    std::vector<TermSides>& sides = work.index.sides();
    std::nth_element(work.keys.begin(), work.keys.begin() + static_cast<std::ptrdiff_t>(middle), work.keys.end());
    std::size_t moved = 0;
    for (std::size_t i = 0; i < work.keys.size(); ++i) {
      const bool to_right = i >= middle;
      if (was_right(work.keys[i]) == to_right) continue;
      const std::uint32_t document = document_of(work.keys[i]);
      if (to_right) {
        for (const std::uint32_t term : work.index.of(document)) --sides[term].left, ++sides[term].right;
      } else {
        for (const std::uint32_t term : work.index.of(document)) ++sides[term].left, --sides[term].right;
      }
      work.is_right[document] = to_right;
      ++moved;
    }
    return moved;
  }

  const ForwardIndex& index_;
  std::stop_token stop_;
  std::vector<std::int32_t> steps_;  // of the first numbers
};

}  // namespace

std::uint64_t bisection_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms,
                              std::uint32_t threads) {
  // The ranges at hand, which are disjoint: terms, begins in a buffer that doubles, halves, keys, places before. The
  // order. Each thread's entries for each term.
  return postings * 4 + std::uint64_t{documents} * (24 + 1 + 8 + 4 + 4) +
         std::uint64_t{terms} * (16 + 2 * sizeof(TermSides)) * std::max(threads, 1u) +
         kTabulated * sizeof(std::int32_t);
}

std::vector<std::uint32_t> bisect(const ForwardIndex& index, std::uint32_t threads, std::stop_token stop) {
  std::vector<std::uint32_t> order(index.documents());
  std::iota(order.begin(), order.end(), 0u);
  std::optional<Workspace> work;
  Bisection(index, stop).order(order, std::max(threads, 1u), work);
  return order;
}

}  // namespace frond::indexer::order
