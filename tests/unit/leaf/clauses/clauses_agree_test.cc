// Random clauses on random documents: what matches, and with which score, is what an obvious look at each document
// says; the same by windows, by the reference, and for any number of partitions.
#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/query/normal_form.h"
#include "common/topk/top_k.h"
#include "leaf/clauses/collector.h"
#include "leaf/clauses/matchers/matcher.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/document_oracle.h"
#include "tests/support/random_clauses.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

constexpr char kStop[] = "ca";

text::AnalyzerConfig analyzer_config() {
  return {text::Stemmer::kNone, *text::StopWords::own({kStop}), text::AnalyzerKind::kStandard};
}

using Search = Result<engine::Outcome> (*)(const ClausePlan&, const Clock&);

struct Ranking {
  std::vector<topk::Hit> hits;
  std::uint64_t matches = 0;
  friend bool operator==(const Ranking&, const Ranking&) = default;
};

class World {
 public:
  explicit World(std::uint32_t documents, std::uint32_t seed)
      : documents_(random_documents(schema_, documents, seed)),
        hidden_(documents),
        oracle_(schema_, oracle_documents(schema_, documents_)) {
    for (const std::uint32_t partitions : {1u, 3u})
      collections_.push_back(std::make_unique<MemoryCollection>(schema_, documents_, partitions));
  }
  void hide_some(std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i] = random() % 5 == 0;
    for (const auto& one : collections_) one->hide(hidden_);
  }
  const schema::Schema& schema() const { return schema_; }
  MemoryCollection& collection(std::size_t number) { return *collections_[number]; }

  Result<Ranking> run(std::size_t collection, const query::Clause& clause, Search with, std::uint32_t k, bool ranked,
                      bool prunes = false) {
    const MemoryCollection& from = *collections_[collection];
    const ResolvedQuery query = FROND_TRY(from.resolve(clause, analyzer_, plain_analyzer_));
    Ranking ranking;
    std::vector<std::vector<topk::Hit>> lists;
    engine::SharedFloor floor;
    for (std::size_t i = 0; i < from.partitions(); ++i) {
      auto outcome = FROND_TRY(with(from.plan(i, query, k, ranked, prunes ? &floor : nullptr), clock_));
      ranking.matches += outcome.matches;
      lists.push_back(std::move(outcome.hits));
    }
    ranking.hits = topk::merge(lists, k);
    return ranking;
  }
  // In the documents' order.
  std::vector<topk::Hit> wanted(const query::Clause& clause) {
    support::DocumentOracle oracle(oracle_, oracle_analyzers_, {}, query::Mode::kOr);
    std::vector<topk::Hit> hits;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const auto found = oracle.ask(clause, oracle_.documents()[i]);
      if (!hidden_[i] && found.matched) hits.push_back({i, found.score});
    }
    return hits;
  }

 private:
  const schema::Schema schema_ = support::query_schema();
  const std::vector<TextDocument> documents_;
  std::vector<bool> hidden_;
  const support::OracleCollection oracle_;
  support::OracleAnalyzers oracle_analyzers_{analyzer_config(), schema_};
  std::vector<std::unique_ptr<MemoryCollection>> collections_;
  text::Analyzer analyzer_{analyzer_config()};
  text::Analyzer plain_analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock_;
};

std::vector<Ordinal> ordinals_of(const std::vector<topk::Hit>& hits) {
  std::vector<Ordinal> ordinals;
  for (const topk::Hit& hit : hits) ordinals.push_back(hit.ordinal);
  return ordinals;
}

