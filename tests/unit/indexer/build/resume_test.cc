// A build that is stopped at any place and gone on with publishes what an undisturbed one does: the same lists,
// documents and counts. tests/cluster/resume.py does the same with kill -9, and compares every byte.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <random>

#include "common/partition/partition.h"
#include "common/repository/repository.h"
#include "indexer/build/build.h"
#include "indexer/resume/journal.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

namespace fs = std::filesystem;
using support::ScratchFolder;

constexpr unsigned kSeed = 23;

// Three files with bad records, and ids that occur twice, also in different files.
void write_input(const ScratchFolder& folder) {
  std::mt19937 random(kSeed);
  fs::create_directory(folder / "in");
  for (int file = 0; file < 3; ++file) {
    std::string text;
    for (int i = 0; i < 700; ++i) {
      text += "{\"id\":\"" + std::to_string(random() % 20 == 0 ? random() % 700 : file * 700u + i) + "\",\"body\":\"";
      for (unsigned words = random() % 60; words > 0; --words)
        text += "w" + std::to_string(random() % (1u << random() % 12)) + " ";
      text += i % 100 == 50 ? "\n" : R"(","rank":)" + std::to_string(i % 7) + "}\n";
    }
    support::write_file(folder / ("in/" + std::to_string(file) + ".jsonl"), text);
  }
}

// Stops the build at the n-th batch that an inverter takes.
class StoppingInverter final : public invert::Inverter {
 public:
  StoppingInverter(std::unique_ptr<invert::Inverter> inner, std::atomic<int>& left, std::stop_source& stop)
      : inner_(std::move(inner)), left_(left), stop_(stop) {}
  std::string_view name() const override { return inner_->name(); }
  Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                      std::span<const invert::DocumentNumber> numbers) override {
    if (--left_ == 0) stop_.request_stop();
    return inner_->invert(tokens, groups, numbers);
  }
  Result<std::vector<runs::RunFile>> flush() override { return inner_->flush(); }
  std::uint64_t memory_bytes() const override { return inner_->memory_bytes(); }

 private:
  std::unique_ptr<invert::Inverter> inner_;
  std::atomic<int>& left_;
  std::stop_source& stop_;
};

struct Way {
  order::DocumentOrder order;
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
};

class ResumedBuild : public testing::TestWithParam<Way> {
 protected:
  ResumedBuild() { write_input(folder_); }
  BuildOptions options(const std::string& repository, std::uint32_t threads = 1) const {
    BuildOptions made;
    made.repository = folder_ / repository;
    made.collection = "test";
    made.invert.inputs = {folder_ / "in"};
    made.invert.parse.prior_field = "rank";
    made.invert.partitions = 3;
    made.invert.max_bad_records = 1000;
    made.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, threads, threads, 3);
    made.invert.memory.batch_bytes = 4 << 10;
    made.order = GetParam().order;
    made.stored = GetParam().stored;
    made.checkpoint_bytes = 64 << 10;
    made.threads = 2;
    return made;
  }
  Result<BuildSummary> run(const BuildOptions& options, std::stop_token stop = {}) {
    BuildProgress progress;
    return build(options, progress, logger_, std::move(stop));
  }
  // Stops when `batches` have been inverted, counted over all inverters.
  Result<BuildSummary> run_until(BuildOptions options, int batches) {
    std::stop_source stop;
    std::atomic<int> left = batches;
    options.invert.around_inverter = [&](std::unique_ptr<invert::Inverter> inner, std::size_t) {
      return std::make_unique<StoppingInverter>(std::move(inner), left, stop);
    };
    return run(options, stop.get_token());
  }
  std::vector<fs::path> left_behind(const BuildOptions& options) const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(options.repository / "test" / "builds"))
      all.push_back(entry.path());
    return all;
  }
  const ScratchFolder folder_;
  Logger logger_{"test", LogLevel::kError};
};

// What a reader sees of a partition's files: all but what RocksDB writes to their ends.
std::string beginnings(const BuildOptions& options, const BuildSummary& built) {
  std::string all;
  for (const auto& entry : built.manifest.partitions)
    for (const auto& file : entry.summary.files) {
      const std::string bytes = support::read_file(options.repository / "test/partitions" / entry.id / file.name);
      all += file.name + std::to_string(file.bytes) +
             bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4096));
    }
  // The file of priors may be as short as what is left out here.
  const ScratchFolder scratch;
  for (const auto& entry : built.manifest.partitions) {
    const auto files = options.repository / "test/partitions" / entry.id;
    EXPECT_TRUE(partition::Partition::ingest(files, entry.summary.files, scratch / entry.id, false));
    const auto part = partition::Partition::open(scratch / entry.id).value();
    EXPECT_NE(part->priors(), nullptr);
    if (part->priors() != nullptr) all += as_text(std::as_bytes(part->priors()->all()));
  }
  return all;
}

