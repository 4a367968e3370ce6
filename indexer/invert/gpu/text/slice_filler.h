#pragma once
// Cuts the postings of a run, which come in pieces of any size, into slices of whole terms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/check.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

// The postings of a run, terms one after the other.
struct TermOrder {
  std::span<const std::uint32_t> terms;   // numbers of terms, in byte order of the terms
  std::span<const std::uint32_t> totals;  // by number: postings
};

// One thread. Borrows the order.
class SliceFiller {
 public:
  // A slice ends with the term that reaches so many postings.
  SliceFiller(const TermOrder& order, std::size_t postings) : order_(order), wanted_(postings) {}

  bool at_end() const { return next_ == order_.terms.size(); }
  // Makes `slice` the next one, without postings.
  void begin(runs::PostingSlice& slice) {
    slice.first = slice.end = next_;
    expected_ = 0;
    for (; slice.end < order_.terms.size() && expected_ < wanted_; ++slice.end)
      expected_ += order_.totals[order_.terms[slice.end]];
    next_ = slice.end;
    slice.numbers.clear();
    slice.frequencies.clear();
    slice.numbers.reserve(expected_);
    slice.frequencies.reserve(expected_);
  }
  // Moves postings into the slice that was begun, as far as they are its own. True: it has all.
  bool fill(runs::PostingSlice& slice, std::span<const std::uint32_t>& numbers,
            std::span<const Frequency>& frequencies) const {
    const std::size_t some = std::min(numbers.size(), expected_ - slice.numbers.size());
    FROND_CHECK(some > 0);
    const auto end = static_cast<std::ptrdiff_t>(some);
    slice.numbers.insert(slice.numbers.end(), numbers.begin(), numbers.begin() + end);
    slice.frequencies.insert(slice.frequencies.end(), frequencies.begin(), frequencies.begin() + end);
    numbers = numbers.subspan(some);
    frequencies = frequencies.subspan(some);
    return slice.numbers.size() == expected_;
  }

 private:
  const TermOrder order_;
  const std::size_t wanted_;
  std::size_t next_ = 0;      // of the order: the first term behind the slice
  std::size_t expected_ = 0;  // postings of the slice
};

}  // namespace frond::indexer::invert::gpu
