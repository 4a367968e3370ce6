#pragma once
// Divides the memory limit among the parts of a build. The sum stays below the limit for any input; what does not fit
// is flushed to disk, waits, or is refused.
//
// While inputs are inverted:
//
//   the program       kProgramBytes: code, libraries, stacks, buffers of a fixed size
//   the reader        a record (InputLimits), and the batch that it fills
//   batches           in flight: records, tokens, fields
//   parsers           each thread's buffers; and `parse`, which they share for expensive records
//   ids               the set of ids, to find duplicates
//   windows           of a decompressor (InputLimits)
//   alone             a record that needs more than `parse`: nothing else is in flight while it is parsed and inverted
//   postings          of the inverters, also what a GPU has of them, or texts that are inverted there: the part of
//   `elastic` that ids, windows and `alone` leave (MemoryBudget)
//
// Which records are refused depends on the limit only, not on the number of threads: if the threads do not fit, there
// are fewer.
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::indexer::pipeline {

// With less, nothing would be left for postings beside the writer of a partition and a document.
inline constexpr std::uint64_t kMinMemoryLimit = std::uint64_t{128} << 20;

struct MemoryPlan {
  std::uint64_t limit = 0;          // resident bytes of the process
  std::uint32_t parsers = 1;        // threads: as many as asked for, or as fit
  std::uint32_t spoolers = 1;       // threads, which need no memory of their own
  std::uint32_t inverters = 1;      // threads
  std::uint32_t gpu_inverters = 0;  // the same, each with a GPU: as many as asked for
  std::uint64_t text_batch = 0;     // not 0: one inverter of texts on GPUs takes the place of all of these, and sends
                                    // batches of so many bytes
  std::uint32_t text_devices = 1;   // that have such batches: as many as asked for, or as fit
  std::uint32_t all_inverters() const { return text_batch > 0 ? 1 : inverters + gpu_inverters; }
  std::size_t batches = 0;        // in flight
  std::uint64_t batch_bytes = 0;  // of records, of one batch
  int table_bits = 0;             // of each parser's tables of terms and tokens
  std::uint64_t parse = 0;        // shared by parsers for expensive records
  std::uint64_t alone = 0;        // of a record alone, with the window of its file
  std::uint64_t ids = 0;          // limit of the id set; more ids end the build
  std::uint64_t elastic = 0;      // for postings, ids, windows, and a part of `alone`
  std::uint64_t drained = 0;      // memory of idle batches and parsers, which a record alone takes beside `elastic`
  std::size_t frame_bytes = 0;    // of runs that are written
  std::size_t spool_bytes = 0;    // of a spool's buffer
  std::size_t lengths_bytes = 0;  // of that of the lengths beside it, with an inverter of texts
  std::uint64_t flush_at = 0;     // resident bytes at which the inverters flush, in case the sums above are wrong
  std::uint64_t unspilled = 0;    // of postings that stay in memory while partitions are written
  std::uint64_t min_run = 0;      // such a flush is only worth while if an inverter holds more
};
MemoryPlan plan_memory(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters,
                       std::uint32_t partitions = 1, std::uint32_t gpu_inverters = 0);
// The same with one inverter of texts, which needs more, and for each further device as much again.
inline constexpr std::uint64_t kMinMemoryLimitOfTexts = std::uint64_t{256} << 20;
MemoryPlan plan_memory_of_texts(std::uint64_t limit, std::uint32_t parsers, std::uint32_t partitions = 1,
                                std::uint32_t devices = 1);

// Postings of a slice, when those of all partitions are split (runs/posting_slices.h).
inline constexpr std::size_t kSlicePostings = std::size_t{1} << 17;

// The same while partitions are written.
struct WritePlan {
  std::uint32_t at_once = 1;  // partitions at a time; each has a PartitionWriter, and readers of runs
  std::uint32_t packers = 1;  // threads that build lists and compress documents for them
  std::uint64_t ahead_bytes =
      0;  // of each partition's postings, and of its fields, that are given to packers at a time
  std::uint64_t runs_ahead_bytes = 0;  // of each partition's runs, decoded before they are merged
  std::uint64_t postings_a_slice = 0;  // that are split at a time, where all partitions are written at once
  std::size_t id_bytes = 0;            // of a partition's ids, sorted in memory
  bool has_terms = false;              // whether there is memory to write the statistics of all terms meanwhile
  std::uint64_t kept_terms_bytes = 0;  // for those of several partitions from runs, which are kept until the end
  bool fits = false;                   // whether this is below the limit
  std::uint64_t limit = 0;             // resident bytes of the process
  std::uint64_t bytes = 0;             // that all of this takes at most
};
// unspilled: what postings take beside it (MemoryPlan::unspilled). documents: of the largest partition; each takes 12
// bytes, for its length and its term digest.
WritePlan plan_writing(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads,
                       std::uint64_t unspilled = 0, std::uint64_t documents = 0);
// The same where all partitions are written at once, or it does not fit. documents: of all partitions.
WritePlan plan_writing_at_once(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads,
                               std::uint64_t unspilled, std::uint64_t documents);

std::uint64_t resident_bytes();       // of this process now; 0 where the system does not say
std::uint64_t peak_resident_bytes();  // since it started

double process_seconds();  // processor time of all threads since it started
double thread_seconds();   // of the calling thread since that began

// Large pieces return to the system when they are freed, and threads share few heaps: so resident memory is little more
// than the memory in use. With a large limit of resident bytes, larger pieces are kept for further use, and each thread
// has a heap. Called before there are threads.
void bound_unused_memory(std::uint64_t limit);
// Returns the allocator's unused memory to the system.
void release_unused_memory();
// The same, unless all that the plan takes fits below the limit beside what is resident now. Returning memory takes a
// tenth of a second a GB, for which other threads wait, and as much again when it is used next.
void release_unused_memory(const WritePlan& plan);

// The memory that ids, windows and a record alone leave to the inverters at the moment. Postings make room for all of
// these, since they can be flushed. Any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(const MemoryPlan& plan) : plan_(plan) { share_out(); }
  // The bytes that each inverter may hold.
  std::uint64_t postings_of_one() const { return postings_of_one_.load(std::memory_order_relaxed); }

  void set_ids(std::uint64_t bytes) { set(ids_, bytes); }
  void set_window(std::uint64_t bytes) { set(window_, bytes); }
  // A record alone takes so many bytes in all; 0: there is none.
  void set_alone(std::uint64_t bytes) { set(alone_, bytes - std::min(bytes, plan_.drained)); }

 private:
  void set(std::uint64_t& part, std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    if (part == bytes) return;
    part = bytes;
    share_out();
  }
  void share_out();

  const MemoryPlan& plan_;
  Mutex mutex_;
  std::uint64_t ids_ = 0, window_ = 0, alone_ = 0;  // under mutex_, except in the constructor
  std::atomic<std::uint64_t> postings_of_one_ = 0;
};

}  // namespace frond::indexer::pipeline
