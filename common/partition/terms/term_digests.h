#pragma once
// A document's term digest: 64 bits that say which terms it has in the lists, and how often. It is the sum, modulo
// 2^64, of frequency × hash_of_term(term) over the document's postings. So it is the sum of the hashes of the
// document's tokens, in any order. Who analyses a document's text again compares the two: if they are equal, the
// document has exactly these postings, without a look at any list. Texts that differ agree by chance once in 2^64.
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"

namespace frond::partition {

// XXH3-64.
std::uint64_t hash_of_term(std::string_view term);

// Those of one partition's documents, added up list by list. One thread. Memory: 8 bytes a document.
class TermDigests {
 public:
  explicit TermDigests(std::size_t documents) : digests_(documents) {}
  std::size_t documents() const { return digests_.size(); }
  // Postings of a term, all or some.
  // REQUIRES: docIDs are below documents(), and as many as frequencies.
  void add(std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies);
  // By docID. Called once, last.
  std::vector<std::uint64_t> take() { return std::move(digests_); }

 private:
  std::vector<std::uint64_t> digests_;
};

}  // namespace frond::partition
