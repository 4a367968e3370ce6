// A whole build: the index does not depend on threads or memory, and equals one made with maps.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "indexer/check/check.h"
#include "indexer/invert/inverter.h"
#include "tests/unit/indexer/build/made_up_builds.h"

namespace frond::indexer {
namespace {

using support::ScratchFolder;

TEST(Build, GivesTheIndexThatAMapWouldForAnyNumberOfPartitions) {
  const ScratchFolder folder;
  const auto documents = random_documents(1, 700);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  const Contents expected = index_plainly(documents);
  for (const std::uint32_t partitions : {1u, 2u, 7u}) {
    const auto options = options_for(folder, "r" + std::to_string(partitions), partitions);
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    const Contents got = read_generation(options.repository, summary->manifest);
    EXPECT_EQ(got.documents, expected.documents) << partitions;
    EXPECT_EQ(got.postings, expected.postings) << partitions;
    EXPECT_EQ(summary->manifest.terms, expected.postings.size());
    EXPECT_EQ(summary->manifest.statistics.documents, expected.documents.size());
    EXPECT_EQ(summary->inverted.duplicates, documents.size() - expected.documents.size());
    const auto report = check::check_generation(options.repository, "test");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->faults, 0u) << (report->listed.empty() ? ""
                                                             : report->listed[0].where + ": " + report->listed[0].what);
  }
}

TEST(Build, IsTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const ScratchFolder folder;
  const auto documents = random_documents(2, 4'000);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  BuildOptions plain = options_for(folder, "plain", 2);
  BuildOptions threads = options_for(folder, "threads", 2);
  threads.invert.memory = pipeline::plan_memory(std::uint64_t{1} << 30, 4, 3, 2);
  threads.threads = 8;
  BuildOptions tiny = options_for(folder, "tiny", 2);
  tiny.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 2, 2, 2);
  tiny.invert.memory.flush_at = tiny.invert.memory.min_run = 0;  // nearly every batch becomes a run
  const auto expected = run(plain);
  ASSERT_TRUE(expected) << expected.error().message();
  const Contents contents = read_generation(plain.repository, expected->manifest);
  BuildOptions btree = options_for(folder, "btree", 2);
  btree.invert.inverter = invert::inverter_with("btree");
  ASSERT_NE(btree.invert.inverter, nullptr);
  for (const BuildOptions& options : {threads, tiny, btree}) {
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    const Contents got = read_generation(options.repository, summary->manifest);
    EXPECT_EQ(got.blobs, contents.blobs) << options.repository;
    EXPECT_EQ(got.documents, contents.documents) << options.repository;
    for (std::size_t p = 0; p < 2; ++p) {
      const auto& a = expected->manifest.partitions[p].summary;
      const auto& b = summary->manifest.partitions[p].summary;
      EXPECT_EQ(a.tokens, b.tokens);
      EXPECT_EQ(a.postings, b.postings);
      EXPECT_EQ(a.docid_bytes, b.docid_bytes);
      EXPECT_EQ(a.built_average_length, b.built_average_length);
      // The files may differ in what RocksDB itself writes to their ends (an id of each file), but not in size.
      ASSERT_EQ(a.files.size(), b.files.size());
      for (std::size_t f = 0; f < a.files.size(); ++f) {
        EXPECT_EQ(a.files[f].bytes, b.files[f].bytes) << a.files[f].name;
        EXPECT_EQ(beginning(plain, *expected, p, a.files[f].name), beginning(options, *summary, p, b.files[f].name))
            << a.files[f].name;
      }
    }
  }
}

TEST(Build, OrdersDocumentsAlikeForAnyNumberOfPartitionsAndThreads) {
  const ScratchFolder folder;
  const auto documents = random_documents(7, 900);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  Contents expected;
  for (const std::uint32_t partitions : {1u, 3u}) {
    BuildOptions options = options_for(folder, "r" + std::to_string(partitions), partitions);
    options.order = order::DocumentOrder::kBisection;
    options.threads = partitions;
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    EXPECT_EQ(summary->manifest.order, "bp");
    const Contents got = read_generation(options.repository, summary->manifest);
    if (partitions == 1) {
      expected = got;
      EXPECT_EQ(got.documents.size(), index_plainly(documents).documents.size());
      EXPECT_NE(got.documents, index_plainly(documents).documents);
    }
    EXPECT_EQ(got.documents, expected.documents);
    EXPECT_EQ(got.postings, expected.postings);
    EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
  }
}

TEST(Build, CutsIntoManyRunsWhenMemoryIsTiny) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(3, 3'000)));
  BuildOptions options = options_for(folder, "r", 1);
  options.invert.memory.flush_at = options.invert.memory.min_run = 0;
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_GT(summary->inverted.runs, 3u);
}

// Writes runs in place of holding postings.
class NeverHolds final : public invert::Inverter {
 public:
  explicit NeverHolds(std::unique_ptr<invert::Inverter> inverter) : inverter_(std::move(inverter)) {}
  std::string_view name() const override { return inverter_->name(); }
  Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                      std::span<const invert::DocumentNumber> numbers) override {
    return inverter_->invert(tokens, groups, numbers);
  }
  Result<std::vector<runs::RunFile>> flush() override { return inverter_->flush(); }
  std::uint64_t memory_bytes() const override { return inverter_->memory_bytes(); }

