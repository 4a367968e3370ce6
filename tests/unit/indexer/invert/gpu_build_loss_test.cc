// A build whose postings stay on the device, which fails or hangs at any operation, also while partitions are written:
// the same index comes out.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "indexer/build/build.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "tests/support/cuda_on_host/devices.h"
#include "tests/support/cuda_on_host/failures.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

struct Shape {
  const char* name;
  int documents, words;
  std::uint64_t elastic;     // of the memory plan; 0: as it is. Little: texts are dropped before the end
  std::uint64_t checkpoint;  // bytes
};
constexpr Shape kShapes[] = {{"Small", 600, 60, 0, BuildOptions::kUsualCheckpointBytes},
                             {"TextsAreDropped", 2000, 300, 1, BuildOptions::kUsualCheckpointBytes},
                             {"TextsAreDroppedBetweenCheckpoints", 6000, 300, 1, 5'000'000}};

struct Built {
  std::uint64_t runs = 0, resumed = 0;
  std::vector<std::string> files;  // of all partitions, without the ends that RocksDB makes up
};

Built built(const support::ScratchFolder& folder, const Shape& shape, int devices = 1) {
  BuildOptions options;
  options.repository = folder / "repository";
  options.collection = "test";
  options.threads = 2;
  options.checkpoint_bytes = shape.checkpoint;
  options.invert.inputs = {folder / "input.jsonl"};
  options.invert.format = &ingest::kJsonl;
  options.invert.parse.store_bodies = false;
  options.invert.partitions = 2;
  options.invert.memory =
      pipeline::plan_memory_of_texts(std::uint64_t{1} << 30, 2, 2, static_cast<std::uint32_t>(devices));
  options.invert.memory.text_batch = devices > 1 ? 8 << 10 : 256 << 10;
  options.invert.memory.batch_bytes = devices > 1 ? 8 << 10 : 64 << 10;
  for (int device = 1; device < devices; ++device) options.invert.gpu.more_devices.push_back(device);
  if (shape.elastic > 0) options.invert.memory.elastic = shape.elastic;
  options.invert.text_inverter = &invert::gpu::gpu_text_inverter_kind();
  options.invert.gpu.bytes = std::uint64_t{64} << 20;
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  const auto result = build(options, progress, logger, {});
  EXPECT_TRUE(result) << result.error().message();
  if (!result) return {};
  Built all{result->inverted.runs, result->inverted.resumed_documents, {}};
  for (const auto& partition : result->manifest.partitions)
    for (const auto& file : partition.summary.files) {
      const std::string bytes =
          support::read_file(options.repository / "test" / "partitions" / partition.id / file.name);
      all.files.push_back(bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4 << 10)));
    }
  return all;
}

class ABuildWithoutItsDevice : public testing::TestWithParam<std::tuple<cuda_on_host::Failure, Shape>> {};

std::string documents_of(const Shape& shape) {
  std::string documents;
  for (int i = 0; i < shape.documents; ++i) {
    documents += R"({"id":")" + std::to_string(i) + R"(","title":"","body":")";
    for (int word = 0; word < shape.words; ++word)
      documents += "w" + std::to_string((i * 31 + word * word) % 4000) + " ";
    documents += "\"}\n";
  }
  return documents;
}

TEST_P(ABuildWithoutItsDevice, BeginsAnewAndHasTheSameBytes) {
  const auto& [failure, shape] = GetParam();
  const support::ScratchFolder folder;
  const std::string documents = documents_of(shape);
  support::write_file(folder / "input.jsonl", documents);
  const Built expected = built(folder, shape);
  const bool checkpoints = shape.checkpoint < documents.size();
  ASSERT_EQ(expected.runs == 0, !checkpoints) << "postings did not stay on the device";
  ASSERT_FALSE(expected.files.empty());
  int begun_anew = 0, resumed = 0;
  bool survived = false;
  // Few operations of a small build are those that write partitions.
  const std::uint64_t part = shape.documents < 1000 ? 8 : 2;
  for (std::uint64_t operations = 0; !survived && operations < 20'000; operations += 1 + operations / part) {
    const cuda_on_host::Failing failing(failure, operations + 1);
    const Built got = built(folder, shape);
    EXPECT_TRUE(got.files == expected.files) << "after " << operations;
    survived = !failing.happened();
    begun_anew += got.runs > expected.runs || got.resumed > 0 ? 1 : 0;
    resumed += got.resumed > 0 ? 1 : 0;
  }
  EXPECT_TRUE(survived);
  EXPECT_GT(begun_anew, 0);
  EXPECT_EQ(resumed > 0, checkpoints);
}
// Of three devices, one is full from the beginning, or fails at any operation.
TEST(ABuildOnSeveralDevices, HasTheSameBytesWhicheverFails) {
  const support::ScratchFolder folder;
  const Shape& shape = kShapes[0];
  support::write_file(folder / "input.jsonl", documents_of(shape));
  const Built expected = built(folder, shape);
  cuda_on_host::set_devices(3);
  for (int device = 0; device < 3; ++device) {
    SCOPED_TRACE("device " + std::to_string(device));
    cuda_on_host::fill_device(device, true);
    const Built beside = built(folder, shape, 3);
    cuda_on_host::fill_device(device, false);
    EXPECT_TRUE(beside.files == expected.files);
    EXPECT_EQ(beside.runs, 0u) << "the others are used";
    for (std::uint64_t operations = 1; operations < 3000; operations += 1 + operations / 2) {
      cuda_on_host::lose_device_after(operations, device);
      const Built got = built(folder, shape, 3);
      cuda_on_host::lose_device_after(0, device);
      EXPECT_TRUE(got.files == expected.files) << "after " << operations;
      EXPECT_EQ(got.runs, 0u) << "the others make them again, after " << operations;
    }
  }
  cuda_on_host::set_devices(1);
}

std::string name_of(const testing::TestParamInfo<std::tuple<cuda_on_host::Failure, Shape>>& info) {
  return std::string(std::get<0>(info.param).name) + std::get<1>(info.param).name;
}
INSTANTIATE_TEST_SUITE_P(Lost, ABuildWithoutItsDevice,
                         testing::Combine(testing::Values(cuda_on_host::kFailures[0]), testing::ValuesIn(kShapes)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Hangs, ABuildWithoutItsDevice,
                         testing::Combine(testing::Values(cuda_on_host::kFailures[1]), testing::Values(kShapes[0])),
                         name_of);

}  // namespace
}  // namespace frond::indexer
