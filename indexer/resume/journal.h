#pragma once
// How far a build has come, on disk: what a later build needs to go on with it. A journal names scratch files by their
// names and sizes; what it names was on the disk before the journal was. Format: docs/formats/build-journal.md.
#include <cstdint>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "indexer/ingest/files/input_list.h"
#include "indexer/pipeline/inverted_documents.h"

namespace frond::indexer::resume {

// Which build it is: the program, the options that decide what is published, and the inputs. A build goes on with what
// another one left only if all of these are the same. Numbers of threads and devices do not count: they do not change a
// byte of the index. The memory limit does, since records too large for it are refused.
struct BuildIdentity {
  std::string program;                                       // version and checksum
  std::vector<std::pair<std::string, std::string>> options;  // by flag: {"--stemmer", "porter"}
  ingest::InputSummary input;                                // its checksum is of paths, sizes and times of change
  friend bool operator==(const BuildIdentity&, const BuildIdentity&) = default;
};

// The file in a build's scratch folder.
inline constexpr const char* kJournalName = "journal";
inline constexpr std::size_t kMaxJournalBytes = std::size_t{256} << 20;

enum class Stage : std::uint8_t {
  kInverting,  // the checkpoint is a place in the input
  kInverted,   // all documents are in runs and spools, in the order of the input
  kOrdered,    // … and in the order that the index has
};
std::string_view name_of(Stage stage);  // "inverting"

struct FinishedPartition {
  std::uint32_t number = 0;
  std::string id;  // the name of its folder
  partition::PartitionSummary summary;
};

struct Journal {
  BuildIdentity identity;
  std::uint32_t session = 0;  // of the process that wrote it: 0, and one more each time that a build goes on with it
  Stage stage = Stage::kInverting;
  // Its paths are below the build's folder.
  pipeline::Checkpoint checkpoint;
  std::vector<std::vector<std::uint64_t>> run_bytes;  // of checkpoint.so_far.partitions[p].runs[i]
  // Stage kInverted and later. Their runs and spools may be gone.
  std::vector<FinishedPartition> finished;

  bool is_finished(std::uint32_t partition) const;
};

// Paths are written without their folder.
ByteBuffer encode(const Journal& journal);
// Accepts any bytes. Names are safe: none leads out of `folder`. kCorrupt says what is wrong.
Result<Journal> decode(ByteView bytes, const std::filesystem::path& folder);

// kNotFound: the folder has no journal; kCorrupt, kUnavailable: the message names the file.
Result<Journal> load_journal(const std::filesystem::path& folder);

// Keeps a build's journal up to date. First what it names is synced, then the journal is replaced by one rename: a
// crash at any instant leaves the journal of before or the new one, and everything that it names.
// Any thread. Errors: kUnavailable, the disk; messages name the file.
class JournalWriter {
 public:
  // `journal`: of this build so far; `written`: the folder has one.
  JournalWriter(std::filesystem::path folder, Journal journal, bool written);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // Records a place in the input, by a thread of its own ("journal"): syncing many files takes seconds, in which the
  // pipeline goes on. Waits for the checkpoint before, and gives its error.
  Result<void> checkpoint(pipeline::Checkpoint made);
  // Waits until checkpoint() is done.
  Result<void> wait();
  // Records the end of a stage, before which there is nothing left to read of the input.
  Result<void> end_stage(Stage stage, const pipeline::InvertedDocuments& documents);
  // Records that a partition is whole, in the folder's subfolder of that name.
  Result<void> finish(FinishedPartition partition);
  // Whether there is a journal: without one, nothing more need be recorded.
  bool written() const;

 private:
  Result<void> write() FROND_REQUIRES(mutex_);
  Result<void> sync_once(const std::filesystem::path& file) FROND_REQUIRES(mutex_);

  const std::filesystem::path folder_;
  mutable Mutex mutex_;
  Journal journal_ FROND_GUARDED_BY(mutex_);
  std::set<std::filesystem::path> synced_ FROND_GUARDED_BY(mutex_);  // runs, which do not change
  bool written_ FROND_GUARDED_BY(mutex_);
  std::future<Result<void>> pending_;  // one thread calls checkpoint() and wait()
};

}  // namespace frond::indexer::resume
