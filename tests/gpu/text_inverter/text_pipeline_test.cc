// Whole builds with texts on the GPU: the partitions have the bytes of those that CPU threads make.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "common/device/runtime.h"
#include "indexer/build/build.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "tests/gpu/text_inverter/random_texts.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

using support::ScratchFolder;

std::string as_json(const std::string& text) {
  std::string json;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') json += '\\';
    if (byte == 0xff || byte < ' ')
      json += ' ';
    else
      json += c;
  }
  return json;
}

// One id in twenty comes again; a record in fifty is malformed.
std::string documents(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (random() % 50 == 0) {
      text += "{\"id\": 7\n";
      continue;
    }
    text += R"({"id":"d)" + std::to_string(random() % 20 == 0 ? i / 2 : i) + R"(","title":")" +
            as_json(support::random_text(random, random() % 6, 5)) + R"(","body":")" +
            as_json(support::random_text(random, random() % (i % 60 == 0 ? 3000 : 90), 8)) + "\"}\n";
  }
  return text;
}

struct Built {
  BuildSummary summary;
  std::vector<std::string> files;  // size and content, of all partitions and of the statistics of terms
};

BuildOptions options_for(const ScratchFolder& folder, const std::string& name, std::uint32_t partitions, bool texts) {
  BuildOptions options;
  options.repository = folder / name;
  options.collection = "test";
  options.threads = 2;
  options.invert.inputs = {folder / "input.jsonl"};
  options.invert.format = &ingest::kJsonl;
  options.invert.partitions = partitions;
  options.invert.max_bad_records = 1000;
  options.invert.memory = texts ? pipeline::plan_memory_of_texts(std::uint64_t{1} << 30, 2, partitions)
                                : pipeline::plan_memory(std::uint64_t{1} << 30, 2, 2, partitions);
  options.invert.memory.batch_bytes = 64 << 10;
  options.invert.text_inverter = &invert::gpu::gpu_text_inverter_kind();
  options.invert.gpu.bytes = std::uint64_t{64} << 20;
  return options;
}

// Texts on several devices, in batches of so many bytes; where the machine has fewer, some have several places.
void deal_to(BuildOptions& options, int devices, std::uint64_t batch) {
  const int there = device::count_devices();
  for (int device = 1; device < devices; ++device) options.invert.gpu.more_devices.push_back(device % there);
  options.invert.memory = pipeline::plan_memory_of_texts(std::uint64_t{1} << 30, 2, options.invert.partitions,
                                                         static_cast<std::uint32_t>(devices));
  options.invert.memory.batch_bytes = 16 << 10;
  options.invert.memory.text_batch = batch;
}

Result<BuildSummary> run(const BuildOptions& options, std::stop_token stop = {}) {
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  return build(options, progress, logger, std::move(stop));
}

Built built(const BuildOptions& options) {
  auto result = run(options);
  EXPECT_TRUE(result) << result.error().message();
  Built all{*std::move(result), {}};
  // Of files, without what RocksDB itself writes to their ends (an id of each file).
  const auto add = [&](const std::filesystem::path& folder, const partition::PartitionFile& file) {
    const std::string bytes = support::read_file(options.repository / "test" / folder / file.name);
    EXPECT_EQ(bytes.size(), file.bytes);
    all.files.push_back(std::to_string(bytes.size()) + " " +
                        bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4 << 10)));
  };
  for (const auto& partition : all.summary.manifest.partitions)
    for (const auto& file : partition.summary.files) add(std::filesystem::path("partitions") / partition.id, file);
  add("generations", all.summary.manifest.term_statistics);
  return all;
}

TEST(Build, HasTheSameBytesWithTextsOnTheGpu) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const ScratchFolder folder;
    support::write_file(folder / "input.jsonl", documents(seed, 1200));
    const text::AnalyzerConfig analyzer{.kind = *text::analyzer_named(text::kAnalyzerNames[seed - 1])};
    BuildOptions plain = options_for(folder, "cpu", seed + 1, false);
    plain.invert.analyzer = analyzer;
    const Built expected = built(plain);
    ASSERT_GT(expected.summary.inverted.tokens, 10'000u);
    ASSERT_FALSE(expected.files.empty());
    // Little memory: many runs; too little: cores make the postings.
    for (const std::uint64_t bytes : {std::uint64_t{64} << 20, std::uint64_t{1} << 20, std::uint64_t{100} << 10}) {
      BuildOptions texts = options_for(folder, "gpu" + std::to_string(bytes), seed + 1, true);
      texts.invert.analyzer = analyzer;
      texts.invert.gpu.bytes = bytes;
      const Built got = built(texts);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(bytes) + " bytes");
      EXPECT_EQ(got.summary.inverted.tokens, expected.summary.inverted.tokens);
      EXPECT_EQ(got.summary.inverted.documents, expected.summary.inverted.documents);
      EXPECT_EQ(got.summary.inverted.duplicates, expected.summary.inverted.duplicates);
      EXPECT_EQ(got.summary.manifest.terms, expected.summary.manifest.terms);
      EXPECT_TRUE(got.files == expected.files);
      EXPECT_EQ(got.summary.inverted.runs == 0, bytes == std::uint64_t{64} << 20) << "postings stay where they fit";
    }
  }
}

