#pragma once
// The terms of a run in byte order. They are read shard by shard, one behind the other, and sorted by bytes that stay
// beside their numbers: who looks terms up by number waits for memory twice for each.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/invert/gpu/text/terms/crew.h"
#include "indexer/invert/gpu/text/terms/term_numbers.h"

namespace frond::indexer::invert::gpu {

struct SortedTerm {
  static constexpr std::size_t kBytes = 16;
  // The term's first bytes as numbers whose order is that of the bytes; zeros behind its end. Terms have no zeros.
  std::uint64_t first, second;
  std::uint32_t number, size;
  // The first kBytes of the term.
  void put(char* to) const {
    const std::uint64_t bytes[] = {__builtin_bswap64(first), __builtin_bswap64(second)};
    std::memcpy(to, bytes, sizeof bytes);
  }
};

// Calls visit(range, first, terms) once for each range of terms that follow each other, from threads of the crew, in
// any order; `first`: the place of its first term among all. Only terms with totals, which are by number. Returns how
// many there are. No thread adds terms.
using VisitSorted = std::function<void(std::size_t range, std::size_t first, std::span<const SortedTerm> terms)>;
std::size_t sort_terms(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew,
                       const VisitSorted& visit);
// There are fewer ranges.
std::size_t most_sorted_ranges(const Crew& crew);

// Their numbers, in byte order.
std::vector<std::uint32_t> in_order(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew);

// The terms of a run in byte order, one behind the other: who reads them in that order reads memory in order. By number
// (TermNumbers) each is elsewhere.

class OrderedTerms {
 public:
  // Sorts and copies the terms of `numbers` that have totals, which are by number, by the crew.
  OrderedTerms(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew);
  std::size_t size() const { return size_; }
  std::string_view term(std::size_t place) const {
    return std::string_view(text_.get() + ends_[place], ends_[place + 1] - ends_[place]);
  }
  std::span<const std::uint32_t> numbers() const { return {numbers_.get(), size_}; }
  // partition::hash_of_term() of each.
  std::span<const std::uint64_t> hashes() const { return {hashes_.get(), size_}; }
  std::uint64_t memory_bytes() const {
    return ends_[size_] + (size_ + 1) * (2 * sizeof(std::uint64_t) + sizeof(std::uint32_t));
  }

 private:
  // Not set to zero first, so that each thread gets the pages of its part from the system.
  std::size_t size_ = 0;
  std::unique_ptr<std::uint32_t[]> numbers_;
  std::unique_ptr<char[]> text_;
  std::unique_ptr<std::uint64_t[]> ends_;  // in the text; the first is 0
  std::unique_ptr<std::uint64_t[]> hashes_;
};

}  // namespace frond::indexer::invert::gpu
