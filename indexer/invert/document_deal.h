#pragma once
// Numbers of documents are dealt to partitions in turn: document n is docID n / P of partition n mod P.
#include <cstdint>

#include "common/base/ids.h"

namespace frond::indexer::invert {

class DocumentDeal {
 public:
  explicit DocumentDeal(std::uint32_t partitions)
      : partitions_(partitions), reciprocal_(~std::uint64_t{0} / partitions + 1) {}
  struct Place {
    std::uint32_t partition = 0;
    DocId docid = 0;
  };
  Place place_of(std::uint64_t document) const {
    const std::uint64_t docid = quotient(document);
    return {static_cast<std::uint32_t>(document - docid * partitions_), static_cast<DocId>(docid)};
  }

 private:
  // A division, which each posting needs, takes long where a multiplication is exact.
  std::uint64_t quotient(std::uint64_t document) const {
    if (partitions_ == 1) return document;
    if (document >> 32 != 0) return document / partitions_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(reciprocal_) * document >> 64);
  }
  std::uint64_t partitions_;
  std::uint64_t reciprocal_;  // 2^64 by the number of partitions, rounded up
};

}  // namespace frond::indexer::invert
