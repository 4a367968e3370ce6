#pragma once
// The terms of several inverters, cut into ranges that follow each other in byte order. Threads put ranges in order, as
// many at a time as there are: an inverter alone would order its terms one collection after the other, and all others
// would wait for each in turn, since terms that follow each other are mostly of one collection.
//
// A range has whole triple collections (dictionary/trie.h), and what lies between their terms of the others, which are
// put in order before.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/invert/in_memory_postings.h"

namespace frond::indexer::invert {

// Three steps, one after the other.
class TermRanges {
 public:
  // A range has about so many terms, or one collection.
  static constexpr std::size_t kTerms = 8192;

  // No two of `postings` have the same term. Borrows them.
  explicit TermRanges(const std::vector<std::unique_ptr<InMemoryPostings>>& postings);

  // The first step, for each collection below kFirstTriple. Several threads, each with other collections.
  void order(dictionary::TrieCollection collection);
  // The second one. One thread.
  void cut();
  std::size_t count() const { return begins_.size(); }
  // The third one, once for each range below count(). Several threads, each with other ranges.
  TermPostings terms(std::size_t range) const;

 private:
  using Ordered = std::vector<std::unique_ptr<CollectionTerms>>;  // of a collection, of all that have terms of it
  Ordered ordered(dictionary::TrieCollection collection) const;

  std::vector<InMemoryPostings*> postings_;
  std::vector<Ordered> others_;      // by collection, below kFirstTriple
  std::vector<std::string> begins_;  // of ranges
};

}  // namespace frond::indexer::invert
