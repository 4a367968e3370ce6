#pragma once
// Random collections, as term-frequency vectors, and random queries on them. A seed and options always give the same
// ones, with any standard library. The awkward cases are always there: a term in every document, terms with exactly 1,
// 127, 128, 129, 256 and 257 postings, a term of frequency 1 everywhere (ties at every rank), and terms of which a
// query may ask but no document has.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"

namespace frond::support {

using TermNumber = std::uint32_t;

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

struct Posting {
  DocId document = 0;  // in the collection
  Frequency frequency = 0;
};

struct Collection {
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> lengths;          // lengths[document], in tokens
  std::vector<std::vector<Posting>> postings;  // postings[term], in ascending document
  std::vector<TermNumber> awkward;             // the terms told of above
  std::uint64_t tokens() const;
};

struct CollectionOptions {
  std::uint32_t documents = 1000;
  std::uint32_t terms = 300;        // with Zipf-like document frequencies
  double most_frequent = 0.6;       // share of the documents that the most frequent of them is in
  bool equal_lengths = false;       // every document of the same length
  std::uint32_t max_length = 2000;  // tokens
};

Collection random_collection(std::uint64_t seed, const CollectionOptions& options);

// 1 to `most` terms; frequent ones are asked for more often, a term may come twice, and now and then one is unknown
// (>= postings.size()) or awkward.
std::vector<TermNumber> random_query(Random& random, const Collection& collection, std::uint32_t most);

}  // namespace frond::support
