#pragma once
// A file on its way here: under "<name>.part" until it is whole, synced and right. What a broken transfer has brought
// stays, so that the next one goes on behind it; "<name>.part.of" tells what it is the front of. Internal to this
// folder.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/partition/file_checksum.h"
#include "common/repository/repository.h"

namespace frond::repository {

// One thread.
class PartialFile {
 public:
  // With what an earlier transfer of the same file left; that is read, for its checksum. Borrows `expected`.
  // kUnavailable: the disk.
  static Result<PartialFile> open(const std::filesystem::path& to, const PartitionFile& expected);

  std::uint64_t size() const { return size_; }
  bool has_all() const { return size_ == expected_->bytes; }
  // Of the server's file that the bytes are of; empty: not known.
  const std::string& etag() const { return etag_; }

  // Bytes from `from` on follow, which is size(), or 0: what is there is dropped.
  Result<void> begin(std::uint64_t from, const std::string& etag);
  // kCorrupt: longer than expected.
  Result<void> append(ByteView piece);
  // Verified, synced and under its name. kCorrupt: another size or checksum than expected.
  Result<void> finish();
  // Nothing of it is left on the disk.
  void discard();

 private:
  PartialFile(const std::filesystem::path& to, const PartitionFile& expected);
  Result<void> take_over();
  std::filesystem::path final_name_, part_, note_;
  const PartitionFile* expected_;
  files::Descriptor file_;
  std::unique_ptr<partition::Xxh3> checksum_;
  std::uint64_t size_ = 0;
  std::string etag_;
};

}  // namespace frond::repository
