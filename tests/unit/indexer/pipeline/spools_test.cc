// Several threads write the same spools as one loop, whatever is a duplicate, and report what the disk says.
#include "indexer/pipeline/spools.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

#include "common/base/parallel.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::pipeline {
namespace {

using support::ScratchFolder;

constexpr std::uint32_t kPartitions = 5;

struct Document {
  std::string id, body;
  std::uint32_t length = 0;
  scoring::Prior prior = 0;
  bool is_duplicate = false;
  std::size_t add_to(runs::DocumentFrameWriter& frame) const { return frame.add({id, "", "", body, prior}, length); }
};

std::vector<std::vector<Document>> random_batches(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<std::vector<Document>> batches(count);
  for (auto& batch : batches) {
    const bool duplicates = random() % 2 == 0, priors = random() % 2 == 0;
    for (auto documents = random() % 40; documents > 0; --documents)
      batch.push_back({"id" + std::to_string(random()), std::string(random() % 30'000, 'x'),
                       static_cast<std::uint32_t>(random()), static_cast<scoring::Prior>(priors ? random() % 9 : 0),
                       duplicates && random() % 3 == 0});
  }
  return batches;
}

// As the parser and the sequencer do it.
void fill(Batch& batch, const std::vector<Document>& documents, invert::DocumentNumber& next) {
  std::vector<runs::DocumentFrameWriter> frames(kPartitions);
  batch.has_duplicates = false;
  batch.numbers.clear();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    parse::ParsedDocument& parsed = batch.parsed.documents.emplace_back();
    parsed.length = documents[i].length;
    parsed.prior = documents[i].prior;
    parsed.field_bytes = static_cast<std::uint32_t>(documents[i].add_to(frames[i % kPartitions]));
    batch.numbers.push_back(documents[i].is_duplicate ? invert::kDropped : next++);
    batch.has_duplicates |= documents[i].is_duplicate;
  }
  batch.parsed.frames.resize(kPartitions);
  for (std::uint32_t j = 0; j < kPartitions; ++j) frames[j].finish(batch.parsed.frames[j]);
}

std::filesystem::path spool(const ScratchFolder& folder, std::uint32_t partition) {
  return folder / ("spool" + std::to_string(partition));
}

std::vector<runs::SpoolWriter> writers(const ScratchFolder& folder) {
  std::vector<runs::SpoolWriter> all;
  for (std::uint32_t p = 0; p < kPartitions; ++p) all.push_back(runs::SpoolWriter::create(spool(folder, p)).value());
  return all;
}

// The slow, obvious way. Returns the spools' bytes behind each batch.
std::vector<std::vector<std::uint64_t>> write_one_by_one(const ScratchFolder& folder,
                                                         const std::vector<std::vector<Document>>& batches) {
  auto spools = writers(folder);
  std::vector<std::vector<std::uint64_t>> bytes;
  invert::DocumentNumber next = 0;
  for (const auto& batch : batches) {
    std::vector<runs::DocumentFrameWriter> frames(kPartitions);
    for (const Document& document : batch)
      if (!document.is_duplicate) document.add_to(frames[next++ % kPartitions]);
    ByteBuffer frame;
    bytes.emplace_back();
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      frames[p].finish(frame);
      EXPECT_TRUE(spools[p].append(frame));
      bytes.back().push_back(spools[p].bytes());
    }
  }
  for (auto& each : spools) EXPECT_TRUE(each.finish());
  return bytes;
}

// Runs a spooler on so many threads while `feed` does the sequencer's part.
template <class Feed>
Result<void> run(Spools& spools, BatchPool& pool, int threads, Feed&& feed) {
  FirstError error{std::stop_token()};
  {
    std::vector<std::jthread> spoolers;
    spoolers.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i)
      spoolers.emplace_back([&] { error.guard([&] { return spools.run(pool, error.token()); }); });
    feed(error.token());
  }
  return error.result();
}

Batch* filled(BatchPool& pool, const std::vector<Document>& documents, invert::DocumentNumber& next,
              const std::stop_token& stop) {
  Batch* const batch = pool.acquire(stop);
  if (batch == nullptr || !pool.admit(*batch, stop)) return nullptr;
  fill(*batch, documents, next);
  batch->readers_left = kPartitions;
  return batch;
}

