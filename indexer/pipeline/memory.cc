#include "indexer/pipeline/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "common/base/ids.h"
#include "indexer/ingest/streams/input_limits.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/inverter.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/parse/term_table.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::pipeline {

namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
// Measured: 17 MiB of code and libraries, 3 of stacks and heaps; a decompressor without its window, the sequencer's
// sample of fields, and what allocators round up.
constexpr std::uint64_t kProgramBytes = 24 * kMiB;
// A parser's cache of words, long tokens, JSON parser, and a cheap record; beside its tables, and the tokens and fields
// of a batch.
constexpr std::uint64_t kParserBytes = kMiB + 256 * kKiB;
// With smaller tables parsers forget terms sooner, and take longer.
constexpr int kLargeTables = parse::kMaxTableBits, kSmallTables = 15;
constexpr std::uint64_t kMinForLargeTables = 256 * kMiB, kTablesShare = 16;
// Of postings that stay in memory while the partition is written.
constexpr std::uint64_t kUnspilledShare = 4;
constexpr std::uint32_t kUnspilledThreads = 2;  // that still write it beside them
// A batch takes its records, their tokens, their fields, and the spare capacity of vectors; a parser takes
// tokens in text order and in groups, fields, and scratch memory.
constexpr std::uint64_t kBatchTenths = 55, kParserTenths = 50;
// Lengths and priors where there are duplicates: the shortest documents have 11 bytes.
constexpr std::uint64_t kSpoolersTenths = 10;
// More would only wait: together these write some gigabytes a second.
constexpr std::uint32_t kMaxSpoolers = 8;
constexpr std::uint64_t kMinBatch = 64 * kKiB, kMaxBatch = 2 * kMiB;
// The frames of the runs that an inverter writes, and the buffers of the spools, if there are many partitions.
constexpr std::uint64_t kFramesShare = 64, kSpoolsShare = 128;
// A batch of texts for a GPU has three places in pinned memory, with a table of pieces each, and what comes back of it
// and of the next one: new tokens, and the terms of chunks, at most.
constexpr std::uint64_t kTextsShare = 152, kSmallTextsShare = 1024, kMinForLargeTexts = 1024 * kMiB;
constexpr std::uint64_t kMaxTextBatch = 128 * kMiB, kTextFactor = 17;
constexpr std::uint64_t kTextBytes = 4 * kMiB;

std::uint64_t ids_of(std::uint64_t limit) { return limit / 8 * 3 - 16 * kMiB; }
std::uint64_t alone_of(std::uint64_t limit) { return limit / 8 * 3; }
std::uint64_t parse_of(std::uint64_t limit) { return limit / 8; }

std::size_t frames_of(std::uint64_t limit, std::uint32_t partitions) {
  return std::clamp<std::size_t>(limit / kFramesShare / partitions, runs::RunWriter::kMinFrameBytes,
                                 runs::kFramePayloadBytes);
}

// A plan with so many threads, and batches of so many bytes. `elastic` is 0 if it does not fit. devices: with texts on
// so many; 0: with tokens.
MemoryPlan plan_with(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters, std::uint32_t partitions,
                     std::uint32_t gpu_inverters, std::uint64_t batch_bytes, std::uint32_t devices) {
  const bool texts = devices > 0;
  const ingest::InputLimits input = ingest::InputLimits::of(limit);
  MemoryPlan plan;
  plan.limit = limit;
  plan.parsers = parsers;
  plan.spoolers = std::min({parsers, partitions, kMaxSpoolers});
  plan.inverters = inverters;
  plan.gpu_inverters = gpu_inverters;
  if (texts)
    plan.text_batch =
        std::min(limit / devices / (limit < kMinForLargeTexts ? kSmallTextsShare : kTextsShare), kMaxTextBatch);
  plan.text_devices = std::max(1u, devices);
  plan.batches = 2 * std::size_t{parsers} + 3;
  // With texts, a batch for each GPU more, so that parsers go on while it is worked on.
  if (texts && limit >= kMinForLargeTexts) plan.batches += devices * plan.text_batch / batch_bytes;
  plan.batch_bytes = batch_bytes;
  plan.table_bits = limit < kMinForLargeTables ? kSmallTables : kLargeTables;
  while (plan.table_bits > kSmallTables && parsers * parse::table_bytes(plan.table_bits) > limit / kTablesShare)
    --plan.table_bits;
  plan.parse = parse_of(limit);
  plan.alone = alone_of(limit);
  plan.ids = ids_of(limit);
  plan.frame_bytes = frames_of(limit, partitions);
  plan.spool_bytes =
      std::clamp<std::size_t>(limit / kSpoolsShare / partitions, 4 * kKiB, runs::SpoolWriter::kBufferBytes);
  if (texts) plan.lengths_bytes = plan.spool_bytes / 4;
  plan.flush_at = limit - limit / 16;
  plan.unspilled = limit / kUnspilledShare;
  while (plan.unspilled > 0 && !plan_writing(limit, 1, kUnspilledThreads, plan.unspilled).fits) plan.unspilled /= 2;
  plan.min_run = invert::kMinInverterBytes;
  const std::uint64_t batch = batch_bytes * kBatchTenths / 10;
  const std::uint64_t always =
      kProgramBytes + input.record_bytes + 2 * batch +
      parsers * (kParserBytes + parse::table_bytes(texts ? parse::kMinTableBits : plan.table_bits) +
                 batch_bytes * kParserTenths / 10) +
      batch_bytes * kSpoolersTenths / 10 + partitions * (plan.spool_bytes + plan.lengths_bytes) +
      gpu_inverters * invert::kPinnedBytes +
      (texts ? devices * (plan.text_batch * kTextFactor + kTextBytes) + parse::table_bytes(plan.table_bits) : 0) +
      plan.all_inverters() * invert::PartitionRuns::bytes(partitions, plan.frame_bytes);
  plan.drained = (plan.batches - 2) * batch + plan.parse;
  const std::uint64_t postings = plan.all_inverters() * invert::kMinInverterBytes;
  const std::uint64_t beside_others = always + plan.drained + input.window_bytes + plan.ids + postings;
  const std::uint64_t beside_one_alone = always + plan.alone + plan.ids + postings;
  if (std::max(beside_others, beside_one_alone) <= limit) plan.elastic = limit - always - plan.drained;
  return plan;
}

