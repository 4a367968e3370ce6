// A weights clause on words: each token's BM25 in its field times its weight, rounded down; compared with scores that
// are worked out from each document's words.
#include <gtest/gtest.h>

#include <cmath>

#include "common/query/bind.h"
#include "common/query/normal_form.h"
#include "common/topk/top_k.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

constexpr std::size_t kField = 0;  // title, which has weight 3 in plain searches: not in its own lists

struct Counts {
  std::vector<std::map<std::string, Frequency>> of;  // by document
  std::map<std::string, std::uint64_t> dfs;
  std::uint64_t tokens = 0;
};
Counts counts_of(const std::vector<TextDocument>& documents) {
  Counts counts;
  for (const TextDocument& document : documents) {
    auto& words = counts.of.emplace_back();
    for (const std::string& word : document.texts[kField]) ++words[word];
    for (const auto& [word, frequency] : words) ++counts.dfs[word];
    counts.tokens += document.texts[kField].size();
  }
  return counts;
}

std::vector<topk::Hit> worked_out(const std::vector<TextDocument>& documents, const query::Weights& weights) {
  const Counts counts = counts_of(documents);
  const scoring::Bm25Parameters bm25;
  const scoring::CollectionStatistics statistics{documents.size(), counts.tokens};
  const scoring::LengthNorm norm = scoring::length_norm(bm25, statistics);
  std::vector<topk::Hit> hits;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    std::uint64_t score = 0;
    bool matches = false;
    for (const query::WeightedToken& token : weights.tokens) {
      const auto found = counts.of[i].find(token.token);
      if (found == counts.of[i].end()) continue;
      matches = true;
      const float weight = scoring::term_weight(bm25, statistics, counts.dfs.at(token.token), 1);
      const auto length = static_cast<std::uint32_t>(documents[i].texts[kField].size());
      const std::uint64_t own = scoring::contribution(weight, found->second, length, norm);
      // The formula itself, in doubles.
      const double n = static_cast<double>(documents.size()), df = static_cast<double>(counts.dfs.at(token.token));
      const double tf = found->second;
      const double formula = std::log(1 + (n - df + 0.5) / (df + 0.5)) * tf * (bm25.k1 + 1) /
                             (tf + bm25.k1 * (1 - bm25.b + bm25.b * length * n / static_cast<double>(counts.tokens)));
      EXPECT_NEAR(static_cast<double>(own), 65536 * formula, 2);
      score += own * token.weight.units / 256;
    }
    if (matches) hits.push_back({i, static_cast<scoring::Score>(std::min<std::uint64_t>(score, scoring::kMaxScore))});
  }
  std::ranges::sort(hits, topk::better);
  return hits;
}

class WeightsOfWords : public testing::Test {
 protected:
  std::vector<topk::Hit> found(const MemoryCollection& collection, const query::Clause& clause, std::uint32_t k,
                               bool exhaustive) {
    const auto query = collection.resolve(clause, analyzer_, analyzer_);
    EXPECT_TRUE(query) << query.error().message();
    std::vector<std::vector<topk::Hit>> parts;
    for (std::size_t i = 0; i < collection.partitions(); ++i) {
      const auto plan = collection.plan(i, *query, k, /*ranked=*/true);
      auto outcome = exhaustive ? search_exhaustively(plan, clock_) : search(plan, clock_);
      EXPECT_TRUE(outcome) << outcome.error().message();
      parts.push_back(std::move(outcome->hits));
    }
    return topk::merge(parts, k);
  }
  const schema::Schema schema_ = support::query_schema();
  text::Analyzer analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock_;
};

TEST_F(WeightsOfWords, ScoreAsWorkedOutByHand) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const auto documents = random_documents(schema_, seed == 3 ? 2 * kWindow + 50 : 300, seed);
    std::mt19937 random(seed);
    for (const std::uint32_t partitions : {1u, 3u}) {
      const MemoryCollection collection(schema_, documents, partitions);
      for (int i = 0; i < 25; ++i) {
        query::Weights weights{"title", {}};
        for (const char first : {'a', 'b', 'c', 'd', 'e'})
          for (const char second : {'a', 'b', 'c'}) {
            if (random() % 3 != 0) continue;
            const std::uint32_t kinds[] = {1,           255, 256, 257, 640, static_cast<std::uint32_t>(random() % 5000),
                                           65'535 * 256};
            weights.tokens.push_back({std::string{first, second}, {kinds[random() % (i % 5 == 0 ? 7 : 6)]}});
          }
        weights.tokens.push_back({"unknown", {256}});
        const query::Clause clause{weights};
        const query::Clause normal = query::normal_form(*query::bind(clause, schema_, "query"), schema_);
        auto wanted = worked_out(documents, *normal.as<query::Weights>());
        for (const std::uint32_t k : {10u, 100'000u}) {
          auto best = wanted;
          best.resize(std::min<std::size_t>(k, best.size()));
          for (const bool exhaustive : {false, true})
            ASSERT_EQ(found(collection, normal, k, exhaustive), best)
                << "seed " << seed << ", query " << i << ", k " << k << (exhaustive ? ", exhaustive" : "");
        }
      }
    }
  }
}

TEST_F(WeightsOfWords, BoostedScoreThatManyTimes) {
  const auto documents = random_documents(schema_, 300, 4);
  const MemoryCollection collection(schema_, documents, 1);
  const query::Clause clause{query::Weights{"title", {{"aa", {300}}, {"ab", {128}}}}};
  const auto once = found(collection, clause, 1000, false),
             thrice = found(collection, query::boosted(clause, {768}), 1000, false);
  ASSERT_FALSE(once.empty());
  ASSERT_EQ(once.size(), thrice.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(thrice[i].ordinal, once[i].ordinal);
    EXPECT_EQ(thrice[i].score, 3 * once[i].score);
  }
}

TEST_F(WeightsOfWords, NeedListsOfTheField) {
  const auto refused = query::bind({query::Weights{"body", {{"aa", {256}}}}}, schema_, "query");
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("field 'body' has no field_search"), std::string::npos)
      << refused.error().message();
}

}  // namespace
}  // namespace frond::leaf::clauses
