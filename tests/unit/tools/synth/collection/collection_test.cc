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
    const std::size_t others = profile.has_impacts() ? 0 : 1;
    EXPECT_EQ(summary.manifest.terms, summary.queries.list_lengths.size() + others) << "and the other term";
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
  for (const std::string profile : {"clueweb09", "splade"}) {
    const auto summary = made(options_for(folder.path(), profile, profile, 1, 2));
    const auto searcher = *PartitionSearcher::open({folder.path().string(), profile, 0, 0});
    const auto queries = *parse_queries(query_lines(summary.queries), "", searcher->analyzer(), searcher->query_form());
    ASSERT_EQ(queries.size(), 40u);
    for (const auto& query : queries) EXPECT_EQ(*searcher->known_terms(query), query.size());
    for (const auto mode : {BenchMode::kAnd, BenchMode::kOr})
      for (const std::uint32_t k : {10u, 1000u}) {
        const TimingOptions timing{.mode = mode, .k = k, .threads = 1, .rounds = 1};
        const auto oracle = *leaf::engine_named("exhaustive"), cpu = *leaf::engine_named("cpu");
        EXPECT_EQ(time_queries(*searcher, *oracle, queries, timing)->checksum,
                  time_queries(*searcher, *cpu, queries, timing)->checksum)
            << profile << ", k " << k;
      }
  }
}

// By hand: a document's score is the sum of its impacts, each times the weight of the query's term.
TEST(SyntheticCollection, OfImpactsIsRankedByTheirSums) {
  const support::ScratchFolder folder;
  auto options = options_for(folder.path(), "splade", "v", 1, 2);
  options.size.documents = 2000;
  const auto summary = made(options);
  EXPECT_TRUE(scoring::are_impacts(summary.manifest.bm25));
  std::vector<WindowDocuments> windows;
  std::vector<std::uint32_t> lengths;
  for (const Window& window : windows_of(options.size))
    windows.push_back(draw_documents(options.size, window, lengths));
  const auto searcher = *PartitionSearcher::open({folder.path().string(), "v", 0, 0});
  const auto cpu = *leaf::engine_named("cpu");
  const SteadyClock clock;
  for (std::size_t q = 0; q < summary.queries.queries.size(); ++q) {
    std::vector<std::uint32_t> scores(2000, 0);
    bench::BenchQuery query;
    for (std::size_t i = 0; i < summary.queries.queries[q].size(); ++i) {
      const std::uint32_t list = summary.queries.queries[q][i], units = summary.queries.weights[q][i];
      query.push_back({term_of(list), 1, units});
      const auto postings = draw_list(SyntheticList(options.size, list, summary.queries.list_lengths[list]), windows);
      for (std::size_t at = 0; at < postings.docids.size(); ++at)
        scores[postings.docids[at]] += postings.frequencies[at] * units * (scoring::kScoreScale / 256);
    }
    std::vector<topk::Hit> wanted;
    for (DocId docid = 0; docid < scores.size(); ++docid)
      if (scores[docid] > 0) wanted.push_back({docid, scores[docid]});
    std::ranges::sort(wanted, [](const topk::Hit& a, const topk::Hit& b) {
      return a.score != b.score ? a.score > b.score : a.ordinal < b.ordinal;
    });
    wanted.resize(std::min<std::size_t>(wanted.size(), 100));
    const auto plan = *searcher->plan(query, leaf::engine::Mode::kOr, 100);
    EXPECT_EQ(cpu->search(std::span(&plan, 1), clock)[0]->hits, wanted) << "seed 3, query " << q;
  }
}

TEST(SyntheticCollection, OfImpactsHasNoParametersOfBm25) {
  const support::ScratchFolder folder;
  made(options_for(folder.path(), "splade", "v", 1, 2));
  const auto with_b = PartitionSearcher::open({.repository = folder.path().string(), .collection = "v", .b = 0.5});
  ASSERT_EQ(with_b, Code::kInvalid);
  EXPECT_EQ(with_b.error().message(), "b: k1 and b are of BM25, and the scorer of collection v is impact");
}

TEST(SyntheticCollection, NamesItsTermsInTheOrderOfTheirNumbers) {
  EXPECT_EQ(term_of(7), "t00000007");
  EXPECT_LT(kOtherTerm, term_of(0));
}

}  // namespace
}  // namespace frond::tools::synth
