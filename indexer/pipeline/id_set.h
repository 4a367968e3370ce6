#pragma once
// The external ids seen so far, as 128-bit hashes. There are 32 open-addressing tables, so that only a 32nd of the
// memory exists twice while a table grows. Tables grow by a quarter each time, since memory matters more than copying,
// and each at another time: all of them at once would stop the pipeline.
#include <array>
#include <cstdint>
#include <vector>

#include "indexer/parse/parsed_batch.h"

namespace frond::indexer::pipeline {

// One thread. 20 to 25 bytes an id.
class IdSet {
 public:
  // False: the id is in the set already.
  bool insert(parse::IdHash id);
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return slots_ * sizeof(parse::IdHash); }

 private:
  struct Table {
    std::vector<parse::IdHash> slots;  // {0, 0} is free
    std::size_t used = 0;
  };
  static bool insert_into(std::vector<parse::IdHash>& slots, parse::IdHash id);
  std::array<Table, 32> tables_;
  std::uint64_t size_ = 0, slots_ = 0;
};

}  // namespace frond::indexer::pipeline
