// What the inverter on the GPU promises beyond the seam, which tests/contract/inverter tests: the runs have the bytes
// of those that the CPU's inverter writes.
#include "indexer/invert/gpu/gpu_inverter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

struct Batch {
  parse::TokenGroups tokens;
  std::vector<DocumentNumber> numbers;
};

// Terms with common beginnings of 0 to 40 bytes, so that four bytes do not tell them apart; some in nearly all
// documents.
std::string random_term(std::mt19937& random) {
  static const std::vector<std::string> kBeginnings = {
      "", "the", "zoolog", "abcd", "9", "日本", "inter", std::string(40, 'x'), "aaaa", "é", "-"};
  const std::uint32_t rank = random() % (1u << random() % 15);
  std::string term = kBeginnings[random() % kBeginnings.size()];
  for (std::uint32_t rest = rank; rest > 0; rest /= 7) term += static_cast<char>('a' + rest % 7);
  return term.empty() ? "q" : term;
}

Batch random_batch(std::mt19937& random, std::size_t documents, std::size_t max_terms, DocumentNumber& next,
                   std::size_t kept_bytes) {
  Batch batch;
  parse::TokenGrouper grouper(kept_bytes);
  for (std::size_t document = 0; document < documents; ++document) {
    grouper.begin_document(static_cast<std::uint32_t>(document));
    batch.numbers.push_back(random() % 20 == 0 ? kDropped : next++);
    for (std::size_t count = random() % max_terms; count > 0; --count) grouper.add(random_term(random));
  }
  grouper.finish(batch.tokens);
  return batch;
}

std::vector<std::string> runs_of(Inverter& inverter, const std::vector<Batch>& batches) {
  for (const Batch& batch : batches) {
    const auto inverted = inverter.invert(batch.tokens, batch.tokens.groups, batch.numbers);
    EXPECT_TRUE(inverted) << inverted.error().message();
  }
  const auto runs = inverter.flush();
  EXPECT_TRUE(runs) << runs.error().message();
  std::vector<std::string> bytes;
  for (const runs::RunFile& run : *runs) bytes.push_back(support::read_file(run.path));
  return bytes;
}

void expect_runs_of_the_cpu(unsigned seed, std::size_t batches, std::size_t documents, std::size_t max_terms,
                            std::uint32_t partitions, std::size_t kept_bytes,
                            std::uint64_t most = std::uint64_t{1} << 30) {
  std::mt19937 random(seed);
  DocumentNumber next = seed;
  std::vector<Batch> given;
  for (std::size_t b = 0; b < batches; ++b)
    given.push_back(random_batch(random, documents, max_terms, next, kept_bytes));
  const support::ScratchFolder folder;
  const InverterBudget budget = [most] { return most; };
  std::vector<std::string> warnings;
  GpuInverter gpu({.folder = folder.path(),
                   .label = "gpu",
                   .partitions = partitions,
                   .budget = budget,
                   .gpu = {.bytes = std::uint64_t{256} << 20},
                   .warn = [&](const std::string& said) { warnings.push_back(said); }});
  HashInverter cpu(folder.path(), "cpu", partitions, budget);
  EXPECT_EQ(runs_of(gpu, given), runs_of(cpu, given)) << "seed " << seed;
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST(GpuInverter, WritesTheRunsThatTheCpuWrites) {
  for (unsigned seed = 1; seed <= 3; ++seed)
    expect_runs_of_the_cpu(seed, 5, 30, 400, 1 + seed % 3, std::size_t{4} << 20);
}

TEST(GpuInverter, TakesBatchesOfManySections) { expect_runs_of_the_cpu(77, 2, 40, 500, 2, 4 << 10); }

TEST(GpuInverter, TakesBatchesThatAreLongerThanASlice) {
  expect_runs_of_the_cpu(88, 1, 500, 500, 1, 64 << 20, std::uint64_t{40} << 20);
}

TEST(GpuInverter, WritesMoreRunsWhereTheDevicesMemoryIsSmall) {
  std::mt19937 random(99);
  DocumentNumber next = 0;
  std::vector<Batch> given;
  given.reserve(8);
  for (int b = 0; b < 8; ++b) given.push_back(random_batch(random, 15, 1200, next, std::size_t{4} << 20));
  const support::ScratchFolder folder;
  std::vector<std::string> warnings;
  GpuInverter gpu({.folder = folder.path(),
                   .label = "gpu",
                   .budget = [] { return std::uint64_t{1} << 30; },
                   .gpu = {.bytes = std::uint64_t{6} << 20},
                   .warn = [&](const std::string& said) { warnings.push_back(said); }});
  EXPECT_GT(runs_of(gpu, given).size(), 1u);
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST(GpuInverter, LeavesTheRunToTheCpuWhereTheDevicesMemoryIsTooSmall) {
  std::mt19937 random(5);
  DocumentNumber next = 0;
  const std::vector<Batch> given = {random_batch(random, 50, 300, next, std::size_t{4} << 20)};
  const support::ScratchFolder folder;
  std::vector<std::string> warnings;
  const InverterBudget budget = [] { return std::uint64_t{1} << 30; };
  GpuInverter gpu({.folder = folder.path(),
                   .label = "gpu",
                   .budget = budget,
                   .gpu = {.bytes = 100 << 10},
                   .warn = [&](const std::string& said) { warnings.push_back(said); }});
  HashInverter cpu(folder.path(), "cpu", 1, budget);
  EXPECT_EQ(runs_of(gpu, given), runs_of(cpu, given));
  EXPECT_EQ(warnings.size(), 1u);
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
