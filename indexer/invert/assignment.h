#pragma once
// Which inverter looks after which trie collection. Decided once, from the first batch, and kept (Wei and JaJa 2011,
// III.E, sample the collection before; one batch is such a sample): collections by falling size, each to the inverter
// with the least so far. What the sample lacks is dealt round-robin. It changes speed only, never a byte of the index.
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
  // The groups by inverter: shares[i] is inverter i's. `shares` is reused.
  void split(std::span<const parse::TokenGroup> groups, std::vector<std::vector<parse::TokenGroup>>& shares) const;

 private:
  std::uint32_t inverters_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace frond::indexer::invert
