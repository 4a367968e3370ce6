// A device that fails or hangs at any operation of a run: the CPU's inverter goes on, and nothing is missing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indexer/invert/gpu/gpu_inverter.h"
#include "tests/support/cuda_on_host/failures.h"
#include "tests/support/run_postings.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

struct Batch {
  parse::TokenGroups tokens;
  std::vector<DocumentNumber> numbers;
};

Batch batch_of(DocumentNumber first, support::RunPostings& expected) {
  Batch batch;
  parse::TokenGrouper grouper;
  for (std::uint32_t document = 0; document < 8; ++document) {
    grouper.begin_document(document);
    batch.numbers.push_back(first + document);
    for (std::uint32_t i = 0; i < 12; ++i) {
      const std::string term = "term" + std::to_string((first + document * 5 + i * 3) % 40);
      grouper.add(term);
      ++expected[term][static_cast<DocId>(first + document)];
    }
  }
  grouper.finish(batch.tokens);
  return batch;
}

support::RunPostings read_runs(const std::vector<runs::RunFile>& all) {
  std::vector<std::filesystem::path> paths;
  paths.reserve(all.size());
  for (const runs::RunFile& run : all) paths.push_back(run.path);
  return support::read_run_postings(paths, 0);
}

class GpuInverterWithoutItsDevice : public testing::TestWithParam<cuda_on_host::Failure> {};

TEST_P(GpuInverterWithoutItsDevice, LeavesNothingOut) {
  bool survived = false;
  std::uint64_t operations = 0, noticed = 0, tries = 0;
  for (; !survived && operations < 1000; operations += GetParam().step(operations), ++tries) {
    const support::ScratchFolder folder;
    support::RunPostings expected;
    std::vector<std::string> warnings;
    std::vector<runs::RunFile> runs;
    const cuda_on_host::Failing failing(GetParam(), operations + 1);
    {
      GpuInverter inverter({.folder = folder.path(),
                            .label = "gpu",
                            .budget = [] { return std::uint64_t{1} << 30; },
                            .gpu = {.bytes = std::uint64_t{16} << 20},
                            .warn = [&](const std::string& said) { warnings.push_back(said); }});
      for (DocumentNumber first = 0; first < 48; first += 8) {
        const Batch batch = batch_of(first, expected);
        const auto inverted = inverter.invert(batch.tokens, batch.tokens.groups, batch.numbers);
        ASSERT_TRUE(inverted) << inverted.error().message();
        if (first != 16) continue;
        const auto flushed = inverter.flush();
        ASSERT_TRUE(flushed) << flushed.error().message();
        runs = *flushed;
      }
      const auto flushed = inverter.flush();
      ASSERT_TRUE(flushed) << flushed.error().message();
      runs.insert(runs.end(), flushed->begin(), flushed->end());
      EXPECT_EQ(inverter.name(), warnings.empty() ? "gpu" : "cpu");
    }
    ASSERT_EQ(read_runs(runs), expected) << "after " << operations;
    survived = !failing.happened();
    EXPECT_LE(warnings.size(), survived ? 0u : 1u) << operations;
    noticed += warnings.size();
  }
  EXPECT_TRUE(survived) << "more than " << operations << " operations";
  EXPECT_GT(noticed, 20u);  // the others in a destructor
  EXPECT_LE(noticed, tries);
}
INSTANTIATE_TEST_SUITE_P(Failures, GpuInverterWithoutItsDevice, testing::ValuesIn(cuda_on_host::kFailures),
                         cuda_on_host::name_of);

}  // namespace
}  // namespace frond::indexer::invert::gpu
