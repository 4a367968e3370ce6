#pragma once
// The external ids seen so far, as 128-bit hashes. There are 32 open-addressing tables, so that only a 32nd of the
// memory exists twice while a table grows. Where there are many, tables grow by a quarter each time, since memory
// matters more than copying, and each at another time: all of them at once would stop the pipeline. Few are doubled.
#include <array>
#include <cstdint>
#include <vector>

#include "indexer/parse/parsed_batch.h"

namespace frond::indexer::pipeline {

// One thread. 20 to 25 bytes an id; below double_below() up to 40.
class IdSet {
 public:
  // Tables are doubled as long as all have fewer bytes than that; at first none are.
  void double_below(std::uint64_t bytes) { doubled_bytes_ = bytes; }
  // False: the id is in the set already.
  bool insert(parse::IdHash id);
  // Fetches into the caches what insert() of the same id will read.
  void fetch(parse::IdHash id) const;
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return slots_ * sizeof(parse::IdHash); }

 private:
  struct Table {
    std::vector<parse::IdHash> slots;  // {0, 0} is free
    std::size_t used = 0;
  };
  static parse::IdHash filled(parse::IdHash id);
  static std::size_t place_of(parse::IdHash id, std::size_t slots);
  static std::size_t table_of(parse::IdHash id) { return id.high >> 59; }
  static bool insert_into(std::vector<parse::IdHash>& slots, parse::IdHash id);
  std::array<Table, 32> tables_;
  std::uint64_t size_ = 0, slots_ = 0, doubled_bytes_ = 0;
};

}  // namespace frond::indexer::pipeline
