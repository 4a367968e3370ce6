#pragma once
// Which inverter gets which trie collection. Decided once, from the first batch (Wei and JaJa 2011, III.E, take a
// sample before the build; one batch is such a sample): collections by descending size, each to the inverter with the
// fewest bytes so far. Collections that are not in the sample are assigned round-robin. Changes only speed, no byte of
// the index.
//
// Where there are inverters on GPUs, those of the CPU get the popular collections, as many as the paper has (about a
// hundred), and GPU g of n those whose number modulo n is g.
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert {

// Immutable once made; any thread.
class Assignment {
 public:
  static constexpr std::size_t kPopular = 100;
  // Inverters are numbered from 0, those of the CPU first. REQUIRES: cpu_inverters > 0.
  Assignment(std::span<const parse::TokenGroup> sample, std::uint32_t cpu_inverters, std::uint32_t gpu_inverters = 0);
  std::uint32_t inverters() const { return inverters_; }
  std::uint32_t inverter_of(dictionary::TrieCollection collection) const { return owner_[collection]; }
  // Sets shares[i] to the groups of inverter i; reuses the memory of `shares`.
  void split(std::span<const parse::TokenGroup> groups, std::vector<std::vector<parse::TokenGroup>>& shares) const;

 private:
  std::uint32_t inverters_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace frond::indexer::invert