void expect_same(const BuildOptions& one, const BuildSummary& got, const BuildOptions& other,
                 const BuildSummary& wanted) {
  EXPECT_EQ(got.inverted.documents, wanted.inverted.documents);
  EXPECT_EQ(got.inverted.tokens, wanted.inverted.tokens);
  EXPECT_EQ(got.inverted.bytes, wanted.inverted.bytes);
  EXPECT_EQ(got.inverted.bad_records, wanted.inverted.bad_records);
  EXPECT_EQ(got.inverted.duplicates, wanted.inverted.duplicates);
  EXPECT_EQ(got.inverted.last_bad, wanted.inverted.last_bad);
  EXPECT_EQ(got.inverted.files_read, wanted.inverted.files_read);
  EXPECT_EQ(got.manifest.input, wanted.manifest.input);
  EXPECT_EQ(got.manifest.postings, wanted.manifest.postings);
  EXPECT_EQ(beginnings(one, got), beginnings(other, wanted));
}

TEST_P(ResumedBuild, EqualsAnUndisturbedOneWhereverItWasStopped) {
  const BuildOptions calm = options("calm");
  const auto expected = run(calm);
  ASSERT_TRUE(expected) << expected.error().message();
  EXPECT_EQ(expected->inverted.bad_records, 21u);
  EXPECT_GT(expected->inverted.duplicates, 50u);
  // A checkpoint comes after batches 15, 32 and 48 of 72. It is saved at the latest when the next one begins, so a
  // build that is stopped at batch 36 has one to go on with, however slowly its runs are written.
  constexpr int kBehindTwoCheckpoints = 36;
  for (const int batches : {3, 16, kBehindTwoCheckpoints}) {
    SCOPED_TRACE("stopped after " + std::to_string(batches));
    const BuildOptions stopped = options("r" + std::to_string(batches));
    // Twice, so that a build that goes on is itself gone on with.
    for (int n = 0; n < 2; ++n) ASSERT_EQ(run_until(stopped, batches), Code::kUnavailable);
    const auto got = run(options("r" + std::to_string(batches), 3));
    ASSERT_TRUE(got) << got.error().message();
    if (batches == kBehindTwoCheckpoints) {
      EXPECT_GT(got->inverted.resumed_documents, 0u);
    }
    expect_same(stopped, *got, calm, *expected);
    EXPECT_TRUE(left_behind(stopped).empty());
    EXPECT_TRUE(fs::is_empty(stopped.repository / "test/building"));
  }
}

TEST_P(ResumedBuild, BeginsAnewWhereTheRemainsAreDamagedAndSaysSo) {
  const BuildOptions calm = options("calm");
  const auto expected = run(calm);
  ASSERT_TRUE(expected);
  for (const char* const name : {"spool-p0", "ids", "cpu0-0-p0.run"}) {
    SCOPED_TRACE(name);
    const BuildOptions stopped = options(std::string("r-") + name);
    ASSERT_EQ(run_until(stopped, 70), Code::kUnavailable);
    ASSERT_EQ(left_behind(stopped).size(), 1u);
    support::flip_byte(left_behind(stopped)[0] / name, 100);
    testing::internal::CaptureStderr();
    Logger logger("test", LogLevel::kInfo);
    BuildProgress progress;
    const auto got = build(stopped, progress, logger, {});
    logger.flush(std::chrono::seconds(10));
    const std::string log = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got->inverted.resumed_documents, 0u);
    EXPECT_NE(log.find("the build begins anew"), std::string::npos) << log;
    EXPECT_NE(log.find(name), std::string::npos) << log;
    expect_same(stopped, *got, calm, *expected);
    EXPECT_TRUE(left_behind(stopped).empty());
  }
}

TEST_P(ResumedBuild, LeavesNothingWhenItEndsForGood) {
  BuildOptions few = options("r");
  ASSERT_EQ(run_until(few, 70), Code::kUnavailable);
  ASSERT_EQ(left_behind(few).size(), 1u);
  few.resume = false;
  ASSERT_EQ(run_until(few, 70), Code::kUnavailable);
  EXPECT_TRUE(left_behind(few).empty()) << "it was not to be gone on with, and what was left was its own";
  few.resume = true;
  few.invert.max_bad_records = 1;
  EXPECT_EQ(run(few), Code::kInvalid);
  EXPECT_TRUE(left_behind(few).empty()) << "another try would end in the same way";
}

TEST_P(ResumedBuild, OfLessInputThanACheckpointBeginsAnew) {
  BuildOptions small = options("r");
  small.checkpoint_bytes = std::uint64_t{1} << 30;
  ASSERT_EQ(run_until(small, 60), Code::kUnavailable);
  EXPECT_TRUE(left_behind(small).empty());
}

INSTANTIATE_TEST_SUITE_P(Orders, ResumedBuild,
                         testing::Values(Way{order::DocumentOrder::kInput}, Way{order::DocumentOrder::kBisection},
                                         Way{order::DocumentOrder::kInput, partition::StoredCompression::kFast}),
                         [](const auto& of) {
                           return std::string(name_of(of.param.order)) +
                                  (of.param.stored == partition::StoredCompression::kFast ? "Fast" : "");
                         });

}  // namespace
}  // namespace frond::indexer
