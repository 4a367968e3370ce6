#pragma once
// A repository: a directory tree of partitions and manifests. It is read as files, over HTTP or from an object store,
// and written as files or objects. In an object store, writers/ and a lease stand for LOCK, and what is being built is
// in a local folder.
//   <root>/<collection>/CURRENT                      one line: the current generation's number; see CurrentLine
//   <root>/<collection>/generations/<n>.json         manifests, with <n>.terms.sst and <n>.changes.sst beside
//   <root>/<collection>/partitions/<id>/*.sst        immutable
//   <root>/<collection>/building/                    what is being published; only its writer reads it
//   <root>/<collection>/builds/<name>/               a build's scratch: indexer/resume
//   <root>/<collection>/compacting/                  a compaction's scratch: indexer/change/compact
//   <root>/<collection>/HIGHEST                      the highest generation that was ever current; written by rollback
//   <root>/<collection>/LOCK                         held by the one writer
// and where a service writes it with a lease (writer_lease.h, folder_gate.h):
//   <root>/<collection>/holders/<epoch>              the lease's record
//   <root>/<collection>/writing/<epoch>-<log>/       what is published in an epoch passes through it
//   <root>/<collection>/scratch/<log>/               building/, builds/ and compacting/ of the service with this log
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/objects/place.h"
#include "common/repository/current_watch.h"
#include "common/repository/manifest.h"
#include "common/tls/signature.h"

