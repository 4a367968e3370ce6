#pragma once
// The terms of a run in byte order, one behind the other: who reads them in that order reads memory in order. By number
// (TermNumbers) each is elsewhere.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "indexer/invert/gpu/text/crew.h"
#include "indexer/invert/gpu/text/term_numbers.h"

namespace frond::indexer::invert::gpu {

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
