// Lists with a flipped bit anywhere: a search ends with an answer or with kCorrupt, and reads nothing beyond its
// arrays.
#include <gtest/gtest.h>

#include "leaf/clauses/matchers/matcher.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

// Null: the damage is seen when the list is opened.
lists::ListLease with_flipped_bit(const lists::List& list, std::mt19937& random) {
  std::vector<ByteBuffer> segments;
  for (const auto& segment : list.postings.segments())
    segments.emplace_back(segment.bytes().begin(), segment.bytes().end());
  segments[0][random() % segments[0].size()] ^= static_cast<std::byte>(1 << random() % 8);
  const std::vector<support::SlackBytes> padded(segments.begin(), segments.end());
  std::vector<ByteView> views;
  for (const support::SlackBytes& one : padded) views.push_back(one.view());
  return postings::PostingList::open(views) ? support::make_lease(segments) : nullptr;
}

TEST(Clauses, SurviveDamageAnywhereInAList) {
  const schema::Schema schema = support::query_schema();
  const auto documents = random_documents(schema, 3 * kWindow + 130, 9);
  const MemoryCollection collection(schema, documents, 1);
  text::Analyzer analyzer{{text::Stemmer::kNone, text::StopWords(false), text::AnalyzerKind::kStandard}};
  support::ManualClock clock;
  std::mt19937 random(9);
  const char* const words[] = {"aa", "ab", "ba", "bb", "cb", "w17", "cc"};
  const auto word = [&] { return std::string(words[random() % std::size(words)]); };
  int tried = 0, corrupt = 0;
  for (int i = 0; i < 1500; ++i) {
    query::Bool both;
    both.must.push_back({query::Words{"", word(), query::Mode::kOr}});
    if (i % 3 > 0) both.must.push_back({query::Words{"", word(), query::Mode::kOr}});
    if (i % 4 == 0) both.must.push_back({query::Phrase{"", word() + " " + word(), 0, false}});
    for (int more = i % 5; more > 0; --more) both.should.push_back({query::Words{"", word(), query::Mode::kOr}});
    if (i % 7 == 0) both.must[0] = query::boosted(both.must[0], {300});
    const auto query = collection.resolve(query::Clause{std::move(both)}, analyzer, analyzer);
    ASSERT_TRUE(query) << query.error().message();
    ClausePlan plan = collection.plan(0, *query, i % 2 == 0 ? 10 : 2000, true);
    auto& list = plan.lists[random() % plan.lists.size()];
    if (list != nullptr) list = with_flipped_bit(*list, random);
    if (list == nullptr) continue;
    ++tried;
    if (const auto outcome = search(plan, clock); !outcome) {
      EXPECT_EQ(outcome.error().code(), Code::kCorrupt) << outcome.error().message();
      ++corrupt;
    }
  }
  EXPECT_GT(tried, 700);
  EXPECT_GT(corrupt, tried / 20);
}

}  // namespace
}  // namespace frond::leaf::clauses
