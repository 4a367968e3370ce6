#include <gtest/gtest.h>

#include "leaf/engines.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/query/query_timing.h"

namespace frond::tools::bench {
namespace {

const text::AnalyzerConfig kPlain{.stemmer = text::Stemmer::kNone, .stop_words = false};

std::string shown(std::string_view file, std::string_view tag) {
  const auto queries = parse_queries(file, tag, kPlain);
  if (!queries) return "error: " + queries.error().message();
  std::string out;
  for (const auto& query : *queries) {
    for (const auto& term : query) out += term.text + "*" + std::to_string(term.occurrences) + " ";
    out += "; ";
  }
  return out;
}

constexpr std::string_view kGame =
    "{\"query\": \"+The +end\", \"tags\": [\"intersection\", \"global\"]}\n"
    "{\"query\": \"the end\", \"tags\": [\"union\"]}\n";

TEST(BenchQueries, HaveTheirDistinctTermsCounted) {
  EXPECT_EQ(shown("1:to be or not to be\n2:--\n", ""), "to*2 be*2 or*1 not*1 ; ");
  EXPECT_EQ(shown("1:--\n", ""), "error: no query has a term");
}

TEST(BenchQueries, AreChosenByTheirTags) {
  EXPECT_EQ(shown(kGame, "intersection"), "the*1 end*1 ; ");
  EXPECT_EQ(shown(kGame, "phrase"), "error: no query has the tag 'phrase'");
  EXPECT_EQ(shown("{\"query\": \"a\"}\n", "union"), "error: line 1: no object with \"tags\"");
}

std::string shown_weights(std::string_view file) {
  const auto queries = parse_queries(file, "", kPlain, QueryForm::kWeights);
  if (!queries) return "error: " + queries.error().message();
  std::string out;
  for (const auto& query : *queries) out += query_line(query, QueryForm::kWeights) + "; ";
  return out;
}

TEST(BenchQueries, OfImpactsAreTokensWithWeights) {
  EXPECT_EQ(shown_weights("1:the^1.5 ##ing THE^0.001 \xc3\xa9^2\n"), "the^1.5 ##ing^1 \xc3\xa9^2; ");
  EXPECT_EQ(shown_weights("7\ta a^0.25 a^2.5\n"), "a^3.75; ") << "a token that comes again";
  EXPECT_EQ(shown_weights("x^y ^ ^3 x^y^2 2^-1\n"), "x^y^3 ^^1 ^3^1 2^-1^1; ") << "a sign without a weight behind it";
  EXPECT_EQ(shown_weights("1:a^0\n"), "error: no query has a term");
  EXPECT_EQ(shown_weights("1:a^100 b^80\n2:a^100 b^80.01\n"), "error: query 2: weights of more than 180 in all");
  const auto again = parse_queries(shown_weights("1:a^0.00390625 b^3\n"), "", kPlain, QueryForm::kWeights);
  EXPECT_EQ(again->front()[0].units, 1u);
}

TEST(BenchQueries, ThatCannotBeReadAreNamed) {
  const auto missing = read_queries("/nowhere/queries", "", kPlain);
  ASSERT_EQ(missing, Code::kNotFound);
  EXPECT_NE(missing.error().message().find("/nowhere/queries"), std::string::npos);
}

TEST(Distribution, IsOfTheValuesAtTheirRanks) {
  std::vector<double> values;
  for (int i = 200; i > 0; --i) values.push_back(i);
  const auto all = distribution_of(values);
  EXPECT_EQ(all.median, 100);
  EXPECT_EQ(all.p95, 190);
  EXPECT_EQ(all.p99, 198);
  EXPECT_EQ(distribution_of({7}).p99, 7);
}

class QueryTimings : public testing::Test {
 protected:
  void SetUp() override {
    const auto documents = support::random_documents(400, /*seed=*/5);
    ASSERT_TRUE(support::publish_generation(folder_.path(), "c", documents, 2).has_value());
  }
  Result<std::unique_ptr<PartitionSearcher>> open(std::uint32_t partition, std::uint64_t cache = 0) {
    return PartitionSearcher::open({folder_.path().string(), "c", partition, cache});
  }
  support::ScratchFolder folder_;
};

TEST_F(QueryTimings, ShowTheSameAnswersForEveryEngineWithAndWithoutACache) {
  const auto queries = *parse_queries("t1 t2\nt3\nt0 t5 t1 t1\nunknown t2\n", "", kPlain);
  for (const auto mode : {BenchMode::kAnd, BenchMode::kOr, BenchMode::kAuto}) {
    std::vector<std::uint64_t> answers;
    for (const auto& entry : leaf::all_engines())
      for (const std::uint64_t cache : {0, 1 << 20}) {
        const auto searcher = *open(1, cache);
        const auto engine = entry.make();
        const auto timing =
            time_queries(*searcher, *engine, queries, {.mode = mode, .k = 3, .threads = 2, .rounds = 2});
        ASSERT_TRUE(timing.has_value()) << timing.error().message();
        EXPECT_GE(timing->whole.mean, timing->evaluation.mean);
        EXPECT_GT(timing->queries_per_second, 0);
        answers.push_back(timing->checksum);
      }
    EXPECT_EQ(std::vector<std::uint64_t>(answers.size(), answers[0]), answers);
  }
}

TEST_F(QueryTimings, NeedAPartitionThatIsThere) {
  EXPECT_EQ(open(2), Code::kNotFound);
  EXPECT_EQ(PartitionSearcher::open({folder_.path().string(), "other", 0, 0}), Code::kNotFound);
}

}  // namespace
}  // namespace frond::tools::bench
