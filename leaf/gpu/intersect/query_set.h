#pragma once
// Queries to intersect. A query is the indexes of its lists.
#include <cstdint>
#include <span>
#include <vector>

namespace frond::leaf::gpu::intersect {

inline constexpr std::size_t kMaxQueryLists = 32;

class QuerySet {
 public:
  // At least one list, none twice.
  void add(std::span<const std::uint32_t> lists) {
    lists_.insert(lists_.end(), lists.begin(), lists.end());
    ends_.push_back(static_cast<std::uint32_t>(lists_.size()));
  }
  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t query) const {
    const std::uint32_t first = query ? ends_[query - 1] : 0;
    return std::span(lists_).subspan(first, ends_[query] - first);
  }

 private:
  std::vector<std::uint32_t> lists_, ends_;
};

}  // namespace frond::leaf::gpu::intersect
