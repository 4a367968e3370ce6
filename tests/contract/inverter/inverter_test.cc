// Every promise in inverter.h, checked on every implementation in the table of inverter.cc. The runs are compared with
// a map of what was given.
#include "indexer/invert/inverter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "indexer/invert/assignment.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/runs/run_merger.h"
#include "tests/contract/inverter/tested_inverters.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
using Index = std::map<std::string, std::map<DocId, Frequency>>;  // of one partition

// The index that runs hold, whose files are checked on the way: order, ranges, checksums.
Index read_runs(const std::vector<runs::RunFile>& all, std::uint32_t partition) {
  std::vector<std::filesystem::path> paths;
  std::uint64_t postings = 0;
  for (const runs::RunFile& run : all) {
    if (run.partition != partition) continue;
    paths.push_back(run.path);
    postings += run.postings;
    EXPECT_EQ(run.bytes, std::filesystem::file_size(run.path));
  }
  Index index;
  if (paths.empty()) return index;
  auto merger = runs::RunMerger::open(paths, partition);
  EXPECT_TRUE(merger) << merger.error().message();
  std::uint64_t read = 0;
  while (merger->next_term() == true) {
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    while (merger->read(docids, frequencies, docids.size() + 1) == true) {
    }
    for (std::size_t i = 0; i < docids.size(); ++i) index[std::string(merger->term())][docids[i]] = frequencies[i];
    read += docids.size();
  }
  EXPECT_LE(read, postings);  // a posting may be cut in two where a run ends
  return index;
}

std::string random_term(std::mt19937& random) {
  const std::uint32_t rank = random() % (1u << random() % 12);  // few common, many rare
  static const std::vector<std::string> kPrefixes = {"", "the", "a", "9", "é", "abcd"};
  return kPrefixes[rank % kPrefixes.size()] + std::to_string(rank);
}

// A batch of documents, and what an inverter gets of it.
class Batch {
 public:
  void begin_document(DocumentNumber number) {
    grouper_.begin_document(static_cast<std::uint32_t>(numbers.size()));
    numbers.push_back(number);
  }
  void add(std::string_view term) { grouper_.add(term); }
  void finish() { grouper_.finish(tokens); }

  parse::TokenGroups tokens;
  std::vector<DocumentNumber> numbers;

 private:
  parse::TokenGrouper grouper_;
};
Batch one_document(DocumentNumber number, std::initializer_list<const char*> terms) {
  Batch batch;
  batch.begin_document(number);
  for (const char* const term : terms) batch.add(term);
  batch.finish();
  return batch;
}

void append(std::vector<runs::RunFile>& all, Result<std::vector<runs::RunFile>> flushed) {
  ASSERT_TRUE(flushed) << flushed.error().message();
  all.insert(all.end(), flushed->begin(), flushed->end());
}

class EveryInverter : public testing::TestWithParam<InverterKind> {
 protected:
  std::unique_ptr<Inverter> make(std::uint32_t partitions, InverterBudget budget = {}, std::string label = "i") {
    if (!budget) budget = [] { return std::uint64_t{1} << 30; };
    return GetParam().make({.folder = folder_.path(),
                            .label = std::move(label),
                            .partitions = partitions,
                            .budget = std::move(budget),
                            .gpu = {.bytes = 512 * kMiB},
                            .warn = [](const std::string& said) { ADD_FAILURE() << said; }});
  }
  static Result<void> invert(Inverter& inverter, const Batch& batch) {
    return inverter.invert(batch.tokens, batch.tokens.groups, batch.numbers);
  }
  void compare_with_map(unsigned seed, std::uint32_t partitions);

  const support::ScratchFolder folder_;
};

TEST_P(EveryInverter, HasTheNameOfItsTable) { EXPECT_EQ(make(1)->name(), GetParam().name); }

void EveryInverter::compare_with_map(unsigned seed, std::uint32_t partitions) {
  std::mt19937 random(seed);
  const auto inverter = make(partitions, {}, "s" + std::to_string(seed) + "p" + std::to_string(partitions));
  const std::uint64_t when_new = inverter->memory_bytes();
  std::vector<Index> expected(partitions);
  std::vector<runs::RunFile> runs;
  DocumentNumber next = random() % 2 ? 0 : 123'456'789'012;  // beyond 32 bits, if enough partitions share them
  if (next / partitions >= kNoDoc - 10'000) next = 0;
  for (int n = 0; n < 12; ++n) {
    Batch batch;
    for (int document = 0; document < 40; ++document) {
      const bool dropped = random() % 10 == 0;
      const DocumentNumber number = dropped ? kDropped : next++;
      batch.begin_document(number);
      for (std::size_t count = random() % 60; count > 0; --count) {
        const std::string term = random_term(random);
        batch.add(term);
        if (!dropped) ++expected[number % partitions][term][static_cast<DocId>(number / partitions)];
      }
    }
    batch.finish();
    ASSERT_TRUE(invert(*inverter, batch));
    if (random() % 4 == 0) append(runs, inverter->flush());
  }
  append(runs, inverter->flush());
  EXPECT_LE(inverter->memory_bytes(), when_new);
  EXPECT_TRUE(inverter->flush()->empty());
  for (std::uint32_t p = 0; p < partitions; ++p)
    EXPECT_EQ(read_runs(runs, p), expected[p]) << "seed " << seed << ", partition " << p << " of " << partitions;
}

TEST_P(EveryInverter, AgreesWithAMapOnRandomCollections) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const std::uint32_t partitions : {1u, 2u, 3u, 16u, 64u}) compare_with_map(seed, partitions);
}

