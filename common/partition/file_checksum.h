#pragma once
// XXH3-128 of files, as manifests store it and `xxhsum -H2` prints it.
#include <filesystem>
#include <memory>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Computes a digest of bytes that come in pieces. One thread.
class Xxh3 {
 public:
  Xxh3();
  ~Xxh3();
  Xxh3(const Xxh3&) = delete;
  Xxh3& operator=(const Xxh3&) = delete;
  void update(ByteView bytes);
  std::string hex() const;  // 32 digits, of everything so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string xxh3_hex(ByteView bytes);

// Name (without folders), size and XXH3-128 of a file. Errors: kNotFound; kUnavailable if it cannot be read.
Result<PartitionFile> describe_file(const std::filesystem::path& file);

// Reads a file of a PartitionSummary, which lies in `folder`. Takes MappedFile::kPieceBytes of memory. Errors, which
// name it: kCorrupt: it does not have the size and the XXH3-128 that it was written with, or is not there; kUnavailable
// if it cannot be read.
Result<void> verify_file(const std::filesystem::path& folder, const PartitionFile& file);

}  // namespace frond::partition
