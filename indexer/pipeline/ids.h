#pragma once
// The external ids that a build has seen: in memory, and on disk for the build that goes on with a killed one.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/file_checksum.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/runs/scratch_file.h"

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

// The ids that a build has seen, in a scratch file beside its runs: a killed build's ids, for the build that goes on
// with it. Format: docs/formats/run-file.md, "The ids".
// One thread. Errors: kUnavailable, the disk; messages name the file.
class IdLog {
 public:
  static Result<IdLog> create(const std::filesystem::path& path);
  // Reads the first `count` ids of a log into the empty `ids`, cuts off what follows them, and goes on behind them.
  // kCorrupt: there are fewer, two are equal, or their checksum is not `xxh3`.
  static Result<IdLog> append_to(const std::filesystem::path& path, std::uint64_t count, const std::string& xxh3,
                                 IdSet& ids);
  Result<void> add(std::span<const parse::IdHash> ids);
  Result<void> flush() { return file_.flush(); }
  std::string xxh3() const { return digest_->hex(); }  // of all ids so far

 private:
  explicit IdLog(runs::ScratchWriter file) : file_(std::move(file)), digest_(std::make_unique<partition::Xxh3>()) {}
  runs::ScratchWriter file_;
  std::unique_ptr<partition::Xxh3> digest_;
  ByteBuffer bytes_;  // of the ids that are being added
};

}  // namespace frond::indexer::pipeline