namespace frond::repository {

// What the service that holds a collection's lease knows of it in an object store since its last publication, so that
// the next one does not ask for it again (ADR 37). It is used only as long as CURRENT has the same version, and only
// where the store obeys conditions: the PUT that replaces CURRENT has that version as its condition, so what is out of
// date publishes nothing. Thread-safe.
class ObjectMemory {
 public:
  struct Known {
    Generation generation = 0;              // current, and the highest that there is
    std::string current_text, current_tag;  // of CURRENT
    std::string manifest_text;
    std::string lease_id;  // of the object in writers/ that this service writes
  };
  // Null: nothing.
  std::shared_ptr<const Known> known() const {
    const MutexLock lock(mutex_);
    return known_;
  }
  void set(Known known) {
    const MutexLock lock(mutex_);
    known_ = std::make_shared<const Known>(std::move(known));
  }
  void forget() {
    const MutexLock lock(mutex_);
    known_.reset();
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Known> known_ FROND_GUARDED_BY(mutex_);
};

// How a repository is read over HTTP.
struct HttpReading {
  // PEM file of the authorities to trust under https; empty: the system's.
  std::string tls_ca;
  // A transfer ends if the server sends fewer bytes a second over a whole window; 0: no minimum.
  std::uint64_t min_bytes_per_second = 0;
  std::chrono::milliseconds window{20000};
};

// Counts over all transfers of a RepositorySource since it was opened.
struct TransferCounts {
  std::uint64_t bytes = 0;    // received of fetched files
  std::uint64_t broken = 0;   // transfers that broke off, the slow ones included
  std::uint64_t slow = 0;     // … because the server sent nothing, or too slowly
  std::uint64_t resumed = 0;  // transfers that continued an earlier one
};

// Suffixes while a file is fetched: of its front, and of the note that says which file and version the front is of.
inline constexpr std::string_view kPartSuffix = ".part", kNoteSuffix = ".part.of";

// Reads a repository, from a directory or over HTTP. Thread-safe.
class RepositorySource {
 public:
  // A directory, "http[s]://host[:port][/path]", or "s3://bucket[/prefix]", which is reached as `objects` says.
  // kInvalid: a bad URL, a collection that is not a safe name, or a bad `http.tls_ca`.
  static Result<std::unique_ptr<RepositorySource>> open(std::string_view directory_or_url, std::string_view collection,
                                                        const HttpReading& http = {},
                                                        const objects::Access& objects = {});
  virtual ~RepositorySource() = default;
  // The current generation. kNotFound: nothing is published; kUnavailable: the repository can't be read now.
  virtual Result<Generation> current() const = 0;
  // The highest generation that was ever current, as far as rollbacks wrote it down. kNotFound: there was no rollback.
  virtual Result<Generation> highest() const = 0;
  // kCorrupt also if the manifest is of another generation or collection.
  virtual Result<Manifest> manifest(Generation generation) const = 0;
  // The two steps of manifest(): the published bytes, and their content.
  virtual Result<std::string> manifest_text(Generation generation) const = 0;
  virtual Result<Manifest> parse_manifest(Generation generation, std::string_view text) const = 0;
  // Copies the collection's file `path` ("partitions/<id>/x.sst") to `to`, verifies size and checksum (kCorrupt names
  // the file) and syncs it. kInvalid: `path` is not safe names joined by '/'. `to` exists only when it is whole; until
  // then its bytes are in "<to>.part". If a transfer breaks off and the server supports ranges, the next one continues
  // it: a few times in this call, then (kUnavailable) in the next call for the same file, even of another process.
  // What comes over a network with a wrong checksum is fetched again, until it is wrong in the same way twice, and at
  // most four times.
  // `stopping` is called before each retry; true ends the call.
  virtual Result<void> fetch(const std::string& path, const PartitionFile& expected, const std::filesystem::path& to,
                             const std::function<bool()>& stopping = {}) const = 0;
  // Bytes `from` to `from + bytes - 1` of a file, which has them; nothing is verified. kInvalid: as fetch(); kCorrupt:
  // the file is shorter; kUnavailable.
  virtual Result<ByteBuffer> read(const std::string& path, std::uint64_t from, std::size_t bytes) const = 0;
  virtual TransferCounts transfers() const = 0;
  // Tells of changes of CURRENT. Null: the place can't (an object store).
  virtual std::unique_ptr<CurrentWatch> watch() const = 0;
};

// Paths of a collection's files below its folder, with '/'.
// Names of the collections in a directory, at most ten, for a message: "a, b"; "none".
std::string collections_in(const std::filesystem::path& root);
std::string manifest_path(Generation generation);
std::string term_statistics_path(Generation generation);
// Of a manifest's term_statistics or changes.
std::string generation_file_path(const PartitionFile& file);
std::string partition_file_path(const PartitionEntry& partition, const PartitionFile& file);

// How a repository is written; `access`, `scratch` and `memory` are of one in an object store.
struct ObjectWriting {
  std::shared_ptr<const tls::SigningKey> signing_key = {};  // of what is published; null: it is not signed
  bool sign_kept = false;  // also what is kept of a generation that this key has not signed
  objects::Access access;
  std::filesystem::path scratch;  // local folder for what is being built, in <scratch>/<bucket>/<prefix>/<collection>
  // Of the service that writes the collection (writer_lease.h); a writer of another epoch than CURRENT's is refused.
  std::uint64_t epoch = 0;               // 0: of a command, which publishes in any
  std::string log;                       // that the epoch was begun with
  std::shared_ptr<ObjectMemory> memory;  // of that service; null: everything is asked for
};

// Where the collection's scratch is on this machine: its folder, or in an epoch a folder of the service's log in it, or
// for an object store the folder below `objects.scratch`. kInvalid: the name is not safe, or there is no
// `objects.scratch` for an object store.
Result<std::filesystem::path> local_folder(const std::filesystem::path& root, std::string_view collection,
                                           const ObjectWriting& objects);
// Uploads the synced files of local folder `files` as partition `id` of a collection in an object store, several at a
// time. The right to write is not needed: until a manifest names it, the partition is a leftover. publish() takes it as
// it is. `stopping` ends it with kUnavailable.
Result<void> upload_partition(const std::filesystem::path& root, std::string_view collection,
                              const ObjectWriting& objects, const std::filesystem::path& files, const std::string& id,
                              const std::function<bool()>& stopping);

// Writes a repository in a directory or an object store, one writer at a time. One thread.
class RepositoryWriter {
 public:
  // Makes the collection's folders, holds LOCK as long as it exists (kUnavailable: another writer holds it; of an
  // epoch, see FolderWriting), and removes what an interrupted build or check left behind: building/, a manifest that
  // never became current, partitions and term statistics that no manifest names. If CURRENT or a manifest is missing or
  // unreadable, no partition is removed. In an object store, what may be a living writer's is not removed either
  // (objects::Access::leftover_age), and kOverloaded says that another writer is at work. `before_step`, for tests, is
  // called with the step's name before each step that changes the disk: of publish(), rollback(), switch_to() and
  // prune(), and of what open() removes.
  static Result<std::unique_ptr<RepositoryWriter>> open(const std::filesystem::path& root, std::string_view collection,
                                                        std::function<void(std::string_view)> before_step = {},
                                                        const ObjectWriting& objects = {});
  virtual ~RepositoryWriter() = default;
  virtual const std::filesystem::path& building() const = 0;  // local scratch, empty at first
  // The local folder that building() is in: see local_folder().
  virtual const std::filesystem::path& folder() const = 0;
  // The collection's folder, which has what is published; empty: it is in an object store.
  virtual const std::filesystem::path& published_folder() const = 0;
  bool in_place() const { return !published_folder().empty(); }
  // What is published. Any thread; as long as the writer exists.
  virtual const RepositorySource& source() const = 0;
  // One more than the highest number ever used.
  virtual Generation next_generation() const = 0;
  // For what is made of a published generation: with a signing key, kUnavailable if this key has not signed that one.
  // Else whoever can write a manifest could have it signed.
  virtual Result<void> expect_own(const Manifest& manifest) const = 0;
  // Moves building/<entry.id> of every new partition, and `term_statistics` and `changes` (synced files under
  // building/; empty: the manifest names published ones only) into place, writes the manifest with `previous` set,
  // syncs, and switches CURRENT by one atomic rename. After a crash at any point either the old or the new generation
  // is current and whole. kInvalid, with nothing changed: a manifest that can't be read back, is not of
  // next_generation(), or names files that are missing or have another size.
  virtual Result<void> publish(Manifest manifest, const std::filesystem::path& term_statistics,
                               const std::filesystem::path& changes) = 0;
  Result<void> publish(Manifest manifest, const std::filesystem::path& term_statistics) {
    return publish(std::move(manifest), term_statistics, {});
  }
  // Makes the generation before the current one current again and returns it. kNotFound: there is none.
  virtual Result<Generation> rollback() = 0;
  // Makes a generation that is kept current, an older or a newer one. kNotFound: it is not there; kCorrupt: not whole.
  // Then nothing is changed.
  virtual Result<void> switch_to(Generation generation) = 0;
  // Removes all generations but the current one and the `keep` before it (following `previous`), and partitions that no
  // remaining one names. Generations that were rolled back go too. If the manifest of a generation that stays can't be
  // read, nothing is removed (kCorrupt, kUnavailable).
  virtual Result<void> prune(unsigned keep) = 0;
};

// What reads a whole generation has its scratch in "<collection>/.check-XXXXXX", locked while in use.
inline constexpr std::string_view kCheckFolderPrefix = ".check-";

}  // namespace frond::repository
