// A whole build: the index does not depend on threads or memory, and equals one made with maps.
#include <gtest/gtest.h>

#include "indexer/check/check.h"
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

TEST(Build, WritesNoRunsIfThePostingsFitInMemory) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 2'000)));
  BuildOptions options = options_for(folder, "held", 1);
  options.invert.memory = pipeline::plan_memory(std::uint64_t{1} << 30, 1, 3);
  const auto held = run(options);
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(held->inverted.runs, 0u);
  options.repository = folder / "written";
  options.invert.memory.held = 0;
  const auto written = run(options);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->inverted.runs, 3u);
  const Contents of_held = read_generation(folder / "held", held->manifest);
  const Contents of_written = read_generation(folder / "written", written->manifest);
  EXPECT_EQ(of_held.blobs, of_written.blobs);
  EXPECT_FALSE(of_held.blobs.empty());
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
