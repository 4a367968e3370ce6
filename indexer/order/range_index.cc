#include "indexer/order/range_index.h"

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

}  // namespace frond::indexer::order
