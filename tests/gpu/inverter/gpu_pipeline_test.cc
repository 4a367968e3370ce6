// Documents to runs with inverters on the CPU and the GPU: the postings are the same.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "indexer/ingest/formats/formats.h"
#include "indexer/invert/gpu/gpu_inverter.h"
#include "indexer/pipeline/invert_documents.h"
#include "tests/support/run_postings.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::pipeline {
namespace {

using support::ScratchFolder;

std::string documents(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    // An id in twenty comes again.
    text += R"({"id":")" + std::to_string(random() % 20 == 0 ? i / 2 : i) + R"(","contents":")";
    for (std::size_t words = random() % 80; words > 0; --words) {
      std::uint32_t rank = random() % (1u << random() % 13);
      for (const char* const letters = "aeionrtszk"; rank > 0; rank /= 10) text += letters[rank % 10];
      text += ' ';
    }
    text += "\"}\n";
  }
  return text;
}

std::vector<support::RunPostings> inverted(const std::string& jsonl, std::uint32_t inverters,
                                           std::uint32_t gpu_inverters) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl);
  std::filesystem::create_directory(folder / "scratch");
  InvertOptions options;
  options.inputs = {folder / "input.jsonl"};
  options.format = &ingest::kJsonl;
  options.partitions = 2;
  options.memory = plan_memory(std::uint64_t{1} << 30, 2, inverters, 2, gpu_inverters);
  options.memory.batch_bytes = 64 << 10;
  options.gpu_inverter = &invert::gpu::gpu_inverter_kind();
  options.gpu.bytes = std::uint64_t{64} << 20;
  InvertProgress progress;
  Logger logger("test", LogLevel::kError);
  const auto result = invert_documents(options, folder / "scratch", progress, logger, {});
  EXPECT_TRUE(result) << result.error().message();
  std::vector<support::RunPostings> partitions;
  for (std::uint32_t p = 0; p < 2; ++p) partitions.push_back(support::read_run_postings(result->partitions[p].runs, p));
  return partitions;
}

TEST(InvertDocuments, HasTheSamePostingsWithInvertersOnTheGpu) {
  for (const unsigned seed : {1u, 2u}) {
    const std::string text = documents(seed, 1500);
    const std::vector<support::RunPostings> expected = inverted(text, 2, 0);
    ASSERT_FALSE(expected[0].empty());
    EXPECT_EQ(inverted(text, 1, 1), expected) << "seed " << seed;
    EXPECT_EQ(inverted(text, 2, 3), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace frond::indexer::pipeline
