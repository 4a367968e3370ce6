#pragma once
// A repository: a directory tree of partitions and manifests; read as files or over HTTP, written as files.
//   <root>/<collection>/CURRENT                      one line: the current generation's number
//   <root>/<collection>/generations/<n>.json         manifests, with <n>.terms.sst beside them
//   <root>/<collection>/partitions/<id>/*.sst        immutable
//   <root>/<collection>/building/                    what a build is writing; never read by others, removed by the next
//   build
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/repository/manifest.h"

namespace frond::repository {

// Reading, wherever the repository is. Thread-safe.
class RepositorySource {
 public:
  // "http://host:port/path" (plain HTTP) or a directory.
  static Result<std::unique_ptr<RepositorySource>> open(std::string_view directory_or_url, std::string_view collection);
  virtual ~RepositorySource() = default;
  virtual Result<Generation> current() const = 0;  // kNotFound: nothing published
  virtual Result<Manifest> manifest(Generation generation) const = 0;
  // Puts the collection's file `path` ("partitions/<id>/x.sst") at `to`, and verifies size and checksum: kCorrupt names
  // the file.
  virtual Result<void> fetch(const std::string& path, const PartitionFile& expected,
                             const std::filesystem::path& to) const = 0;
};

// Writing: a directory, one writer at a time (an flock on <collection>/LOCK, held for this object's life; kUnavailable
// if taken).
class RepositoryWriter {
 public:
  // Takes the lock, removes what an interrupted build left behind (building/, partitions and generation files that no
  // manifest names).
  static Result<std::unique_ptr<RepositoryWriter>> open(const std::filesystem::path& root, std::string_view collection);
  virtual ~RepositoryWriter() = default;
  virtual const std::filesystem::path& building() const = 0;  // scratch, emptied
  virtual Generation next_generation() const = 0;             // one more than the highest there is
  // Moves building/<entry.id> of every new partition and `term_statistics` (a file under building/) into place, writes
  // the manifest, syncs, and switches CURRENT by one atomic rename. After any crash the old generation or the new one
  // is current, whole.
  virtual Result<void> publish(const Manifest& manifest, const std::filesystem::path& term_statistics) = 0;
  // Makes the highest generation below the current one current. Returns it; kNotFound if there is none.
  virtual Result<Generation> rollback() = 0;
};

Result<PartitionFile> describe_file(const std::filesystem::path& file);  // size and XXH3-128 of a file

}  // namespace frond::repository
