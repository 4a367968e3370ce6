#pragma once
// The terms of a run in byte order, one behind the other: who reads them in that order reads memory in order. By number
// (TermNumbers) each is elsewhere, and a look at it waits for memory twice.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/invert/gpu/text/crew.h"
#include "indexer/invert/gpu/text/term_numbers.h"

namespace frond::indexer::invert::gpu {

class OrderedTerms {
 public:
  // Copies the terms of `numbers` in the order of `in_order`, by the crew.
  OrderedTerms(const TermNumbers& numbers, std::span<const std::uint32_t> in_order, Crew& crew);
  std::size_t size() const { return hashes_.size(); }
  std::string_view term(std::size_t place) const {
    return std::string_view(text_.data() + ends_[place], ends_[place + 1] - ends_[place]);
  }
  // partition::hash_of_term().
  std::uint64_t hash(std::size_t place) const { return hashes_[place]; }
  std::uint64_t memory_bytes() const {
    return text_.capacity() + (ends_.size() + hashes_.size()) * sizeof(std::uint64_t);
  }

 private:
  std::vector<char> text_;
  std::vector<std::uint64_t> ends_;  // in the text; the first is 0
  std::vector<std::uint64_t> hashes_;
};

}  // namespace frond::indexer::invert::gpu
