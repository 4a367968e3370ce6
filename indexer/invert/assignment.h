#pragma once
// Which inverter gets which trie collection. Decided once, from the first batch (Wei and JaJa 2011, III.E, take a
// sample before the build; one batch is such a sample): collections by descending size, each to the inverter with the
// fewest bytes so far. Collections that are not in the sample are dealt round-robin. Changes only speed, no byte of the
// index.
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert {

// Immutable once made; any thread.
class Assignment {
 public:
  Assignment(std::span<const parse::TokenGroup> sample, std::uint32_t inverters);
  std::uint32_t inverters() const { return inverters_; }
  std::uint32_t inverter_of(dictionary::TrieCollection collection) const { return owner_[collection]; }
  // Sets shares[i] to the groups of inverter i; reuses the memory of `shares`.
  void split(std::span<const parse::TokenGroup> groups, std::vector<std::vector<parse::TokenGroup>>& shares) const;

 private:
  std::uint32_t inverters_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace frond::indexer::invert