 private:
  const std::unique_ptr<invert::Inverter> inverter_;
};

TEST(Build, WritesNoRunsIfThePostingsFitInMemory) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 700)));
  for (const std::uint32_t partitions : {1u, 3u, 8u}) {
    SCOPED_TRACE(partitions);
    const auto built_as = [&](const std::string& how, const auto& change) {
      BuildOptions options = options_for(folder, how + std::to_string(partitions), partitions);
      options.invert.memory = pipeline::plan_memory(std::uint64_t{2} << 30, 1, 3, partitions);
      change(options);
      const auto built = run(options);
      EXPECT_TRUE(built) << built.error().message();
      EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
      return std::pair(built->inverted.runs, read_generation(options.repository, built->manifest));
    };
    const auto [runs_of_held, held] = built_as("held", [](BuildOptions&) {});
    EXPECT_EQ(runs_of_held, 0u);
    EXPECT_FALSE(held.blobs.empty());
    const auto [runs, written] = built_as("written", [](BuildOptions& options) { options.invert.memory.unspilled = 0; });
    EXPECT_EQ(runs, 3u * partitions);
    EXPECT_EQ(held.blobs, written.blobs);
    // One inverter has runs after all: what the others hold is written, too.
    const auto [runs_of_mixed, mixed] = built_as("mixed", [](BuildOptions& options) {
      options.invert.around_inverter = [](std::unique_ptr<invert::Inverter> one, std::size_t number) {
        return number == 1 ? std::make_unique<NeverHolds>(std::move(one)) : std::move(one);
      };
    });
    EXPECT_EQ(runs_of_mixed, 3u * partitions);
    EXPECT_EQ(held.blobs, mixed.blobs);
  }
}

// Holds more than the sequencer sees when it decides whether postings stay in memory.
class Grows final : public invert::Inverter {
 public:
  explicit Grows(std::unique_ptr<invert::Inverter> inverter) : inverter_(std::move(inverter)) {}
  std::string_view name() const override { return inverter_->name(); }
  Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                      std::span<const invert::DocumentNumber> numbers) override {
    thread_ = std::this_thread::get_id();
    return inverter_->invert(tokens, groups, numbers);
  }
  Result<std::vector<runs::RunFile>> flush() override { return inverter_->flush(); }
  std::unique_ptr<invert::InMemoryPostings> take_postings() override { return inverter_->take_postings(); }
  std::uint64_t memory_bytes() const override {
    return std::this_thread::get_id() == thread_ ? inverter_->memory_bytes() : 0;
  }

 private:
  const std::unique_ptr<invert::Inverter> inverter_;
  std::atomic<std::thread::id> thread_;
};

TEST(Build, WritesRunsWhereInvertersHoldMoreAtTheEnd) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 500)));
  for (const std::uint64_t limit : {1u, 64u}) {
    BuildOptions options = options_for(folder, "r" + std::to_string(limit), 3);
    options.invert.memory = pipeline::plan_memory(std::uint64_t{2} << 30, 1, 2, 3);
    options.invert.memory.unspilled = limit << 20;
    options.invert.around_inverter = [](std::unique_ptr<invert::Inverter> one, std::size_t) {
      return std::make_unique<Grows>(std::move(one));
    };
    const auto built = run(options);
    ASSERT_TRUE(built) << built.error().message();
    EXPECT_EQ(built->inverted.runs, limit == 1 ? 2u * 3 : 0u);
  }
}

TEST(Build, LosesAboutAsMuchTimeOnAnyNumberOfCores) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(1, kGiB), 4 * kGiB);
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(6, kGiB), 6 * kGiB);
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(128, kGiB), 16 * kGiB);
}

TEST(Build, MayLoseMoreWherePostingsStayInMemory) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(16, 16 * kGiB), 16 * kGiB);
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(16, 48 * kGiB), 48 * kGiB);
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(16, 400 * kGiB), 64 * kGiB) << "some 80 s";
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(6, 400 * kGiB), 24 * kGiB);
  EXPECT_EQ(BuildOptions::usual_checkpoint_bytes(1, 400 * kGiB), 16 * kGiB);
}

TEST(Build, WritesRunsWhereNotAllPartitionsCanBeWrittenAtOnce) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 500)));
  BuildOptions options = options_for(folder, "r", 16);
  options.invert.memory = pipeline::plan_memory(std::uint64_t{1} << 30, 1, 2, 16);
  const auto built = run(options);
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(built->inverted.runs, 2u * 16);
}

TEST(Build, IndexesDocumentsWithoutAWordAndFewerThanPartitions) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl",
                      "{\"id\":\"a\",\"contents\":\"\"}\n{\"id\":\"b\",\"contents\":\"the\"}\n");
  const auto options = options_for(folder, "r", 3);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->manifest.statistics.documents, 2u);
  EXPECT_EQ(summary->manifest.terms, 0u);
  const auto report = check::check_generation(options.repository, "test");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->faults, 0u) << report->listed[0].where << ": " << report->listed[0].what;
}

}  // namespace
}  // namespace frond::indexer