MemoryPlan plan_threads(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters, std::uint32_t partitions,
                        std::uint32_t gpu_inverters, std::uint32_t devices) {
  limit = std::max(limit, kMinMemoryLimit);
  // First try fewer bytes a batch, then fewer threads of both kinds.
  for (std::uint32_t tried = parsers;; tried -= std::max(1u, tried / 16)) {
    const auto fewer =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, std::uint64_t{inverters} * tried / parsers));
    for (std::uint64_t bytes = std::min(kMaxBatch, limit / 256); bytes >= kMinBatch; bytes = bytes * 3 / 4)
      if (const MemoryPlan plan = plan_with(limit, tried, fewer, partitions, gpu_inverters, bytes, devices);
          plan.elastic > 0)
        return plan;
    if (tried == 1) break;
  }
  // Not reached: one of each fits into the smallest limit, with as many partitions as there may be (a test).
  MemoryPlan plan = plan_with(limit, 1, 1, partitions, gpu_inverters, kMinBatch, devices);
  plan.elastic = plan.ids + invert::kMinInverterBytes;
  return plan;
}

}  // namespace

MemoryPlan plan_memory(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters, std::uint32_t partitions,
                       std::uint32_t gpu_inverters) {
  return plan_threads(limit, parsers, inverters, partitions, gpu_inverters, 0);
}

MemoryPlan plan_memory_of_texts(std::uint64_t limit, std::uint32_t parsers, std::uint32_t partitions,
                                std::uint32_t devices) {
  limit = std::max(limit, kMinMemoryLimitOfTexts);
  const std::uint64_t fit = std::clamp<std::uint64_t>(limit / kMinMemoryLimitOfTexts, 1, std::max(1u, devices));
  return plan_threads(limit, parsers, 1, partitions, 0, static_cast<std::uint32_t>(fit));
}

namespace {

// With so many packers: as many partitions at once as fit.
WritePlan plan_packers(std::uint64_t limit, std::uint32_t partitions, std::uint32_t packers, std::uint64_t unspilled,
                       std::uint64_t documents) {
  // One partition takes: RocksDB's buffers, readers of runs. Beside these, ids are sorted, and one long document is
  // written at a time. Training a dictionary takes less than a partition, whose documents wait for it.
  constexpr std::uint64_t kWriterBytes = 49 * kMiB;
  constexpr std::uint64_t kDocumentFactor = 4, kDocumentBytes = 12;
  // Of a thread: zstd's state. What it is given takes three times its bytes until it is written, for two streams a
  // partition: the input, which is allocated in powers of two, and the result.
  constexpr std::uint64_t kPackerBytes = 2 * kMiB, kTaskBytes = 256 * kKiB, kAheadFactor = 6;
  constexpr std::uint64_t kMaxRunsAhead = runs::kMaxFanIn * runs::RunCursor::kAheadBytes;
  WritePlan plan;
  plan.id_bytes = static_cast<std::size_t>(std::clamp<std::uint64_t>(limit / 16, 8 * kMiB, 32 * kMiB));
  const std::uint64_t shared = kProgramBytes + kDocumentFactor * ingest::InputLimits::of(limit).record_bytes;
  plan.packers = packers;
  plan.ahead_bytes = (packers + 2) * kTaskBytes;
  const std::uint64_t one = kWriterBytes + plan.id_bytes + kAheadFactor * plan.ahead_bytes + kDocumentBytes * documents;
  const std::uint64_t always = shared + unspilled + packers * kPackerBytes;
  const std::uint64_t left = limit - std::min(limit, always);
  plan.at_once =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left / one, 1, std::max<std::uint32_t>(1, partitions)));
  plan.fits = left >= one;
  std::uint64_t more = 0;  // of a partition
  if (plan.fits) {
    const std::uint64_t half = (left - plan.at_once * one) / plan.at_once / 2;
    plan.runs_ahead_bytes = std::min(kMaxRunsAhead, half);
    // With twice as many tasks packers have work while the thread that gives it takes what they have done.
    const std::uint64_t tasks_bytes = std::min(plan.ahead_bytes, half / kAheadFactor);
    plan.ahead_bytes += tasks_bytes;
    more = plan.runs_ahead_bytes + kAheadFactor * tasks_bytes;
  }
  plan.limit = limit;
  plan.bytes = always + plan.at_once * (one + more);
  return plan;
}

