// How much work random clauses are is told before they are searched: never fewer matches than there are.
#include "leaf/clauses/work.h"

#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/random_clauses.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

class TheWorkOfAClause : public testing::Test {
 protected:
  static constexpr std::uint32_t kDocuments = 500;

  Result<ResolvedQuery> resolve(const query::Clause& clause) {
    const auto bound = query::bind(query::resolved(clause, query::Mode::kOr), schema_, "clause");
    if (!bound) return bound.error();
    return collection_.resolve(*bound, analyzer_, analyzer_);
  }
  Work work_of_words(std::vector<query::Clause> must, std::vector<query::Clause> should) {
    return work_of(*resolve({query::Bool{std::move(must), std::move(should), {}, {}, {}}}));
  }

  const schema::Schema schema_ = support::query_schema();
  MemoryCollection collection_{schema_, random_documents(schema_, kDocuments, 3), 1};
  text::Analyzer analyzer_{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock_;
};

TEST_F(TheWorkOfAClause, HasNeverFewerMatchesThanThereAre) {
  support::RandomClauses random(4);
  int told = 0;
  for (int i = 0; i < 1000; ++i) {
    const query::Clause clause = random.clause(1 + random.below(4));
    const auto query = resolve(clause);
    if (!query) continue;  // not for this schema
    SCOPED_TRACE(query::clause_json(clause));
    const auto outcome = search(collection_.plan(0, *query, 0, false), clock_);
    ASSERT_TRUE(outcome) << outcome.error().message();
    const Work work = work_of(*query);
    ASSERT_GE(work.matches, outcome->matches);
    ASSERT_LE(work.matches, kDocuments);
    told += work.matches < kDocuments;
  }
  EXPECT_GT(told, 100);
}

TEST_F(TheWorkOfAClause, IsThatOfItsListsAndColumns) {
  const query::Clause aa{query::Words{"", "aa", query::Mode::kOr}}, ba{query::Words{"", "ba", query::Mode::kOr}};
  const query::Clause years{query::Range{"year", query::Bound{std::int64_t{2003}, true}, {}}};
  const std::uint64_t a = work_of(*resolve(aa)).postings, b = work_of(*resolve(ba)).postings;
  ASSERT_GT(a, b);
  ASSERT_GT(b, 0u);
  const Work both = work_of_words({aa, ba}, {}), any = work_of_words({}, {aa, ba}),
             in_years = work_of_words({years, ba}, {});
  EXPECT_EQ(both.postings, a + b);
  EXPECT_EQ(both.matches, b);
  EXPECT_EQ(any.postings, a + b);
  EXPECT_EQ(any.matches, std::min<std::uint64_t>(a + b, kDocuments));
  EXPECT_EQ(in_years.values, kDocuments);
  EXPECT_EQ(in_years.matches, b);
}

}  // namespace
}  // namespace frond::leaf::clauses