void expect_agreement(World& world, support::RandomClauses& random, std::uint32_t clauses) {
  for (std::uint32_t i = 0; i < clauses; ++i) {
    const auto bound =
        query::bind(query::resolved(random.clause(1 + random.below(4)), query::Mode::kAnd), world.schema(), "clause");
    if (!bound) continue;  // not for this schema
    SCOPED_TRACE(query::clause_json(*bound));
    const auto wanted = world.wanted(*bound);
    const auto unranked = world.run(0, *bound, search, 100'000, false);
    ASSERT_TRUE(unranked) << unranked.error().message();
    ASSERT_EQ(ordinals_of(unranked->hits), ordinals_of(wanted));
    ASSERT_EQ(unranked->matches, wanted.size());
    const std::uint32_t k = i % 3 == 0 ? 100'000 : 10;
    const auto exhaustive = world.run(0, *bound, search_exhaustively, k, true);
    ASSERT_TRUE(exhaustive);
    ASSERT_EQ(exhaustive->matches, wanted.size());
    for (const std::size_t collection : {0, 1}) {
      ASSERT_EQ(*world.run(collection, *bound, search, k, true), *exhaustive) << collection;
      ASSERT_EQ(world.run(collection, *bound, search, k, true, /*prunes=*/true)->hits, exhaustive->hits) << collection;
    }
    ASSERT_EQ(*world.run(1, *bound, search_exhaustively, k, true), *exhaustive);
    // What is left out is known only after the analysis: normal forms of such texts may differ.
    if (query::clause_json(*bound).find(kStop) != std::string::npos) continue;
    const query::Clause normal = query::normal_form(*bound, world.schema());
    auto ranked = world.run(0, normal, search, 100'000, true)->hits;
    std::ranges::sort(ranked, {}, &topk::Hit::ordinal);
    ASSERT_EQ(ranked, wanted) << query::clause_json(normal);
  }
}

TEST(Clauses, FindWhatEachDocumentSays) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(300, seed);
    support::RandomClauses random(seed);
    expect_agreement(world, random, 300);
    world.hide_some(seed);
    expect_agreement(world, random, 100);
  }
}

TEST(Clauses, FindItInManyWindowsToo) {
  World world(3 * kWindow + 100, 7);
  support::RandomClauses random(7);
  expect_agreement(world, random, 12);
  world.hide_some(7);
  expect_agreement(world, random, 12);
}

// Trees whose matches all have some terms, or a phrase: searched by lists that lead, with bounds.
TEST(Clauses, WithRequiredTermsFindTheBest) {
  World world(3 * kWindow + 100, 5);
  std::mt19937 random(5);
  const char* const words[] = {"aa", "ab", "ac", "ba", "bb", "bc", "cb", "cc"};
  const auto some_words = [&](std::size_t most) {
    std::vector<query::Clause> clauses;
    for (std::size_t i = random() % (most + 1); i > 0; --i) {
      std::string text = words[random() % 8];
      for (std::size_t more = random() % 4 == 0 ? 1 + random() % 2 : 0; more > 0; --more)  // any of them
        text.append(" ").append(words[random() % 8]);
      query::Clause one{query::Words{random() % 5 == 0 ? "title" : "", std::move(text), query::Mode::kOr}};
      clauses.push_back(random() % 3 == 0
                            ? query::boosted(one, {static_cast<std::uint32_t>(
                                                      random() % 3 == 0 ? 1 + random() % 3 : 128 + random() % 600)})
                            : one);
    }
    return clauses;
  };
  for (int i = 0; i < 150; ++i) {
    if (i == 100) world.hide_some(5);
    query::Bool both{some_words(2), some_words(3), some_words(2), {}, {}};
    if (random() % 3 == 0 || both.must.empty()) {
      std::string text = std::string(words[random() % 8]) + " " + words[random() % 8];
      if (random() % 3 == 0) text += " " + text.substr(0, 2);  // a word that comes again
      both.must.push_back({query::Phrase{random() % 2 == 0 ? "title" : "", text, random() % 3 == 0 ? 2u : 0u, false}});
    }
    const query::Clause clause{std::move(both)};
    SCOPED_TRACE(query::clause_json(clause));
    const auto exhaustive = world.run(0, clause, search_exhaustively, 10, true);
    ASSERT_TRUE(exhaustive) << exhaustive.error().message();
    for (const std::size_t collection : {0, 1}) {
      ASSERT_EQ(*world.run(collection, clause, search, 10, true), *exhaustive) << collection;
      ASSERT_EQ(world.run(collection, clause, search, 10, true, /*prunes=*/true)->hits, exhaustive->hits) << collection;
    }
  }
}

