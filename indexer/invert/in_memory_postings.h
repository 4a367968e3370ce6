#pragma once
// What an inverter has in memory at the end of a build that wrote no run: its terms, each with the chain of its
// postings. Read collection by collection, by several threads (TermRanges), which others then decode; or written as
// runs after all.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/trie.h"
#include "indexer/invert/posting_chain.h"

namespace frond::indexer::invert {

class InMemoryPostings;
class PartitionRuns;

// Terms that follow each other, of one inverter or of several. Any thread reads them.
struct TermPostings {
  struct Term {
    const PostingChain* chain;
    const InMemoryPostings* of;
    std::uint32_t end;  // in `text`
    std::uint32_t postings;
  };
  std::string text;
  std::vector<Term> terms;
  std::string_view term(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : terms[i - 1].end;
    return std::string_view(text).substr(begin, terms[i].end - begin);
  }
};

// The terms of one collection, in order. Any thread.
class CollectionTerms {
 public:
  virtual ~CollectionTerms() = default;
  virtual std::size_t size() const = 0;
  virtual std::string term(std::size_t place) const = 0;
  // Appends the terms [begin, end).
  virtual void append(std::size_t begin, std::size_t end, TermPostings& to) const = 0;
};

// In one of two ways: order() of each collection, or write_runs().
class InMemoryPostings {
 public:
  virtual ~InMemoryPostings() = default;
  // Any thread:
  virtual std::size_t terms_of(dictionary::TrieCollection collection) const = 0;
  // Puts the terms of a collection in order, which no other thread does, once. What it gives lives as long as this.
  virtual std::unique_ptr<CollectionTerms> order(dictionary::TrieCollection collection) = 0;
  virtual const dictionary::Arena& arena() const = 0;
  // The number of the document that the numbers in chains count from.
  virtual std::uint64_t first_document() const = 0;

  // Adds all, as the inverter would have done; the caller finishes `runs`. One thread. kUnavailable: the disk.
  virtual Result<void> write_runs(PartitionRuns& runs) = 0;
};

// The terms of several inverters, cut into ranges that follow each other in byte order. Threads put ranges in order, as
// many at a time as there are: an inverter alone would order its terms one collection after the other, and all others
// would wait for each in turn, since terms that follow each other are mostly of one collection.
//
// A range has whole triple collections (dictionary/trie.h), and what lies between their terms of the others, which are
// put in order before.
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