TEST_P(EveryInverter, GivesPostingsThatBecomeTheRunsThatItWouldWrite) {
  for (const std::uint32_t partitions : {1u, 2u, 20u}) {
    std::mt19937 random(partitions);
    const auto inverter = make(partitions, {}, "p" + std::to_string(partitions));
    std::vector<Index> expected(partitions);
    const DocumentNumber first = partitions == 20 ? 12'345'678'901 : 0;
    for (DocumentNumber n = first; n < first + 3'000; ++n) {
      Batch batch;
      batch.begin_document(n);
      for (std::size_t count = random() % 20; count > 0; --count) {
        const std::string term = random_term(random);
        batch.add(term);
        ++expected[n % partitions][term][static_cast<DocId>(n / partitions)];
      }
      batch.finish();
      ASSERT_TRUE(invert(*inverter, batch));
    }
    const auto postings = inverter->take_postings();
    if (postings == nullptr) return;  // it always writes runs
    PartitionRuns to(folder_.path(), "last" + std::to_string(partitions), partitions, runs::RunWriter::kMinFrameBytes);
    ASSERT_TRUE(postings->write_runs(to));
    std::vector<runs::RunFile> runs;
    ASSERT_TRUE(to.finish(runs));
    for (std::uint32_t p = 0; p < partitions; ++p) EXPECT_EQ(read_runs(runs, p), expected[p]) << p;
  }
}

TEST_P(EveryInverter, GivesNoPostingsBesideRuns) {
  const auto inverter = make(2, [] { return std::uint64_t{0}; });
  Batch batch;
  Index expected;
  for (std::uint32_t n = 0; n < 2; ++n) {
    batch.begin_document(n);
    for (int i = 0; i < 100'000; ++i) {
      const std::string term = "#" + std::to_string(i);
      batch.add(term);
      if (n == 0) expected[term][0] = 1;
    }
  }
  batch.finish();
  ASSERT_TRUE(invert(*inverter, batch));
  EXPECT_EQ(inverter->take_postings(), nullptr);
  const auto runs = inverter->flush();
  ASSERT_TRUE(runs);
  EXPECT_EQ(read_runs(*runs, 0), expected);
}

TEST_P(EveryInverter, WritesAtMostOneRunAPartitionAndNoneWithoutPostings) {
  const auto inverter = make(3);
  ASSERT_TRUE(invert(*inverter, one_document(4, {"apple", "berry"})));  // partition 1
  ASSERT_TRUE(invert(*inverter, one_document(7, {"apple"})));
  const auto runs = inverter->flush();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().partition, 1u);
  EXPECT_EQ(runs->front().postings, 3u);
  EXPECT_EQ(read_runs(*runs, 1), (Index{{"apple", {{1, 1}, {2, 1}}}, {"berry", {{1, 1}}}}));
}

TEST_P(EveryInverter, TakesOnlyTheGroupsThatItIsGiven) {
  const auto inverter = make(1);
  const Batch batch = one_document(5, {"apple", "berry", "cherry"});
  ASSERT_TRUE(inverter->invert(batch.tokens, std::span(batch.tokens.groups).subspan(1, 1), batch.numbers));
  const auto runs = inverter->flush();
  ASSERT_TRUE(runs);
  EXPECT_EQ(read_runs(*runs, 0), (Index{{"berry", {{5, 1}}}}));
}

TEST_P(EveryInverter, PassesOverDuplicates) {
  const auto inverter = make(1);
  ASSERT_TRUE(invert(*inverter, one_document(kDropped, {"apple"})));
  EXPECT_TRUE(inverter->flush()->empty());
}