TEST(Spools, AreTheSameFromAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    SCOPED_TRACE("threads, and seed: " + std::to_string(threads));
    const ScratchFolder expected, got;
    const auto batches = random_batches(static_cast<unsigned>(threads), 60);
    write_one_by_one(expected, batches);
    Spools spools(writers(got));
    BatchPool pool(4, 1 << 20);  // so the threads must give batches back
    invert::DocumentNumber next = 0;
    ASSERT_TRUE(run(spools, pool, threads, [&](const std::stop_token& stop) {
      for (std::size_t i = 0; i < batches.size(); ++i) {
        if (Batch* const batch = filled(pool, batches[i], next, stop)) spools.push(*batch);
        if (i % 3 == 2) spools.hand_over();
      }
      spools.close();
    }));
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      const std::string bytes = support::read_file(spool(got, p));
      EXPECT_EQ(spools.flushed_bytes(p), bytes.size());
      EXPECT_TRUE(bytes == support::read_file(spool(expected, p))) << "partition " << p;
    }
  }
}

TEST(Spools, HaveInTheirFilesWhatWasOrdered) {
  const ScratchFolder expected, got;
  const auto batches = random_batches(/*seed=*/11, 20);
  const auto wanted = write_one_by_one(expected, batches);
  Spools spools(writers(got));
  BatchPool pool(20, 1 << 20);
  invert::DocumentNumber next = 0;
  ASSERT_TRUE(run(spools, pool, 3, [&](const std::stop_token& stop) {
    for (std::size_t i = 0; i < batches.size(); ++i) {
      spools.push(*filled(pool, batches[i], next, stop));
      if (i != 9) continue;
      spools.order_flush();
      spools.push(*filled(pool, batches[++i], next, stop));  // belongs to what comes after the order
      EXPECT_TRUE(spools.wait_for_flush(stop));
      EXPECT_TRUE(spools.has_flushed());
      for (std::uint32_t p = 0; p < kPartitions; ++p) {
        EXPECT_EQ(spools.flushed_bytes(p), wanted[9][p]);
        EXPECT_GE(std::filesystem::file_size(spool(got, p)), wanted[9][p]);
      }
    }
    spools.close();
  }));
}

TEST(Spools, KeepOnlySomeBatchesThatWereNotHandedOver) {
  const ScratchFolder folder;
  Spools spools(writers(folder));
  constexpr std::size_t kMost = 8;
  BatchPool pool(kMost, 1 << 20);
  invert::DocumentNumber next = 0;
  const auto batches = random_batches(/*seed=*/5, kMost + 1);
  ASSERT_TRUE(run(spools, pool, 2, [&](const std::stop_token& stop) {
    for (std::size_t i = 0; i < kMost; ++i) spools.push(*filled(pool, batches[i], next, stop));
    spools.push(*filled(pool, batches[kMost], next, stop));  // one was given back, or this would wait forever
    spools.close();
  }));
}

TEST(Spools, SayWhichFileCouldNotBeWritten) {
  const ScratchFolder folder;
  auto files = writers(folder);
  files[3] = runs::SpoolWriter::create("/dev/full").value();  // each write finds the disk full
  Spools spools(std::move(files));
  BatchPool pool(2, 1 << 20);
  invert::DocumentNumber next = 0;
  const auto batches = random_batches(/*seed=*/3, 40);
  const auto done = run(spools, pool, 2, [&](const std::stop_token& stop) {
    for (const auto& documents : batches) {
      if (Batch* const batch = filled(pool, documents, next, stop)) spools.push(*batch);
      spools.hand_over();
    }
    spools.close();
  });
  ASSERT_EQ(done, Code::kUnavailable);
  EXPECT_NE(done.error().message().find("/dev/full"), std::string::npos) << done.error().message();
}

TEST(Spools, EndWhenTheyAreStopped) {
  const ScratchFolder folder;
  Spools spools(writers(folder));
  BatchPool pool(1, 1 << 20);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(spools.run(pool, stop.get_token()));
  spools.order_flush();
  EXPECT_FALSE(spools.has_flushed());
  EXPECT_FALSE(spools.wait_for_flush(stop.get_token()));
}

}  // namespace
}  // namespace frond::indexer::pipeline