WritePlan plan_partitions(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads, std::uint64_t unspilled,
                          std::uint64_t documents) {
  // Two threads read and write each.
  const std::uint32_t most = std::min(partitions, (threads + 1) / 2);
  for (std::uint32_t packers = std::max(1u, threads);; packers = packers * 3 / 4)
    if (const WritePlan plan = plan_packers(limit, most, packers, unspilled, documents); plan.fits || packers == 1)
      return plan;
}

WritePlan plan_partitions_at_once(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads,
                                  std::uint64_t unspilled, std::uint64_t documents) {
  // A posting is in its slice and in a partition's group, whose vectors grow; it may be a term's only one, whose
  // name and statistics take 32 bytes. One slice may have a term of all documents; where there is memory, each packer
  // splits one.
  constexpr std::uint64_t kPostingBytes = 3 * (sizeof(DocId) + sizeof(Frequency)) + 32;
  for (std::uint32_t packers = std::max(1u, threads);; packers = packers * 3 / 4) {
    const std::uint64_t slices = ((packers + 2) * kSlicePostings + 2 * documents) * kPostingBytes;
    WritePlan plan =
        plan_packers(limit, partitions, packers, unspilled + slices, (documents + partitions - 1) / partitions);
    plan.fits = plan.fits && plan.at_once == partitions;
    plan.postings_a_slice = (packers + 2) * kSlicePostings;
    if (plan.fits) {
      const std::uint64_t more = std::min(packers * documents, (limit - plan.bytes) / 4 / kPostingBytes);
      plan.postings_a_slice += more;
      plan.bytes += more * kPostingBytes;
    }
    if (plan.fits || packers == 1) return plan;
  }
}

// Sections of terms, and what they are encoded to.
constexpr std::uint64_t kTermsBytes = 48 * kMiB, kMinForTerms = 1024 * kMiB;
// Of the limit, for the statistics of all partitions' terms.
constexpr std::uint64_t kKeptTermsShare = 32;

// plan(unspilled): the same with the statistics of terms, if these fit, too.
template <class Plan>
WritePlan with_terms(std::uint64_t limit, std::uint64_t unspilled, Plan plan) {
  if (limit >= kMinForTerms)
    if (WritePlan made = plan(unspilled + kTermsBytes); made.fits) {
      made.has_terms = true;
      return made;
    }
  return plan(unspilled);
}

}  // namespace

WritePlan plan_writing(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads, std::uint64_t unspilled,
                       std::uint64_t documents) {
  const auto plan = [&](std::uint64_t all_unspilled) {
    return plan_partitions(limit, partitions, threads, all_unspilled, documents);
  };
  if (partitions == 1) return with_terms(limit, unspilled, plan);
  const WritePlan without = plan(unspilled);
  const std::uint64_t kept = limit / kKeptTermsShare;
  WritePlan with = with_terms(limit, unspilled + kept, plan);
  // They must not cost threads, which would take longer than the merge of terms that they save.
  if (!with.has_terms || with.at_once < without.at_once || with.packers < without.packers) return without;
  with.kept_terms_bytes = kept;
  return with;
}

WritePlan plan_writing_at_once(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads,
                               std::uint64_t unspilled, std::uint64_t documents) {
  return with_terms(limit, unspilled, [&](std::uint64_t all_unspilled) {
    return plan_partitions_at_once(limit, partitions, threads, all_unspilled, documents);
  });
}

std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long size = 0, resident = 0;
  const bool read = std::fscanf(file, "%llu %llu", &size, &resident) == 2;
  std::fclose(file);
  return read ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t peak_resident_bytes() {
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double process_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double thread_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void MemoryBudget::share_out() {
  const std::uint64_t taken = ids_ + window_ + alone_;
  const std::uint64_t left = plan_.elastic - std::min(plan_.elastic, taken);
  postings_of_one_.store(std::max(invert::kMinInverterBytes, left / plan_.all_inverters()), std::memory_order_relaxed);
}

void bound_unused_memory(std::uint64_t limit) {
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(std::clamp(limit / 2048, 512 * kKiB, 32 * kMiB)));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(std::clamp(limit / 256, 4 * kMiB, 256 * kMiB)));
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<std::uint64_t>(limit >> 28, 4, 64)));
}

void release_unused_memory() { ::malloc_trim(0); }

void release_unused_memory(const WritePlan& plan) {
  if (resident_bytes() + plan.bytes > plan.limit) release_unused_memory();
}

}  // namespace frond::indexer::pipeline
