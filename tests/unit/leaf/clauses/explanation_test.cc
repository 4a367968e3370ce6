// Explanations of random clauses: each says the score that the search has found, and its numbers add up.
#include "leaf/clauses/explanation.h"

#include <gtest/gtest.h>

#include <set>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/explained_score.h"
#include "tests/support/random_clauses.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

class AnExplanation : public testing::Test {
 protected:
  static constexpr std::uint32_t kDocuments = 300;

  Result<ResolvedQuery> resolve(const query::Clause& clause) {
    const auto bound = query::bind(query::resolved(clause, query::Mode::kAnd), schema_, "clause");
    if (!bound) return bound.error();
    return collection_.resolve(*bound, analyzer_, analyzer_);
  }
  ClausePlan plan_of(const ResolvedQuery& query, std::size_t partition, bool with_priors) const {
    ClausePlan plan = collection_.plan(partition, query, kDocuments, true);
    if (with_priors) plan.plan.priors = &priors_;
    return plan;
  }
  nlohmann::json explained(const query::Clause& clause, Ordinal ordinal) {
    const auto query = resolve(clause);
    const ClausePlan plan = plan_of(*query, ordinal % 2, false);
    const auto made = Explainer(plan, schema_, clock_).explain(static_cast<DocId>(ordinal / 2));
    return made && *made ? nlohmann::json::parse(explanation_json(**made)) : nlohmann::json();
  }

  const schema::Schema schema_ = support::query_schema();
  MemoryCollection collection_{schema_, random_documents(schema_, kDocuments, 3), 2};
  partition::DocumentPriors priors_{[] {
    std::vector<scoring::Prior> priors(kDocuments);
    for (std::size_t i = 0; i < priors.size(); i += 3) priors[i] = static_cast<scoring::Prior>(i * 777);
    return priors;
  }()};
  text::Analyzer analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock_;
};

TEST_F(AnExplanation, SaysTheScoreThatTheSearchFinds) {
  support::RandomClauses random(1);
  std::size_t explained = 0;
  for (int i = 0; i < 400; ++i) {
    const query::Clause clause = random.clause(1 + random.below(4));
    const auto query = resolve(clause);
    if (!query) continue;  // not for this schema
    SCOPED_TRACE(query::clause_json(clause));
    for (const std::size_t partition : {0, 1}) {
      const ClausePlan plan = plan_of(*query, partition, i % 2 == 0);
      const auto outcome = search(plan, clock_);
      ASSERT_TRUE(outcome);
      Explainer explainer(plan, schema_, clock_);
      std::set<DocId> found;
      for (const topk::Hit& hit : outcome->hits) {
        const auto docid = static_cast<DocId>(hit.ordinal / 2);
        found.insert(docid);
        const auto made = explainer.explain(docid);
        ASSERT_TRUE(made && *made);
        ASSERT_EQ((*made)->score, hit.score);
        const auto json = nlohmann::json::parse(explanation_json(**made));
        ASSERT_EQ(support::explained_score(json), hit.score);
        ++explained;
      }
      for (DocId docid = 0; docid < plan.plan.lengths.size(); docid += 7) {
        const auto made = explainer.explain(docid);
        ASSERT_TRUE(made);
        ASSERT_EQ(made->has_value(), found.contains(docid));
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(explained, 10'000u);
}

TEST_F(AnExplanation, NamesWhatMatches) {
  const auto words = [](const char* field, const char* text) {
    return query::Clause{query::Words{field, text, query::Mode::kAnd}};
  };
  std::vector<query::Clause> should{
      words("title", "aa"), query::boosted(words("", "ab"), {640}), {query::Phrase{"", "ab ac", 2, false}}};
  const query::Clause clause{query::Bool{{{query::All()}}, should, {}, {{query::Exists{"year"}}}, {}}};
  std::set<std::string> names;
  for (Ordinal ordinal = 0; ordinal < kDocuments; ++ordinal) {
    const auto json = explained(clause, ordinal);
    if (json.is_null()) continue;
    for (const auto& one : json["of"]) names.insert(one["clause"].get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"*:*", "title:aa", "ab^2.5", "\"ab ac\"~2", "#year:*"}));
}

TEST(ExplanationJson, LeavesOutWhatIsTooMuch) {
  Explanation sum{"600 of 600", 0, "sum"};
  for (std::uint64_t i = 0; i < 600; ++i) {
    sum.of.push_back({"a", i, "constant"});
    sum.score += i;
  }
  const auto json = nlohmann::json::parse(explanation_json(sum));
  EXPECT_EQ(support::explained_score(json), sum.score);
  ASSERT_EQ(json["of"].size(), kMaxShownClauses - 1);
  EXPECT_EQ(json["of"].back()["clause"], "346 more clauses");
  sum.how = "max";
  EXPECT_EQ(nlohmann::json::parse(explanation_json(sum)),
            nlohmann::json::parse(R"({"clause":"600 of 600","score":2.74200439453125,"how":"max","cut":true})"));
  Explanation outer{"1 of 2", 1, "sum"};
  outer.of = {sum, {"b", 1, "constant"}};
  EXPECT_EQ(nlohmann::json::parse(explanation_json(outer))["of"][0]["cut"], true);
}

}  // namespace
}  // namespace frond::leaf::clauses
