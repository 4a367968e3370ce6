#include "indexer/order/graph_bisection.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "common/scoring/bm25.h"

namespace frond::indexer {
namespace {

constexpr std::size_t kSmallestRange = 16;    // documents; smaller ones stay in the input's order
constexpr int kMostRounds = 20;               // of exchanges at one cut, as both papers have it
constexpr std::size_t kLeastExchanged = 500;  // a round that moves less than one in so many documents is the last
constexpr std::size_t kSharedRange = 4096;    // documents; threads do not pay off for fewer
constexpr std::uint32_t kTabulated = 1u << 16;

using Documents = std::span<std::uint32_t>;

struct Gain {
  double gain = 0;
  std::uint32_t document = 0;
};
bool greater(const Gain& a, const Gain& b) { return a.gain != b.gain ? a.gain > b.gain : a.document < b.document; }

// Documents of a term on either side of the cut, and what moving one of them over saves.
struct TermSides {
  std::uint32_t left = 0, right = 0;
  float saved_to_right = 0, saved_to_left = 0;
};

// What one thread needs: an entry a term, of which those of the range at hand are in use.
struct Workspace {
  explicit Workspace(std::uint32_t terms) : sides(terms) {}
  std::vector<TermSides> sides;
  std::vector<std::uint32_t> used;
  std::vector<Gain> gains;
};

class Bisection {
 public:
  Bisection(const ForwardIndex& index, std::stop_token stop) : index_(index), stop_(stop), logs_(kTabulated) {
    for (std::uint32_t i = 1; i < kTabulated; ++i) logs_[i] = scoring::natural_log(i);
  }

  // Orders the range, with so many threads. The workspace is clean before and after.
  void order(Documents range, std::uint32_t threads, Workspace& work) const {
    if (range.size() <= kSmallestRange || stop_.stop_requested()) return;
    if (range.size() < kSharedRange) threads = 1;
    const std::size_t middle = range.size() / 2;
    const Documents left = range.first(middle), right = range.subspan(middle);
    count(left, right, work);
    for (int round = 0; round < kMostRounds && !stop_.stop_requested(); ++round) {
      weigh_terms(left.size(), right.size(), threads, work);
      weigh_documents(range, middle, threads, work);
      if (exchange(middle, work) * kLeastExchanged < range.size()) break;
      for (std::size_t i = 0; i < range.size(); ++i) range[i] = work.gains[i].document;
    }
    for (const std::uint32_t term : work.used) work.sides[term] = {};
    work.used.clear();
    // The input's order is the best guess of where to cut next, and what small ranges keep.
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    if (threads < 2) {
      order(left, 1, work);
      order(right, 1, work);
      return;
    }
    const std::jthread other([&, this] {
      Workspace its_own(index_.terms);
      order(right, threads / 2, its_own);
    });
    order(left, threads - threads / 2, work);
  }

 private:
  double log(std::uint64_t value) const {
    return value < kTabulated ? logs_[value] : scoring::natural_log(static_cast<double>(value));
  }
  // What the gaps of a term take where d of a side's n documents have it, in nats.
  double cost(std::uint64_t d, double log_n) const { return static_cast<double>(d) * (log_n - log(d + 1)); }

  void count(Documents left, Documents right, Workspace& work) const {
    const auto add = [&](Documents side, std::uint32_t TermSides::*number) {
      for (const std::uint32_t document : side)
        for (const std::uint32_t term : index_.of(document)) {
          TermSides& sides = work.sides[term];
          if (sides.left + sides.right == 0) work.used.push_back(term);
          ++(sides.*number);
        }
    };
    add(left, &TermSides::left);
    add(right, &TermSides::right);
  }

  void weigh_terms(std::size_t left, std::size_t right, std::uint32_t threads, Workspace& work) const {
    const double log_left = log(left), log_right = log(right);
    in_parallel(work.used.size(), threads, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        TermSides& t = work.sides[work.used[i]];
        const double now = cost(t.left, log_left) + cost(t.right, log_right);
        if (t.left)
          t.saved_to_right = static_cast<float>(now - cost(t.left - 1, log_left) - cost(t.right + 1, log_right));
        if (t.right)
          t.saved_to_left = static_cast<float>(now - cost(t.left + 1, log_left) - cost(t.right - 1, log_right));
      }
    });
  }

  // gains: those of the left half, then those of the right, each sorted.
  void weigh_documents(Documents range, std::size_t middle, std::uint32_t threads, Workspace& work) const {
    work.gains.resize(range.size());
    in_parallel(range.size(), threads, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const auto saved = i < middle ? &TermSides::saved_to_right : &TermSides::saved_to_left;
        double gain = 0;
        for (const std::uint32_t term : index_.of(range[i])) gain += work.sides[term].*saved;
        work.gains[i] = {gain, range[i]};
      }
    });
    const auto half = work.gains.begin() + static_cast<std::ptrdiff_t>(middle);
    in_parallel(2, std::min(threads, 2u), [&](std::size_t from, std::size_t to) {
      for (std::size_t side = from; side < to; ++side)
        side == 0 ? std::sort(work.gains.begin(), half, greater) : std::sort(half, work.gains.end(), greater);
    });
  }

  // Exchanges documents in pairs; how many moved.
  std::size_t exchange(std::size_t middle, Workspace& work) const {
    std::size_t pairs = 0;
    for (; pairs < middle; ++pairs) {
      Gain &left = work.gains[pairs], &right = work.gains[middle + pairs];
      if (left.gain + right.gain <= 0) break;
      for (const std::uint32_t term : index_.of(left.document)) --work.sides[term].left, ++work.sides[term].right;
      for (const std::uint32_t term : index_.of(right.document)) ++work.sides[term].left, --work.sides[term].right;
      std::swap(left, right);
    }
    return 2 * pairs;
  }

  // work(from, to) for parts of 0 .. count, each on a thread of its own. What they compute must not depend on the cut.
  template <class Work>
  static void in_parallel(std::size_t count, std::uint32_t threads, Work&& work) {
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < threads; ++i)
      others.emplace_back([&work, count, threads, i] { work(count * i / threads, count * (i + 1) / threads); });
    work(0, count / std::max(threads, 1u));
  }

  const ForwardIndex& index_;
  std::stop_token stop_;
  std::vector<double> logs_;
};

}  // namespace

std::uint64_t bisection_bytes(std::uint32_t documents, std::uint32_t terms, std::uint32_t threads) {
  // The order; gains, in each of the threads' own shares; a workspace a thread.
  return std::uint64_t{documents} * (4 + 2 * sizeof(Gain)) +
         std::uint64_t{terms} * (sizeof(TermSides) + 2 * sizeof(std::uint32_t)) * std::max(threads, 1u) +
         kTabulated * 8;
}

std::vector<std::uint32_t> bisect(const ForwardIndex& index, std::uint32_t threads, std::stop_token stop) {
  std::vector<std::uint32_t> order(index.documents());
  std::iota(order.begin(), order.end(), 0u);
  Workspace work(index.terms);
  Bisection(index, stop).order(order, std::max(threads, 1u), work);
  return order;
}

}  // namespace frond::indexer
