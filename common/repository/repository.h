#pragma once
// A repository: a directory tree of partitions and manifests; read as files or over HTTP, written as files.
//   <root>/<collection>/CURRENT                      one line: the current generation's number
//   <root>/<collection>/generations/<n>.json         manifests, with <n>.terms.sst beside them
//   <root>/<collection>/partitions/<id>/*.sst        immutable
//   <root>/<collection>/building/                    what a build is writing; never read by others
//   <root>/<collection>/HIGHEST                      the highest generation that was ever current; written by rollback
//   <root>/<collection>/LOCK                         held by the one writer
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/manifest.h"

namespace frond::repository {

// How a repository is read over HTTP.
struct HttpReading {
  // PEM file of the authorities to believe under https; empty: the system's.
  std::string tls_ca;
  // A server that sends fewer bytes a second, over a whole window, is given up; 0: however slow.
  std::uint64_t min_bytes_per_second = 0;
  std::chrono::milliseconds window{20000};
};

// What the transfers of a RepositorySource did since it was opened.
struct TransferCounts {
  std::uint64_t bytes = 0;    // that came, of files that were fetched
  std::uint64_t broken = 0;   // transfers that ended before their file did, the slow ones too
  std::uint64_t slow = 0;     // … because the server sent nothing, or too slowly
  std::uint64_t resumed = 0;  // transfers that went on where another one had ended
};

// What a file has behind its name while it is fetched: its front, and what that is the front of.
inline constexpr std::string_view kPartSuffix = ".part", kNoteSuffix = ".part.of";

// Reading, wherever the repository is. Thread-safe.
class RepositorySource {
 public:
  // A directory, or "http[s]://host[:port][/path]". kInvalid: neither a directory nor a URL, a collection that is not a
  // safe name, or a bad `http.tls_ca`.
  static Result<std::unique_ptr<RepositorySource>> open(std::string_view directory_or_url, std::string_view collection,
                                                        const HttpReading& http = {});
  virtual ~RepositorySource() = default;
  // kNotFound: nothing is published; kUnavailable: the repository can't be read now.
  virtual Result<Generation> current() const = 0;
  // kCorrupt also where the manifest is of another generation or collection.
  virtual Result<Manifest> manifest(Generation generation) const = 0;
  // The two steps of manifest(): its bytes as they were published, and what they say.
  virtual Result<std::string> manifest_text(Generation generation) const = 0;
  virtual Result<Manifest> parse_manifest(Generation generation, std::string_view text) const = 0;
  // Copies the collection's file `path` ("partitions/<id>/x.sst") to `to`, synced, and verifies size and checksum on
  // the way: kCorrupt names the file; kInvalid a path that is not safe names joined by '/'. `to` is there only when it
  // is whole, whatever happens: until then its bytes are in "<to>.part". A transfer that breaks off goes on where it
  // ended, if the server gives ranges: a few times at once, then (kUnavailable) in the next call for the same file,
  // also of another process. `stopping` is asked before each of these: true ends the call.
  virtual Result<void> fetch(const std::string& path, const PartitionFile& expected, const std::filesystem::path& to,
                             const std::function<bool()>& stopping = {}) const = 0;
  virtual TransferCounts transfers() const = 0;
};

// Where things lie below the collection, with '/'.
std::string manifest_path(Generation generation);
std::string term_statistics_path(Generation generation);
std::string partition_file_path(const PartitionEntry& partition, const PartitionFile& file);

// Writing: a directory, one writer at a time. One thread.
class RepositoryWriter {
 public:
  // Makes the collection's folders, takes LOCK for this object's life (kUnavailable: somebody else has it), and removes
  // what an interrupted build or check left behind: building/, a manifest that never became current, partitions and
  // term statistics that no manifest names. Nothing published is removed on a guess: where a manifest or CURRENT is
  // unreadable or missing, no partition is. `before_step`, for tests, is called before each irreversible step of
  // publish() and rollback() with the step's name.
  static Result<std::unique_ptr<RepositoryWriter>> open(const std::filesystem::path& root, std::string_view collection,
                                                        std::function<void(std::string_view)> before_step = {});
  virtual ~RepositoryWriter() = default;
  virtual const std::filesystem::path& building() const = 0;  // scratch, empty at first
  virtual const std::filesystem::path& folder() const = 0;    // the collection's
  virtual Generation next_generation()
      const = 0;  // one more than the highest there ever was: numbers are not used twice
  // Moves building/<entry.id> of every partition that is not in place yet, and `term_statistics` (a synced file under
  // building/), into place; writes the manifest with `previous` set; syncs; and switches CURRENT by one atomic rename.
  // After a crash at any instant the old generation or the new one is current, whole. kInvalid, with nothing done: a
  // manifest that would not be read back, is not next_generation()'s, or names files that are not there in their size.
  virtual Result<void> publish(Manifest manifest, const std::filesystem::path& term_statistics) = 0;
  // Makes the generation that was current before the current one current again. Returns it; kNotFound: there is none.
  virtual Result<Generation> rollback() = 0;
  // Removes all generations but the current one and the `keep` before it (following `previous`), and partitions that
  // none of the rest names. What was rolled back goes too: it is before none of them. Nothing is removed (kCorrupt,
  // kUnavailable) where the manifest of one that stays can't be read.
  virtual Result<void> prune(unsigned keep) = 0;
};

// Where a check of a generation has its scratch databases: "<collection>/.check-XXXXXX", locked by flock while in use.
inline constexpr std::string_view kCheckFolderPrefix = ".check-";

}  // namespace frond::repository