// Trees of plain words, which the engine of plain words searches, and such that are nearly so.
TEST(Clauses, OfWordsAloneFindTheBest) {
  World world(3 * kWindow + 100, 15);
  std::mt19937 random(15);
  const char* const words[] = {"aa", "ab", "ac", "ba", "bb", "cb", "w17", "none"};
  for (int i = 0; i < 120; ++i) {
    if (i == 80) world.hide_some(15);
    query::Bool both;
    for (std::size_t left = 1 + random() % 4; left > 0; --left) {
      query::Clause word{query::Words{i % 10 == 3 ? "title" : "", words[random() % 8], query::Mode::kOr}};
      (i % 2 == 0 ? both.must : both.should).push_back(i % 10 == 7 ? query::boosted(word, {300}) : word);
    }
    if (i % 6 == 1) both.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, 2};
    const query::Clause clause{std::move(both)};
    SCOPED_TRACE(query::clause_json(clause));
    for (const std::uint32_t k : {0u, 10u, 20'000u})
      for (const bool ranked : {true, false}) {
        const auto exhaustive = world.run(0, clause, search_exhaustively, k, ranked);
        ASSERT_TRUE(exhaustive) << exhaustive.error().message();
        for (const std::size_t collection : {0, 1}) {
          const auto all = world.run(collection, clause, search, k, ranked);
          ASSERT_TRUE(all) << all.error().message();
          ASSERT_EQ(*all, *exhaustive) << collection << ", k " << k << ", ranked " << ranked;
          if (!ranked) continue;
          ASSERT_EQ(world.run(collection, clause, search, k, true, /*prunes=*/true)->hits, exhaustive->hits)
              << collection << ", k " << k;
        }
      }
  }
}

class CountOfMatches final : public Collector {
 public:
  std::uint64_t narrow(DocId, Bits&) override { return 0; }
  Result<void> take(DocId, const Bits&, Matcher&) override { return {}; }
};

// Words that no document has are none of those of which some are needed.
TEST(Clauses, NeedSomeOfWordsThatNoDocumentHas) {
  World world(300, 21);
  const auto word = [](const char* text) { return query::Clause{query::Words{"", text, query::Mode::kOr}}; };
  for (const char* const known : {"none", "ab"})
    for (const bool required : {false, true})
      for (const std::uint32_t minimum : {0u, 1u, 2u}) {
        query::Bool both;
        if (required) both.must.push_back(word("aa"));
        both.should = {word("never"), word(known), word("nothing")};
        both.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, minimum};
        const query::Clause clause{std::move(both)};
        SCOPED_TRACE(query::clause_json(clause));
        const std::size_t wanted = world.wanted(clause).size();
        if (minimum > (known[0] == 'a' ? 1 : 0)) {
          ASSERT_EQ(wanted, 0u);
        }
        const Search collect = [](const ClausePlan& plan, const Clock& clock) {
          CountOfMatches counted;
          return search(plan, clock, nullptr, &counted);
        };
        for (const std::size_t collection : {0, 1})
          for (const bool ranked : {true, false})
            for (const std::uint32_t k : {0u, 10u}) {
              const auto all = world.run(collection, clause, search_exhaustively, k, ranked);
              ASSERT_EQ(all->matches, wanted);
              ASSERT_EQ(*world.run(collection, clause, search, k, ranked), *all) << "k " << k << ", ranked " << ranked;
              ASSERT_EQ(world.run(collection, clause, collect, k, ranked)->matches, wanted);
            }
      }
}

TEST(Clauses, BoostDoublesAndSumsAdd) {
  World world(300, 9);
  const auto scores = [&](const query::Clause& clause) {
    std::map<Ordinal, topk::Score> by;
    const auto ranking = world.run(0, clause, search, 1000, true);
    for (const topk::Hit& hit : ranking->hits) by[hit.ordinal] = hit.score;
    return by;
  };
  const query::Clause one{query::Words{"", "aa", query::Mode::kOr}}, other{query::Phrase{"title", "ab aa", 3, false}};
  const auto first = scores(one), second = scores(other);
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(second.empty());
  for (const auto& [ordinal, score] : scores(query::boosted(one, {512}))) EXPECT_EQ(score, 2 * first.at(ordinal));
  for (const auto& [ordinal, score] : scores({query::Bool{{one, other}, {}, {}, {}, {}}}))
    EXPECT_EQ(score, first.at(ordinal) + second.at(ordinal));
  // However much is added, sums end.
  query::Bool much;
  for (int i = 0; i < 10; ++i) much.must.push_back({query::Constant{{{query::All()}}, {2'560'000}}});
  const auto most = scores({much});
  EXPECT_EQ(most.begin()->second, scoring::kMaxScore);
}

TEST(Clauses, RefusePrefixesOfTooManyTerms) {
  World world(300, 11);
  world.collection(0).max_expansions = 2;
  const auto many = world.run(0, {query::Prefix{"", "a"}}, search, 10, true);
  ASSERT_EQ(many, Code::kInvalid);
  EXPECT_EQ(many.error().message(), "the prefix 'a' stands for more terms than max_expansions (2)") << "aa, ab, ac";
}

}  // namespace
}  // namespace frond::leaf::clauses
