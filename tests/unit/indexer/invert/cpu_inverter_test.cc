// The CPU inverter against a map: the same postings, whatever the partitions and flushes.
#include "indexer/invert/cpu_inverter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "indexer/runs/run_merger.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert {
namespace {

using Index = std::map<std::string, std::map<DocId, Frequency>>;  // of one partition

Index read_partition(const std::vector<std::filesystem::path>& runs, std::uint32_t partition) {
  Index index;
  auto merger = runs::RunMerger::open(runs, partition);
  EXPECT_TRUE(merger);
  while (merger->next_term() == true) {
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    while (merger->read(docids, frequencies, docids.size() + 1) == true) {
    }
    for (std::size_t i = 0; i < docids.size(); ++i) index[std::string(merger->term())][docids[i]] = frequencies[i];
  }
  return index;
}

std::string random_term(std::mt19937& random) {
  const std::uint32_t rank = random() % (1u << random() % 12);  // few common, many rare
  static const std::vector<std::string> kPrefixes = {"", "the", "a", "9", "é", "abcd"};
  return kPrefixes[rank % kPrefixes.size()] + std::to_string(rank);
}

const InverterBudget kPlenty = [] { return std::uint64_t{1} << 30; };

void compare_with_map(unsigned seed, std::uint32_t partitions) {
  std::mt19937 random(seed);
  const support::ScratchFolder folder;
  CpuInverter inverter(folder.path(), "cpu0", partitions, kPlenty);
  EXPECT_EQ(inverter.name(), "cpu");
  parse::TokenGrouper grouper;
  parse::TokenGroups groups;
  std::vector<Index> expected(partitions);
  std::vector<std::vector<std::filesystem::path>> runs(partitions);
  const auto flush = [&] {
    auto flushed = inverter.flush();
    ASSERT_TRUE(flushed);
    for (const runs::RunFile& run : *flushed) runs[run.partition].push_back(run.path);
  };
  DocumentNumber next = random() % 2 ? 0 : 123'456'789'012;  // beyond 32 bits, where partitions make room
  if (next / partitions >= kNoDoc - 10'000) next = 0;
  for (int batch = 0; batch < 12; ++batch) {
    std::vector<DocumentNumber> numbers;
    for (std::uint32_t document = 0; document < 40; ++document) {
      const bool dropped = random() % 10 == 0;
      numbers.push_back(dropped ? kDropped : next++);
      grouper.begin_document(document);
      for (std::size_t n = random() % 60; n > 0; --n) {
        const std::string term = random_term(random);
        grouper.add(term);
        if (!dropped) ++expected[numbers.back() % partitions][term][static_cast<DocId>(numbers.back() / partitions)];
      }
    }
    grouper.finish(groups);
    ASSERT_TRUE(inverter.invert(groups, groups.groups, numbers));
    if (random() % 4 == 0) flush();
  }
  const std::uint64_t before = inverter.memory_bytes();
  flush();
  EXPECT_LE(inverter.memory_bytes(), before);
  flush();  // nothing
  for (std::uint32_t p = 0; p < partitions; ++p)
    EXPECT_EQ(read_partition(runs[p], p), expected[p])
        << "seed " << seed << ", partition " << p << " of " << partitions;
}

TEST(CpuInverter, AgreesWithAMapOnRandomCollections) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const std::uint32_t partitions : {1u, 2u, 3u, 16u, 64u}) compare_with_map(seed, partitions);
}

// Documents of tens of thousands of different terms, many of which come again, in as few collections as there can be.
TEST(CpuInverter, KeepsToItsBudgetInTheMiddleOfADocument) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  for (const std::uint32_t partitions : {1u, 3u}) {
    const support::ScratchFolder folder;
    std::uint64_t budget = 12 * kMiB;
    std::uint64_t most = 0;
    CpuInverter* watched = nullptr;
    // Asked before each piece of tokens, of which none may take the inverter beyond the budget.
    CpuInverter inverter(folder.path(), "cpu0", partitions, [&] {
      most = std::max(most, watched->memory_bytes());
      return budget;
    });
    watched = &inverter;
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    std::vector<Index> expected(partitions);
    for (std::uint32_t n = 0; n < 6; ++n) {
      if (n == 3) budget = 6 * kMiB;  // others need memory
      grouper.begin_document(0);
      for (std::uint32_t i = 0; i < 100'000; ++i) {
        const std::string term = "#" + std::to_string(i % 3 == 0 ? i % 999 : i * 7 + n);
        grouper.add(term);
        ++expected[n % partitions][term][n / partitions];
      }
      grouper.finish(groups);
      ASSERT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{n}));
      if (n == 3) most = 0;
      EXPECT_LE(most, budget);
    }
    const auto flushed = inverter.flush();
    ASSERT_TRUE(flushed);
    EXPECT_GT(flushed->size(), 2u * partitions);
    for (std::uint32_t p = 0; p < partitions; ++p) {
      std::vector<std::filesystem::path> runs;
      for (const runs::RunFile& run : *flushed)
        if (run.partition == p) runs.push_back(run.path);
      EXPECT_EQ(read_partition(runs, p), expected[p]) << "partition " << p << " of " << partitions;
    }
  }
}

TEST(CpuInverter, TakesOnlyTheGroupsThatItIsGiven) {
  const support::ScratchFolder folder;
  CpuInverter inverter(folder.path(), "cpu1", 1, kPlenty);
  parse::TokenGrouper grouper;
  parse::TokenGroups groups;
  grouper.begin_document(0);
  for (const char* term : {"apple", "berry", "cherry"}) grouper.add(term);
  grouper.finish(groups);
  const std::vector<DocumentNumber> numbers = {5};
  ASSERT_TRUE(inverter.invert(groups, std::span(groups.groups).subspan(1, 1), numbers));
  const auto runs = inverter.flush();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(read_partition({(*runs)[0].path}, 0), (Index{{"berry", {{5, 1}}}}));
}

TEST(CpuInverter, SaysWhereItCanNotWrite) {
  CpuInverter inverter("/nonexistent", "cpu0", 1, kPlenty);
  parse::TokenGrouper grouper;
  parse::TokenGroups groups;
  grouper.begin_document(0);
  grouper.add("word");
  grouper.finish(groups);
  ASSERT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{0}));
  const auto runs = inverter.flush();
  ASSERT_EQ(runs, Code::kUnavailable);
  EXPECT_NE(runs.error().message().find("/nonexistent/cpu0-0-p0.run"), std::string::npos);
}

}  // namespace
}  // namespace frond::indexer::invert
