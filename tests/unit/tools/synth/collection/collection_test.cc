#include "tools/synth/collection/collection.h"

#include <gtest/gtest.h>

#include <map>

#include "common/partition/partition.h"
#include "indexer/check/check.h"
#include "leaf/engines.h"
#include "tests/support/scratch_folder.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/query/query_timing.h"
#include "tools/synth/collection/partition.h"

namespace frond::tools::synth {
namespace {

using bench::BenchMode, bench::PartitionSearcher, bench::TimingOptions, bench::parse_queries, bench::time_queries;

SynthOptions options_for(const std::filesystem::path& repository, std::string_view profile, std::string_view collection,
                         std::uint32_t partitions, unsigned threads) {
  return {.size = {.profile = *profile_named(profile), .documents = 20'000, .order = DocidOrder::kInput, .seed = 3},
          .repository = repository,
          .collection = std::string(collection),
          .partitions = partitions,
          .queries = 40,
          .codecs = *codec::codec_choice_named(codec::kDefaultCodec),
          .threads = threads};
}

SynthSummary made(const SynthOptions& options) {
  auto summary = synthesize(options, {});
  EXPECT_TRUE(summary.has_value()) << summary.error().message();
  return *std::move(summary);
}

// What a collection's partitions hold, one behind the other. (Not their files: RocksDB writes the time into them.)
struct Contents {
  std::vector<std::uint32_t> lengths;
  std::vector<std::string> ids;
  std::map<std::string, std::uint64_t> document_frequencies, occurrences;
  std::vector<std::string> lists;  // bytes, by partition and term
  friend bool operator==(const Contents&, const Contents&) = default;
};
Contents contents(const SynthOptions& options, const SynthSummary& summary) {
  Contents all;
  for (const auto& entry : summary.manifest.partitions) {
    const auto database = options.repository / ("opened-" + entry.id);
    const auto files = options.repository / options.collection / "partitions" / entry.id;
    EXPECT_TRUE(partition::Partition::ingest(files, entry.summary.files, database, false).has_value());
    const auto opened = *partition::Partition::open(database);
    all.lengths.insert(all.lengths.end(), opened->lengths().begin(), opened->lengths().end());
    EXPECT_TRUE(opened
                    ->for_each_term([&](std::string_view term, const partition::TermStatistics& statistics) {
                      all.document_frequencies[std::string(term)] += statistics.document_frequency;
                      all.occurrences[std::string(term)] += statistics.occurrences;
                      const auto list = *opened->list(term);
                      for (const auto& segment : list.segments) {
                        const ByteView bytes = segment.bytes();
                        all.lists.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                      }
                      return true;
                    })
                    .has_value());
    EXPECT_TRUE(opened
                    ->for_each_document([&](DocId, const partition::StoredDocument& document) {
                      all.ids.emplace_back(document.id);
                      return true;
                    })
                    .has_value());
  }
  return all;
}

TEST(SyntheticCollection, PassesTheCheckOfPublishedCollections) {
  const support::ScratchFolder folder;
  for (const auto& profile : all_profiles()) {
    const auto summary = made(options_for(folder.path(), profile.name, profile.name, 2, 2));
    EXPECT_EQ(summary.manifest.statistics.documents, 20'000u);
    EXPECT_EQ(summary.manifest.terms, summary.queries.list_lengths.size() + 1) << "and the other term";
    const auto report = indexer::check::check_generation(folder.path(), profile.name);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    EXPECT_EQ(report->faults, 0u) << report->listed.front().where << ": " << report->listed.front().what;
    EXPECT_EQ(report->documents, 20'000u);
  }
}

TEST(SyntheticCollection, IsTheSameForAnyNumberOfThreads) {
  const support::ScratchFolder folder;
  const auto one = options_for(folder.path(), "gov2", "one", 2, 1),
             four = options_for(folder.path(), "gov2", "four", 2, 4);
  const auto by_one = made(one), by_four = made(four);
  EXPECT_EQ(contents(one, by_one), contents(four, by_four));
  EXPECT_EQ(query_lines(by_one.queries), query_lines(by_four.queries));
}

TEST(SyntheticCollection, HasTheSameDocumentsAndListsForAnyNumberOfPartitions) {
  const support::ScratchFolder folder;
  const auto one = options_for(folder.path(), "gov", "one", 1, 2),
             three = options_for(folder.path(), "gov", "three", 3, 2);
  const auto whole = contents(one, made(one)), parts = contents(three, made(three));
  EXPECT_EQ(whole.lengths, parts.lengths);
  EXPECT_EQ(whole.ids, parts.ids);
  EXPECT_EQ(whole.document_frequencies, parts.document_frequencies);
  EXPECT_EQ(whole.occurrences, parts.occurrences);
}

TEST(SyntheticCollection, IsAnsweredTheSameByTheOracleAndTheCpuEngine) {
  const support::ScratchFolder folder;
  const auto summary = made(options_for(folder.path(), "clueweb09", "c", 1, 2));
  const auto searcher = *PartitionSearcher::open({folder.path().string(), "c", 0, 0});
  const auto queries = *parse_queries(query_lines(summary.queries), "", searcher->analyzer());
  ASSERT_EQ(queries.size(), 40u);
  for (const auto& query : queries) EXPECT_EQ(*searcher->known_terms(query), query.size());
  for (const auto mode : {BenchMode::kAnd, BenchMode::kOr}) {
    const TimingOptions timing{.mode = mode, .k = 10, .threads = 1, .rounds = 1};
    const auto oracle = *leaf::engine_named("exhaustive"), cpu = *leaf::engine_named("cpu");
    EXPECT_EQ(time_queries(*searcher, *oracle, queries, timing)->checksum,
              time_queries(*searcher, *cpu, queries, timing)->checksum);
  }
}

TEST(SyntheticCollection, NamesItsTermsInTheOrderOfTheirNumbers) {
  EXPECT_EQ(term_of(7), "t00000007");
  EXPECT_LT(kOtherTerm, term_of(0));
}

}  // namespace
}  // namespace frond::tools::synth