// Documents of tens of thousands of different terms, many of which come again, in as few collections as there can be.
TEST_P(EveryInverter, KeepsToItsBudgetInTheMiddleOfADocument) {
  const bool emulated = GetParam().name == "gpu";  // perhaps: less, since it takes long
  const std::uint32_t terms = emulated ? 30'000 : 100'000;
  for (std::uint32_t partitions = 1; partitions <= (emulated ? 1 : 3); partitions += 2) {
    std::uint64_t budget = GetParam().min_bytes + 8 * kMiB, most = 0;
    const Inverter* watched = nullptr;
    // The inverter asks before each piece of tokens; none of these may take it beyond the budget.
    const auto asked = [&] {
      most = std::max(most, watched->memory_bytes());
      return budget;
    };
    const auto inverter = make(partitions, asked, "b" + std::to_string(partitions));
    watched = inverter.get();
    std::vector<Index> expected(partitions);
    for (std::uint32_t n = 0; n < 6; ++n) {
      if (n == 3) budget = GetParam().min_bytes + 2 * kMiB;  // as when others need memory
      Batch batch;
      batch.begin_document(n);
      for (std::uint32_t i = 0; i < terms; ++i) {
        const std::string term = "#" + std::to_string(i % 3 == 0 ? i % 999 : i * 7 + n);
        batch.add(term);
        ++expected[n % partitions][term][n / partitions];
      }
      batch.finish();
      ASSERT_TRUE(invert(*inverter, batch));
      if (n == 3) most = 0;  // it held more before the budget shrank
      EXPECT_LE(most, budget);
    }
    const auto runs = inverter->flush();
    ASSERT_TRUE(runs);
    EXPECT_GT(runs->size(), (emulated ? 1u : 2u) * partitions);
    for (std::uint32_t p = 0; p < partitions; ++p)
      EXPECT_EQ(read_runs(*runs, p), expected[p]) << "partition " << p << " of " << partitions;
  }
}

TEST_P(EveryInverter, RefusesMoreDocumentsThanARunCanNumber) {
  const auto inverter = make(2);
  std::vector<runs::RunFile> runs;
  ASSERT_TRUE(invert(*inverter, one_document(0, {"first"})));
  const Batch last = one_document(kMaxRunDocuments, {"last"});
  EXPECT_EQ(invert(*inverter, last), Code::kInvalid);
  append(runs, inverter->flush());
  ASSERT_TRUE(invert(*inverter, last));
  append(runs, inverter->flush());
  EXPECT_EQ(read_runs(runs, 0), (Index{{"first", {{0, 1}}}}));
  EXPECT_EQ(read_runs(runs, 1), (Index{{"last", {{kMaxRunDocuments / 2, 1}}}}));
}

TEST_P(EveryInverter, NamesAFileThatItCannotWrite) {
  const auto inverter = GetParam().make({"/nonexistent", "i", 1, [] { return std::uint64_t{1} << 30; }});
  ASSERT_TRUE(invert(*inverter, one_document(0, {"word"})));
  const auto runs = inverter->flush();
  ASSERT_EQ(runs, Code::kUnavailable);
  EXPECT_NE(runs.error().message().find("/nonexistent/i"), std::string::npos) << runs.error().message();
}

// Each has the collections that an Assignment gives it, and a thread; a third thread reads how much they hold.
TEST_P(EveryInverter, SharesNothingWithAnother) {
  constexpr std::size_t kInverters = 2, kDocuments = 2'000;
  std::mt19937 random(9);
  Batch batch;
  Index expected;
  for (DocumentNumber n = 0; n < kDocuments; ++n) {
    batch.begin_document(n);
    for (int i = 0; i < 30; ++i) {
      const std::string term = random_term(random);
      batch.add(term);
      ++expected[term][static_cast<DocId>(n)];
    }
  }
  batch.finish();
  std::vector<std::vector<parse::TokenGroup>> shares;
  Assignment(batch.tokens.groups, kInverters).split(batch.tokens.groups, shares);
  std::vector<std::unique_ptr<Inverter>> inverters;
  for (std::size_t i = 0; i < kInverters; ++i) inverters.push_back(make(1, {}, "t" + std::to_string(i)));
  std::vector<std::vector<runs::RunFile>> runs(kInverters);
  std::atomic<std::uint64_t> seen = 0;
  {
    std::jthread watcher([&](std::stop_token stop) {
      while (!stop.stop_requested())
        for (const auto& inverter : inverters) seen += inverter->memory_bytes() > 0;
    });
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kInverters; ++i)
      threads.emplace_back([&, i] {
        EXPECT_TRUE(inverters[i]->invert(batch.tokens, shares[i], batch.numbers));
        append(runs[i], inverters[i]->flush());
      });
  }
  Index together = read_runs(runs[0], 0);
  together.merge(read_runs(runs[1], 0));
  EXPECT_EQ(together, expected);
}

INSTANTIATE_TEST_SUITE_P(Inverters, EveryInverter,
                         testing::ValuesIn(tested_inverters().begin(), tested_inverters().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace frond::indexer::invert
