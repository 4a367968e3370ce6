#include "indexer/order/graph_bisection.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "common/scoring/bm25.h"
#include "indexer/order/range_index.h"

namespace frond::indexer::order {
namespace {

constexpr std::size_t kSmallestRange = 16;  // documents; smaller ones stay in the input's order
constexpr int kMaxRounds = 20;              // of exchanges at one cut, as both papers have it
constexpr std::size_t kMinMovedPart = 500;  // a round that moves less than one in so many documents is the last
constexpr std::size_t kSharedRange = 4096;  // documents; threads do not pay off for fewer
constexpr std::uint32_t kTabulated = 1u << 16;

using Documents = std::span<std::uint32_t>;

// Orders by descending gain, then by document. Gains are finite.
std::uint64_t sort_key(float gain, std::uint32_t document) {
  const auto bits = std::bit_cast<std::uint32_t>(gain + 0.0f);  // one zero
  const std::uint32_t ascending = bits >> 31 ? ~bits : bits | 0x80000000u;
  return std::uint64_t{~ascending} << 32 | document;
}
std::uint32_t document_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

// The memory of one thread. Documents are numbered by their places in the range.
struct Workspace {
  explicit Workspace(std::uint32_t terms) : index(terms) {}
  RangeIndex index;
  std::vector<float> saved_to_right, saved_to_left;  // what moving one document of a term over saves
  std::vector<float> gains;                          // of moving a document to the other half
  std::vector<std::uint64_t> keys;                   // sort_key(), the left half's, then the right's
};

// Calls work(from, to) for parts of 0 .. count, each on a thread of its own. The results must not depend on the parts.
template <class Work>
void in_parallel(std::size_t count, std::uint32_t threads, Work&& work) {
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < threads; ++i)
    others.emplace_back([&work, count, threads, i] { work(count * i / threads, count * (i + 1) / threads); });
  work(0, count / std::max(threads, 1u));
}

// The sum of the savings of a document's terms. Four partial sums, since each addition waits for the one before.
float gain_of(std::span<const std::uint32_t> terms, const std::vector<float>& saved) {
  float sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= terms.size(); i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += saved[terms[i + lane]];
  for (; i < terms.size(); ++i) sums[0] += saved[terms[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Bisection {
 public:
  Bisection(const ForwardIndex& index, std::stop_token stop) : index_(index), stop_(stop), steps_(kTabulated) {
    for (std::uint32_t d = 1; d < kTabulated; ++d) steps_[d] = computed_step(d);
  }

  // Orders the range with so many threads.
  void order(Documents range, std::uint32_t threads, std::optional<Workspace>& work) const {
    if (range.size() <= kSmallestRange || stop_.stop_requested()) return;
    if (range.size() < kSharedRange) threads = 1;
    if (!work) work.emplace(index_.terms);
    const std::size_t middle = range.size() / 2;
    const Documents left = range.first(middle), right = range.subspan(middle);
    cut(range, middle, threads, *work);
    // The input's order is the best guess for the next cut, and small ranges keep it.
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    if (threads < 2) {
      order(left, 1, work);
      order(right, 1, work);
      return;
    }
    work.reset();  // threads hold no more than the ranges that they are at
    const std::jthread other([&, this] {
      std::optional<Workspace> its_own;
      order(right, threads / 2, its_own);
    });
    order(left, threads - threads / 2, work);
  }

 private:
  // Exchanges documents between the halves until no pair gains.
  void cut(Documents range, std::size_t middle, std::uint32_t threads, Workspace& work) const {
    work.index.fill(index_, range, middle);
    work.gains.resize(range.size());
    work.keys.resize(range.size());
    for (std::uint32_t i = 0; i < range.size(); ++i) work.keys[i] = i;
    for (int round = 0; round < kMaxRounds && !stop_.stop_requested(); ++round) {
      weigh_terms(middle, range.size() - middle, work);
      weigh_documents(middle, threads, work);
      if (exchange(middle, work) * kMinMovedPart < range.size()) break;
    }
    const std::vector<std::uint32_t> before(range.begin(), range.end());
    for (std::size_t i = 0; i < range.size(); ++i) range[i] = before[document_of(work.keys[i])];
  }

  // A term that d of a side's n documents have costs d log(n / (d + 1)), in nats. So the d-th document costs log(n)
  // minus this.
  static double computed_step(std::uint32_t d) {
    return d * scoring::natural_log(d + 1.0) - (d - 1) * scoring::natural_log(d);
  }
  double step(std::uint32_t d) const { return d < kTabulated ? steps_[d] : computed_step(d); }

  void weigh_terms(std::size_t left, std::size_t right, Workspace& work) const {
    const double difference =
        scoring::natural_log(static_cast<double>(left)) - scoring::natural_log(static_cast<double>(right));
    const std::vector<TermSides>& sides = work.index.sides();
    work.saved_to_right.resize(sides.size());
    work.saved_to_left.resize(sides.size());
    for (std::size_t term = 0; term < sides.size(); ++term) {
      const auto [in_left, in_right] = sides[term];
      if (in_left) work.saved_to_right[term] = static_cast<float>(difference - step(in_left) + step(in_right + 1));
      if (in_right) work.saved_to_left[term] = static_cast<float>(step(in_left + 1) - step(in_right) - difference);
    }
  }

  // Computes the gains, and sorts the keys of either half by them.
  static void weigh_documents(std::size_t middle, std::uint32_t threads, Workspace& work) {
    in_parallel(work.keys.size(), threads, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const std::uint32_t document = document_of(work.keys[i]);
        const float gain = gain_of(work.index.of(document), i < middle ? work.saved_to_right : work.saved_to_left);
        work.gains[document] = gain;
        work.keys[i] = sort_key(gain, document);
      }
    });
    const auto half = work.keys.begin() + static_cast<std::ptrdiff_t>(middle);
    in_parallel(2, std::min(threads, 2u), [&](std::size_t from, std::size_t to) {
      for (std::size_t side = from; side < to; ++side)
        side == 0 ? std::sort(work.keys.begin(), half) : std::sort(half, work.keys.end());
    });
  }

  // Exchanges documents in pairs. Gives the number of documents that moved.
  static std::size_t exchange(std::size_t middle, Workspace& work) {
    std::vector<TermSides>& sides = work.index.sides();
    std::size_t pairs = 0;
    for (; pairs < middle; ++pairs) {
      std::uint64_t &left = work.keys[pairs], &right = work.keys[middle + pairs];
      if (work.gains[document_of(left)] + work.gains[document_of(right)] <= 0) break;
      for (const std::uint32_t term : work.index.of(document_of(left))) --sides[term].left, ++sides[term].right;
      for (const std::uint32_t term : work.index.of(document_of(right))) ++sides[term].left, --sides[term].right;
      std::swap(left, right);
    }
    return 2 * pairs;
  }

  const ForwardIndex& index_;
  std::stop_token stop_;
  std::vector<double> steps_;
};

}  // namespace

std::uint64_t bisection_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms,
                              std::uint32_t threads) {
  // The ranges at hand, which are disjoint: terms, begins in a buffer that doubles, gains, keys, places before. The
  // order. Each thread's entries for each term.
  return postings * 4 + std::uint64_t{documents} * (24 + 4 + 8 + 4 + 4) +
         std::uint64_t{terms} * (16 + 2 * sizeof(TermSides)) * std::max(threads, 1u) + kTabulated * 8;
}

std::vector<std::uint32_t> bisect(const ForwardIndex& index, std::uint32_t threads, std::stop_token stop) {
  std::vector<std::uint32_t> order(index.documents());
  std::iota(order.begin(), order.end(), 0u);
  std::optional<Workspace> work;
  Bisection(index, stop).order(order, std::max(threads, 1u), work);
  return order;
}

}  // namespace frond::indexer::order
