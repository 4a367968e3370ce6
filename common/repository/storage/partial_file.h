#pragma once
// A file that is being fetched: in "<name>.part" until it is whole, verified and synced. What a broken transfer has
// received stays, so that the next one continues it; "<name>.part.of" notes which file and version it is of. Internal
// to this folder.
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
  // Opens it with what an earlier transfer of the same file left, which is read for the checksum. Borrows `expected`.
  // kUnavailable: the disk failed.
  static Result<PartialFile> open(const std::filesystem::path& to, const PartitionFile& expected);

  std::uint64_t size() const { return size_; }
  std::string xxh3() const { return checksum_->hex(); }  // of the bytes so far
  bool has_all() const { return size_ == expected_->bytes; }
  // The ETag of the server's file that the bytes are from; empty: unknown.
  const std::string& etag() const { return etag_; }

  // The next bytes begin at `from`: size(), or 0, which drops the bytes so far.
  Result<void> begin(std::uint64_t from, const std::string& etag);
  // kCorrupt: longer than expected.
  Result<void> append(ByteView piece);
  // Verifies the file, syncs it and gives it its name. kCorrupt: another size or checksum than expected.
  Result<void> finish();
  // Removes it from the disk.
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
