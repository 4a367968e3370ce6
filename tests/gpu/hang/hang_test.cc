// A device that hangs in the middle of a build: the build goes on without it, and the process ends. (On the host:
// common/device/patience_test.cc, and builds in indexer/invert/gpu_text_loss_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "common/device/patience.h"
#include "indexer/build/build.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "tests/gpu/hang/spin.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

BuildOptions options_for(const support::ScratchFolder& folder, const std::string& name, bool texts) {
  BuildOptions options;
  options.repository = folder / name;
  options.collection = "test";
  options.threads = 2;
  options.invert.inputs = {folder / "input.jsonl"};
  options.invert.format = &ingest::kJsonl;
  options.invert.partitions = 2;
  options.invert.memory = texts ? pipeline::plan_memory_of_texts(std::uint64_t{1} << 30, 2, 2)
                                : pipeline::plan_memory(std::uint64_t{1} << 30, 2, 2, 2);
  options.invert.text_inverter = &invert::gpu::gpu_text_inverter_kind();
  options.invert.gpu.bytes = std::uint64_t{64} << 20;
  return options;
}

// The files of all partitions, without what RocksDB itself writes to their ends.
std::vector<std::string> built(const BuildOptions& options, Logger& logger) {
  BuildProgress progress;
  const auto summary = build(options, progress, logger, {});
  EXPECT_TRUE(summary) << summary.error().message();
  std::vector<std::string> files;
  for (const auto& partition : summary->manifest.partitions)
    for (const auto& file : partition.summary.files) {
      const std::string bytes =
          support::read_file(options.repository / "test" / "partitions" / partition.id / file.name);
      files.push_back(file.name + bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4 << 10)));
    }
  return files;
}

TEST(ADeviceThatHangs, LeavesABuildToTheCpu) {
  const support::ScratchFolder folder;
  std::string documents;
  for (int i = 0; i < 20'000; ++i)
    documents += R"({"id":"d)" + std::to_string(i) + R"(","body":"words )" + std::to_string(i % 977) + " and " +
                 std::to_string(i * 7919 % 10'007) + " others\"}\n";
  support::write_file(folder / "input.jsonl", documents);
  Logger quiet("test", LogLevel::kError);
  const auto expected = built(options_for(folder, "cpu", false), quiet);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(built(options_for(folder, "gpu", true), quiet), expected);
  EXPECT_FALSE(device::given_up());

  constexpr int kHangs = 20;
  device::set_patience(seconds(2));
  ASSERT_TRUE(support::occupy_device(kHangs));
  const auto begun = steady_clock::now();
  EXPECT_EQ(built(options_for(folder, "hung", true), quiet), expected);
  EXPECT_TRUE(device::given_up());
  EXPECT_LT(steady_clock::now() - begun, seconds(kHangs - 5));
  // And the process ends, while the device still works: ctest's time limit is shorter than that.
}

}  // namespace
}  // namespace frond::indexer
