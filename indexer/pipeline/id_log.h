#pragma once
// The ids that a build has seen, in a scratch file beside its runs: a killed build's ids, for the build that goes on
// with it. Format: docs/formats/run-file.md, "The ids".
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/file_checksum.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/pipeline/id_set.h"
#include "indexer/runs/scratch_file.h"

namespace frond::indexer::pipeline {

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
