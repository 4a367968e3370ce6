#pragma once
// Reads what a collection's served generations have on this disk again, file by file, as the disk has it, and compares
// it with the digests of their manifests: partitions, term statistics, changes, and the kept manifests themselves (with
// their own). What is damaged it reports; GenerationFollower mends it.
//
// Each file is read once in an interval, the one that was read least recently first; a partition that a search found
// damaged before others, but at most once a minute, and once in an interval if it was right on disk. A file with other
// bytes is read a second time before it counts as damaged. Files count as read when they are first seen, since loading
// has verified them. All scrubbers of a process together read at most as many bytes a second as their ScrubPace has,
// with the lowest priorities of processor (nice 19: with SCHED_IDLE a thread might keep for long a lock that searches
// need) and disk. Reading ends within a piece (disk_read.h) when the leaf stops, or when nobody serves the partition
// any more.
//
// RocksDB's own small files of a partition are not read: it verifies them when it opens the partition, and what it does
// not open is fetched anew.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/files/disk_read.h"
#include "common/metrics/registry.h"
#include "common/tls/signature.h"
#include "leaf/generation/data_folder.h"
#include "leaf/generation/served_generation.h"
#include "leaf/generation/stoppable_thread.h"
#include "leaf/generation/stored_files.h"

namespace frond::leaf::generation {

// Thread-safe.
class ScrubPace {
 public:
  explicit ScrubPace(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}
  bool stands() const { return rate_ == 0; }  // nothing is read
  // When whoever has read `bytes` may go on. REQUIRES: not stands().
  StoppableThread::Time after(std::uint64_t bytes);

 private:
  const std::uint64_t rate_;
  Mutex mutex_;
  StoppableThread::Time free_at_ FROND_GUARDED_BY(mutex_){};
};

class Scrubber {
 public:
  struct Options {
    std::chrono::seconds interval{86'400};
    metrics::Labels labels = {};
    std::function<void(DamagedFile)> on_damage;  // called on its thread
    // Manifests that are not signed by these are damaged; null: no signature is needed.
    std::shared_ptr<const tls::TrustedKeys> trusted = {};
    DiskRead read = files::read_from_disk;
  };
  // References outlive this object. `registry` may be null.
  Scrubber(Options options, ScrubPace& pace, const DataFolder& data, const ServedBoard& board, const Clock& clock,
           metrics::Registry* registry);

  // Starts the thread, unless the pace stands.
  void start();
  bool stop(std::chrono::milliseconds patience) { return thread_.stop(patience); }
  // Reads what is due most, a partition or a file. False: nothing is due, or the leaf stops. Tests call it without the
  // thread.
  bool step();

 private:
  // A partition, by its folder; or a file.
  struct Target {
    std::filesystem::path place = {};
    std::shared_ptr<const OpenPartition> partition = {};  // null: a file
    std::string digest = {};                              // empty: a manifest
    ContentId content = 0;                                // of a manifest; 0: any
  };
  std::map<std::string, Target> targets() const;
  // False: all is well.
  bool scrub(Target target);
  bool scrub_manifest(const Target& target);
  bool scrub_partition(const std::filesystem::path& folder, std::shared_ptr<const OpenPartition> open);
  std::optional<Result<partition::PartitionFile>> describe(
      const std::filesystem::path& file, const std::function<bool(const partition::PartitionFile&)>& is_expected,
      const std::function<bool()>& is_served);
  bool stopping_after(std::uint64_t bytes);
  bool report(DamagedFile damaged);  // true

  const Options options_;
  ScrubPace& pace_;
  const DataFolder& data_;
  const ServedBoard& board_;
  const Clock& clock_;
  metrics::Counter bytes_, damaged_;
  metrics::Gauge age_;
  struct Seen {
    Instant read;                   // or first seen
    std::optional<Instant> proved;  // what a search had found was right on disk then
  };
  std::map<std::string, Seen> seen_;  // by place
  StoppableThread thread_;            // last: ends before the other members do
};

}  // namespace frond::leaf::generation