TEST(Build, HasTheSameBytesWithTextsOnSeveralDevices) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", documents(6, 1200));
  const Built expected = built(options_for(folder, "cpu", 2, false));
  // As above: much memory, little, and too little. Lists are coded on the device, or by packers.
  for (const std::uint64_t bytes : {std::uint64_t{64} << 20, std::uint64_t{1} << 20, std::uint64_t{100} << 10})
    for (const int devices : {1, 2, 3}) {
      BuildOptions texts = options_for(folder, std::to_string(devices) + "x" + std::to_string(bytes), 2, true);
      deal_to(texts, devices, 16 << 10);
      texts.invert.gpu.bytes = bytes;
      const Built got = built(texts);
      SCOPED_TRACE(std::to_string(devices) + " devices, " + std::to_string(bytes) + " bytes");
      EXPECT_EQ(got.summary.inverted.tokens, expected.summary.inverted.tokens);
      EXPECT_TRUE(got.files == expected.files);
      EXPECT_EQ(got.summary.inverted.runs == 0, bytes == std::uint64_t{64} << 20);
    }
}

TEST(Build, DealsWhatTheGpuHasToAnyNumberOfPartitions) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", documents(5, 1500));
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    // The device codes lists, if they are packed with the default codec; else it gives postings.
    const auto codecs = codec::codec_choice_named(partitions == 2 ? codec::kAuto : codec::kDefaultCodec).value();
    BuildOptions cpu = options_for(folder, "cpu" + std::to_string(partitions), partitions, false);
    cpu.codecs = codecs;
    const Built expected = built(cpu);
    BuildOptions texts = options_for(folder, "gpu" + std::to_string(partitions), partitions, true);
    texts.codecs = codecs;
    texts.invert.memory = pipeline::plan_memory_of_texts(std::uint64_t{4} << 30, 2, partitions);
    const Built got = built(texts);
    SCOPED_TRACE(partitions);
    EXPECT_EQ(got.summary.inverted.runs, 0u);
    EXPECT_TRUE(got.files == expected.files);
    // With little memory partitions cannot be written at once.
    texts.repository = folder / ("little" + std::to_string(partitions));
    texts.invert.memory = pipeline::plan_memory_of_texts(std::uint64_t{256} << 20, 2, partitions);
    const Built little = built(texts);
    EXPECT_EQ(little.summary.inverted.runs > 0, partitions > 1);
    EXPECT_TRUE(little.files == expected.files);
  }
}

// Stops the build at the n-th batch.
class StoppingInverter final : public invert::TextInverter {
 public:
  static std::atomic<int> left;
  static std::stop_source stop;
  explicit StoppingInverter(invert::TextInverterSetup setup)
      : inner_(invert::gpu::gpu_text_inverter_kind().make(std::move(setup))) {}
  Result<void> invert(invert::DocumentTexts texts, std::span<const invert::DocumentNumber> numbers) override {
    if (--left == 0) stop.request_stop();
    return inner_->invert(std::move(texts), numbers);
  }
  Result<void> give_lengths() override { return inner_->give_lengths(); }
  Result<std::vector<runs::RunFile>> flush() override { return inner_->flush(); }
  std::uint64_t memory_bytes() const override { return inner_->memory_bytes(); }

 private:
  std::unique_ptr<invert::TextInverter> inner_;
};
std::atomic<int> StoppingInverter::left = 0;
std::stop_source StoppingInverter::stop;

TEST(Build, GoesOnFromACheckpointWithTextsOnTheGpu) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", documents(3, 3000));
  const Built expected = built(options_for(folder, "cpu", 2, false));
  for (const auto& [batches, devices] : {std::pair(6, 1), {11, 1}, {16, 1}, {30, 2}, {40, 3}}) {
    BuildOptions options = options_for(folder, "gpu" + std::to_string(batches), 2, true);
    options.checkpoint_bytes = 100 << 10;
    if (devices > 1) deal_to(options, devices, 16 << 10);
    if (devices == 1) options.invert.memory.text_batch = 256 << 10;
    static constexpr invert::TextInverterKind kStopping{
        "gpu-text", [](invert::TextInverterSetup setup) -> std::unique_ptr<invert::TextInverter> {
          return std::make_unique<StoppingInverter>(std::move(setup));
        }};
    options.invert.text_inverter = &kStopping;
    StoppingInverter::left = batches;
    StoppingInverter::stop = std::stop_source();
    EXPECT_FALSE(run(options, StoppingInverter::stop.get_token()).has_value());
    const Built got = built(options);
    EXPECT_GT(got.summary.inverted.resumed_documents, 0u) << "stopped at batch " << batches;
    EXPECT_EQ(got.summary.inverted.tokens, expected.summary.inverted.tokens);
    EXPECT_TRUE(got.files == expected.files) << "stopped at batch " << batches;
  }
}

// The device is lost while it writes its runs, or before: too little memory for the terms of a batch.
TEST(Build, HasTheSameBytesWithCheckpointsOfTexts) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", documents(4, 1500));
  const Built expected = built(options_for(folder, "cpu", 3, false));
  for (const std::uint64_t bytes : {std::uint64_t{64} << 20, std::uint64_t{2} << 20, std::uint64_t{200} << 10}) {
    BuildOptions options = options_for(folder, "gpu" + std::to_string(bytes), 3, true);
    options.checkpoint_bytes = 60 << 10;
    options.invert.memory.text_batch = bytes / 256;
    options.invert.gpu.bytes = bytes;
    const Built got = built(options);
    SCOPED_TRACE(bytes);
    EXPECT_EQ(got.summary.inverted.tokens, expected.summary.inverted.tokens);
    EXPECT_TRUE(got.files == expected.files);
  }
}

}  // namespace
}  // namespace frond::indexer
