// The parts of a build's memory fit into the limit.
#include "indexer/pipeline/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "indexer/ingest/streams/input_limits.h"
#include "indexer/invert/cpu_inverter.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(MemoryPlan, FitsIntoItsLimitForAnyNumberOfThreadsAndPartitions) {
  for (const std::uint64_t limit : {128 * kMiB, 200 * kMiB, 512 * kMiB, 1024 * kMiB, 65'536 * kMiB})
    for (const std::uint32_t threads : {1u, 2u, 16u, 128u, 256u})
      for (const std::uint32_t partitions : {1u, 16u, 256u}) {
        const MemoryPlan plan = plan_memory(limit, threads, threads, partitions);
        SCOPED_TRACE(std::to_string(limit) + " bytes, " + std::to_string(threads) + " threads, " +
                     std::to_string(partitions) + " partitions");
        EXPECT_GE(plan.parsers, 1u);
        EXPECT_LE(plan.parsers, threads);
        EXPECT_GE(plan.spoolers, 1u);
        EXPECT_LE(plan.spoolers, std::min(plan.parsers, partitions));
        EXPECT_GE(plan.inverters, 1u);
        EXPECT_GT(plan.batches, plan.parsers);
        EXPECT_GE(plan.batch_bytes, 64u << 10);
        EXPECT_LT(plan.flush_at, limit);
        EXPECT_LE(plan.elastic + plan.drained, limit);
        // The inverters have enough beside ids and a window, and beside ids and a record that is parsed alone.
        const std::uint64_t postings = plan.inverters * invert::kMinInverterBytes;
        EXPECT_GE(plan.elastic, plan.ids + ingest::InputLimits::of(limit).window_bytes + postings);
        EXPECT_GE(plan.elastic + plan.drained, plan.ids + plan.alone + postings);
      }
}

TEST(MemoryPlan, FitsIntoItsLimitWithAnInverterOfTexts) {
  for (const std::uint64_t limit : {256 * kMiB, 400 * kMiB, 1024 * kMiB, 65'536 * kMiB})
    for (const std::uint32_t parsers : {1u, 16u, 256u})
      for (const auto& [partitions, devices] : {std::pair(1u, 1u), {256u, 1u}, {1u, 64u}, {256u, 2u}}) {
        const MemoryPlan plan = plan_memory_of_texts(limit, parsers, partitions, devices);
        SCOPED_TRACE(std::to_string(limit) + " bytes, " + std::to_string(parsers) + " parsers, " +
                     std::to_string(partitions) + " partitions, " + std::to_string(devices) + " devices");
        EXPECT_EQ(plan.text_devices, std::min<std::uint64_t>(devices, limit / (256 * kMiB)));
        EXPECT_GE(plan.parsers, 1u);
        EXPECT_EQ(plan.all_inverters(), 1u);
        EXPECT_GE(plan.text_batch, 128u << 10);
        EXPECT_LE(plan.text_batch, limit / 32);
        EXPECT_GE(plan.elastic, plan.ids + ingest::InputLimits::of(limit).window_bytes + invert::kMinInverterBytes);
        EXPECT_EQ(MemoryBudget(plan).postings_of_one(), plan.elastic);
        EXPECT_EQ(plan.alone, plan_memory(limit, 1, 1).alone);  // refuses the same records
      }
}

TEST(MemoryPlan, RefusesTheSameRecordsWhateverTheThreads) {
  for (const std::uint64_t limit : {128 * kMiB, 1024 * kMiB})
    for (const std::uint32_t threads : {2u, 256u}) {
      const MemoryPlan one = plan_memory(limit, 1, 1, 1), many = plan_memory(limit, threads, threads, 256);
      EXPECT_EQ(one.alone, many.alone);
      EXPECT_EQ(one.ids, many.ids);
    }
}

TEST(MemoryPlan, HasAllThreadsOfAMachineWhereMemoryIsNotShort) {
  const MemoryPlan plan = plan_memory(1024 * kMiB, 16, 5);
  EXPECT_EQ(plan.parsers, 16u);
  EXPECT_EQ(plan.inverters, 5u);
  EXPECT_GE(plan.batch_bytes, 512u << 10);
}

TEST(MemoryBudget, GivesTheInvertersWhatTheOthersLeave) {
  const MemoryPlan plan = plan_memory(1024 * kMiB, 2, 2);
  MemoryBudget budget(plan);
  EXPECT_EQ(budget.postings_of_one(), plan.elastic / 2);
  budget.set_ids(100 * kMiB);
  budget.set_window(50 * kMiB);
  EXPECT_EQ(budget.postings_of_one(), (plan.elastic - 150 * kMiB) / 2);
  budget.set_alone(plan.drained + 10 * kMiB);
  EXPECT_EQ(budget.postings_of_one(), (plan.elastic - 160 * kMiB) / 2);
  budget.set_alone(plan.drained / 2);
  EXPECT_EQ(budget.postings_of_one(), (plan.elastic - 150 * kMiB) / 2);
  budget.set_ids(plan.limit);
  EXPECT_EQ(budget.postings_of_one(), invert::kMinInverterBytes);
}

TEST(WritePlan, WritesOnePartitionAtATimeWhereMemoryIsShort) {
  EXPECT_EQ(plan_writing(128 * kMiB, 16, 64).at_once, 1u);
  EXPECT_EQ(plan_writing(64 * 1024 * kMiB, 16, 8).at_once, 4u);
  EXPECT_EQ(plan_writing(64 * 1024 * kMiB, 2, 64).at_once, 2u);
  EXPECT_LT(plan_writing(128 * kMiB, 16, 64).id_bytes, 16 * kMiB);
  EXPECT_EQ(plan_writing(1024 * kMiB, 16, 8).at_once, 4u);
  EXPECT_EQ(plan_writing(1024 * kMiB, 16, 8, 0, 50'000'000).at_once, 1u) << "lengths and digests take 600 MB";
}

TEST(WritePlan, TellsWhatItTakes) {
  for (std::uint64_t limit = 128; limit < 4096; limit += 64)
    for (const std::uint32_t threads : {1u, 2u, 16u})
      for (const std::uint32_t partitions : {1u, 3u, 16u}) {
        const WritePlan plan = plan_writing(limit * kMiB, partitions, threads, limit * kMiB / 8, 100'000);
        EXPECT_EQ(plan.limit, limit * kMiB);
        EXPECT_EQ(plan.bytes <= plan.limit, plan.fits) << limit << " MiB, " << threads << ", " << partitions;
        EXPECT_GT(plan.bytes, limit * kMiB / 8 + plan.at_once * (plan.id_bytes + plan.runs_ahead_bytes));
      }
}

TEST(WritePlan, KeepsUnusedMemoryOnlyWhereThePlanFitsBesideIt) {
  // In small pieces, which the allocator keeps when they are freed; the last one keeps the heap from shrinking.
  std::vector<std::unique_ptr<char[]>> pieces;
  for (int i = 0; i < 4096; ++i) {
    pieces.push_back(std::make_unique<char[]>(16 << 10));
    std::fill_n(pieces.back().get(), 16 << 10, 'x');
  }
  const auto last = std::move(pieces.back());
  pieces.clear();
  const std::uint64_t before = resident_bytes();
  WritePlan plan;
  plan.bytes = 100 * kMiB;
  plan.limit = before + 110 * kMiB;
  release_unused_memory(plan);
  EXPECT_GT(resident_bytes(), before - 8 * kMiB);
  plan.limit = before + 90 * kMiB;
  release_unused_memory(plan);
  const std::uint64_t after = resident_bytes();
  release_unused_memory();  // of which the allocators of sanitizers know nothing
  EXPECT_LT(after, resident_bytes() + 8 * kMiB);
}

TEST(WritePlan, HasTermsWhereTheyFit) {
  EXPECT_TRUE(plan_writing(1024 * kMiB, 1, 2).has_terms);
  EXPECT_FALSE(plan_writing(1023 * kMiB, 1, 2).has_terms);
  EXPECT_EQ(plan_writing(1024 * kMiB, 1, 2).kept_terms_bytes, 0u) << "one thread sees all postings of a term";
  const WritePlan several = plan_writing(64 * 1024 * kMiB, 2, 64);
  EXPECT_TRUE(several.has_terms);
  EXPECT_EQ(several.kept_terms_bytes, 2 * 1024 * kMiB);
  EXPECT_FALSE(plan_writing(1023 * kMiB, 2, 2).has_terms);
  EXPECT_TRUE(plan_writing_at_once(4096 * kMiB, 16, 16, 0, 100'000).has_terms);
  int with = 0, without = 0;
  for (std::uint64_t held = 0; held < 1024; held += 8) {
    const WritePlan plan = plan_writing(1024 * kMiB, 1, 2, held * kMiB);
    EXPECT_TRUE(plan.fits || !plan.has_terms);
    with += plan.has_terms ? 1 : 0;
    without += plan.fits && !plan.has_terms ? 1 : 0;
  }
  EXPECT_GT(with, 10);
  EXPECT_GE(without, 5) << "what is held leaves no room for them, but for the partition";
}

TEST(WritePlan, KeepsNoTermsThatCostThreadsOrPartitionsAtOnce) {
  int with = 0, without = 0;
  for (std::uint64_t limit = 1024; limit < 8192; limit += 32) {
    const WritePlan plan = plan_writing(limit * kMiB, 64, 32);
    if (!plan.has_terms) {
      ++without;
      EXPECT_EQ(plan.kept_terms_bytes, 0u);
      continue;
    }
    ++with;
    const std::uint64_t taken = plan.kept_terms_bytes + 48 * kMiB;
    EXPECT_EQ(plan.kept_terms_bytes, limit * kMiB / 32);
    EXPECT_EQ(plan.at_once, plan_writing(limit * kMiB, 64, 32, taken).at_once) << limit;
    EXPECT_EQ(plan.packers, plan_writing(limit * kMiB, 64, 32, taken).packers) << limit;
  }
  EXPECT_GT(with, 10);
  EXPECT_GT(without, 10);
}

TEST(WritePlan, WritesAllAtOnceOrDoesNotFit) {
  const WritePlan large = plan_writing_at_once(32 * 1024 * kMiB, 16, 16, 1024 * kMiB, 5'000'000);
  EXPECT_TRUE(large.fits);
  EXPECT_EQ(large.at_once, 16u);
  EXPECT_EQ(large.packers, 16u);
  const WritePlan fewer_packers = plan_writing_at_once(1536 * kMiB, 8, 64, 256 * kMiB, 100'000);
  EXPECT_TRUE(fewer_packers.fits);
  EXPECT_LT(fewer_packers.packers, 64u);
  EXPECT_FALSE(plan_writing_at_once(1024 * kMiB, 16, 16, 256 * kMiB, 100'000).fits);
  EXPECT_FALSE(plan_writing_at_once(1024 * kMiB, 2, 2, 64 * kMiB, 50'000'000).fits) << "a term of all documents";
  // Where memory is not short, each thread may split a term of all documents.
  EXPECT_EQ(large.postings_a_slice, 18 * kSlicePostings + 16 * 5'000'000u);
  const WritePlan scarce = plan_writing_at_once(4096 * kMiB, 16, 16, 256 * kMiB, 5'000'000);
  EXPECT_TRUE(scarce.fits);
  EXPECT_GE(scarce.postings_a_slice, 18 * kSlicePostings);
  EXPECT_LT(scarce.postings_a_slice, large.postings_a_slice);
  EXPECT_LE(scarce.bytes, scarce.limit);
  // What fits with one thread fits with any number.
  for (std::uint64_t limit = 256; limit < 4096; limit += 64)
    for (const std::uint32_t partitions : {1u, 2u, 8u, 16u})
      EXPECT_EQ(plan_writing_at_once(limit * kMiB, partitions, 1, limit * kMiB / 4, 200'000).fits,
                plan_writing_at_once(limit * kMiB, partitions, 64, limit * kMiB / 4, 200'000).fits)
          << limit << " MiB, " << partitions;
}

TEST(WritePlan, HasAThreadACoreWhereMemoryIsNotShortAndFewerWhereItIs) {
  for (const std::uint32_t threads : {1u, 2u, 16u, 128u}) {
    const WritePlan large = plan_writing(64 * 1024 * kMiB, 16, threads);
    EXPECT_EQ(large.packers, threads);
    EXPECT_GT(large.ahead_bytes, large.packers * 128 * 1024u) << "each has something to do";
    const WritePlan small = plan_writing(128 * kMiB, 16, threads);
    EXPECT_GE(small.packers, 1u);
    EXPECT_LE(small.packers, std::min(threads, 4u));
    EXPECT_EQ(small.at_once, 1u);
  }
}

TEST(Memory, IsWhatTheSystemSays) {
  EXPECT_GT(resident_bytes(), 1 * kMiB);
  EXPECT_GE(peak_resident_bytes() + kMiB, resident_bytes());
}

}  // namespace
}  // namespace frond::indexer::pipeline
