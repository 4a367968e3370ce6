// Several threads write the same spools as one loop, whatever is a duplicate, and report what the disk says.
#include "indexer/pipeline/spools.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>

#include "common/base/threads/parallel.h"
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
  std::string values = {};
  std::size_t add_to(runs::DocumentFrameWriter& frame) const {
    return frame.add({id, "", "", body, prior, values}, length);
  }
};

std::vector<std::vector<Document>> random_batches(unsigned seed, std::size_t count, bool may_have_duplicates = true) {
  std::mt19937 random(seed);
  std::vector<std::vector<Document>> batches(count);
  for (auto& batch : batches) {
    const bool duplicates = may_have_duplicates && random() % 2 == 0, priors = random() % 2 == 0;
    const bool values = random() % 2 == 0;
    for (auto documents = random() % 40; documents > 0; --documents)
      batch.push_back({"id" + std::to_string(random()), std::string(random() % 30'000, 'x'),
                       static_cast<std::uint32_t>(random()), static_cast<scoring::Prior>(priors ? random() % 9 : 0),
                       duplicates && random() % 3 == 0,
                       std::string(values ? random() % 50 : 0, static_cast<char>('a' + documents % 26))});
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

// All documents of a spool.
using StoredTuple = std::tuple<std::string, std::string, std::uint32_t, scoring::Prior, std::string>;
std::vector<StoredTuple> documents_in(const std::filesystem::path& path) {
  std::vector<StoredTuple> all;
  auto reader = runs::SpoolReader::open(path).value();
  while (const auto frame = reader.next().value())
    for (std::size_t i = 0; i < frame->documents().size(); ++i) {
      const partition::StoredDocument& one = frame->documents()[i];
      all.emplace_back(one.id, one.body, frame->length(i), one.prior, one.values);
    }
  return all;
}

Batch* filled(BatchPool& pool, const std::vector<Document>& documents, invert::DocumentNumber& next,
              const std::stop_token& stop) {
  Batch* const batch = pool.acquire(stop);
  if (batch == nullptr || !pool.admit(*batch, stop)) return nullptr;
  fill(*batch, documents, next);
  batch->readers_left = kPartitions;
  return batch;
}

// Writes the batches' spools into the folder.
void write_spools(const ScratchFolder& folder, const std::vector<std::vector<Document>>& batches,
                  std::uint32_t threads) {
  FirstError error;
  BatchPool pool(4, 1 << 20);  // so the threads must give batches back
  Spools spools(writers(folder), threads, pool, error);
  invert::DocumentNumber next = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    spools.push(*filled(pool, batches[i], next, error.token()));
    if (i % 3 == 2) spools.hand_over();
  }
  spools.order_flush();
  ASSERT_TRUE(spools.wait_for_flush());
  ASSERT_TRUE(error.result());
  EXPECT_GE(spools.seconds(), 0);
  for (std::uint32_t p = 0; p < kPartitions; ++p)
    EXPECT_EQ(spools.flushed_bytes(p), std::filesystem::file_size(spool(folder, p)));
}

TEST(Spools, AreTheSameFromAnyNumberOfThreads) {
  for (const unsigned threads : {2, 7}) {
    SCOPED_TRACE("threads, and seed: " + std::to_string(threads));
    const ScratchFolder expected, of_one, of_several;
    const auto batches = random_batches(threads, 60);
    write_one_by_one(expected, batches);
    write_spools(of_one, batches, 1);
    write_spools(of_several, batches, threads);
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      EXPECT_TRUE(documents_in(spool(of_one, p)) == documents_in(spool(expected, p))) << "partition " << p;
      EXPECT_TRUE(support::read_file(spool(of_one, p)) == support::read_file(spool(of_several, p)))
          << "partition " << p;
    }
  }
}

TEST(Spools, HaveInTheirFilesWhatWasOrdered) {
  const ScratchFolder expected, got;
  const auto batches = random_batches(/*seed=*/11, 20, /*duplicates=*/false);
  const auto wanted = write_one_by_one(expected, batches);
  FirstError error;
  BatchPool pool(20, 1 << 20);
  Spools spools(writers(got), 3, pool, error);
  invert::DocumentNumber next = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    spools.push(*filled(pool, batches[i], next, error.token()));
    if (i != 9) continue;
    spools.order_flush();
    spools.push(*filled(pool, batches[++i], next, error.token()));  // belongs to what comes after the order
    EXPECT_TRUE(spools.wait_for_flush());
    EXPECT_TRUE(spools.has_flushed());
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      EXPECT_EQ(spools.flushed_bytes(p), wanted[9][p]);
      EXPECT_GE(std::filesystem::file_size(spool(got, p)), wanted[9][p]);
    }
  }
  spools.order_flush();
  ASSERT_TRUE(spools.wait_for_flush());
  for (std::uint32_t p = 0; p < kPartitions; ++p)
    EXPECT_TRUE(support::read_file(spool(got, p)) == support::read_file(spool(expected, p))) << "partition " << p;
}

TEST(Spools, KeepOnlySomeBatchesThatWereNotHandedOver) {
  const ScratchFolder folder;
  constexpr std::size_t kMost = 8;
  FirstError error;
  BatchPool pool(kMost, 1 << 20);
  Spools spools(writers(folder), 2, pool, error);
  invert::DocumentNumber next = 0;
  const auto batches = random_batches(/*seed=*/5, kMost + 1);
  for (std::size_t i = 0; i < kMost; ++i) spools.push(*filled(pool, batches[i], next, error.token()));
  spools.push(*filled(pool, batches[kMost], next, error.token()));  // one was given back, or this would wait forever
  spools.order_flush();
  EXPECT_TRUE(spools.wait_for_flush());
}

TEST(Spools, SayWhichFileCouldNotBeWritten) {
  const ScratchFolder folder;
  auto files = writers(folder);
  files[3] = runs::SpoolWriter::create("/dev/full").value();  // each write finds the disk full
  FirstError error;
  BatchPool pool(2, 1 << 20);
  Spools spools(std::move(files), 2, pool, error);
  invert::DocumentNumber next = 0;
  for (const auto& documents : random_batches(/*seed=*/3, 40)) {
    if (Batch* const batch = filled(pool, documents, next, error.token())) spools.push(*batch);
    spools.hand_over();
  }
  spools.order_flush();
  EXPECT_FALSE(spools.wait_for_flush());
  const auto done = error.result();
  ASSERT_EQ(done, Code::kUnavailable);
  EXPECT_NE(done.error().message().find("/dev/full"), std::string::npos) << done.error().message();
}

TEST(Spools, EndWhenTheyAreStopped) {
  const ScratchFolder folder;
  std::stop_source stop;
  stop.request_stop();
  FirstError error(stop.get_token());
  BatchPool pool(1, 1 << 20);
  Spools spools(writers(folder), 2, pool, error);
  spools.order_flush();
  EXPECT_FALSE(spools.wait_for_flush());
  EXPECT_FALSE(spools.has_flushed());
}

}  // namespace
}  // namespace frond::indexer::pipeline
