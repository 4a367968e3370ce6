// Searches with an order on a leaf with a GPU: page after page what it answers is what the leaf answers without one,
// for orders that the GPU finds the first hits of and for those that it leaves to the CPU, with facets, filters and
// removed documents.
#include <gtest/gtest.h>

#include "tests/gpu/counts/searched_collection.h"

namespace frond::change_test {
namespace {

constexpr const char* kColumns[] = {"lang", "tag", "year", "sizes", "price", "published", "open"};
constexpr const char* kFacets[] = {R"("a": {"values": {"field": "lang"}})", R"("b": {"values": {"field": "year"}})",
                                   R"("c": {"dates": {"field": "published", "interval": "day"}})"};

class SearchedOrders : public SearchedCollection {
 protected:
  // One to three keys, which a GPU may find too long, often with the score, and the documents' order as the last one.
  std::string some_sort(std::size_t& columns) {
    std::vector<std::string> names(std::begin(kColumns), std::end(kColumns));
    std::shuffle(names.begin(), names.end(), random_);
    const std::size_t chosen[] = {0, 1, 1, 1, 2, 2, 3};
    columns = chosen[random_() % std::size(chosen)];
    const std::size_t scored = random_() % 6;
    std::string sort;
    for (std::size_t i = 0; i < columns; ++i) {
      if (i == scored) {
        sort += std::string(i == 0 ? "" : ",") + (random_() % 4 == 0 ? "_score:asc" : "_score");
        continue;
      }
      sort += (i == 0 ? "" : ",") + names[i] + (random_() % 2 == 0 ? ":asc" : ":desc");
      if (random_() % 2 == 0) sort += ":first";
    }
    if (columns == 0 || random_() % 3 == 0)
      sort += std::string(columns == 0 ? "" : ",") + (random_() % 2 == 0 ? "_order:desc" : "_order");
    return query::sort_text(*query::parse_sort(sort));
  }
  wire::SearchRequest some_request(const std::string& sort, int number) {
    const std::string text = random_words(random_, 1 + number % 4) + "w" + std::to_string(random_() % 8);
    const query::Mode modes[] = {query::Mode::kAnd, query::Mode::kOr};
    const bool counted = random_() % 3 == 0;
    wire::SearchRequest request =
        request_of({query::Words{"", text, modes[number % 2]}}, counted ? kFacets[random_() % std::size(kFacets)] : "");
    if (!counted) request.facets.clear();
    request.sort = sort;
    const std::uint32_t depths[] = {1, 7, 100, 1000};
    request.depth = depths[random_() % std::size(depths)];
    request.exact_total = random_() % 2 == 0;
    if (random_() % 3 == 0) request.filter = R"({"term":{"field":"open","value":true}})";
    return request;
  }
};

bool is_on_gpu(const Answered& answered) { return answered.reply.runs.back().on_gpu; }

void expect_same(const Answered& got, const Answered& wanted, const wire::SearchRequest& request) {
  ASSERT_EQ(wanted.refusal, "");
  ASSERT_EQ(got.refusal, "");
  ASSERT_TRUE(got.reply.unsearched.empty());
  ASSERT_EQ(got.reply.or_ranking.hits, wanted.reply.or_ranking.hits);
  ASSERT_EQ(got.reply.or_ranking.sort_bytes, wanted.reply.or_ranking.sort_bytes);
  ASSERT_EQ(got.reply.facets, wanted.reply.facets);
  ASSERT_EQ(got.reply.has_and, wanted.reply.has_and);
  if (!request.exact_total) return;
  ASSERT_TRUE(got.reply.or_ranking.exact);
  ASSERT_EQ(got.reply.or_ranking.matches, wanted.reply.or_ranking.matches);
}

TEST_P(SearchedOrders, AreTheSameWithAGpuPageAfterPage) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  std::size_t pages = 0, by_gpu = 0;
  for (int i = 0; i < 100; ++i) {
    std::size_t columns = 0;
    wire::SearchRequest request = some_request(some_sort(columns), i);
    for (int page = 0; page < 4; ++page) {
      SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ", request " + std::to_string(i) + ", page " +
                   std::to_string(page) + ": " + request.clause + request.filter + " by " + request.sort + ", depth " +
                   std::to_string(request.depth));
      request.processor = wire::Processor::kCpu;
      const Answered wanted = without.ask(request);
      request.processor = wire::Processor::kGpu;
      const Answered got = with_gpu.ask(request);
      expect_same(got, wanted, request);
      if (testing::Test::HasFailure()) return;
      if (columns == 1) {
        EXPECT_TRUE(is_on_gpu(got) || got.reply.or_ranking.hits.empty());
      }
      by_gpu += is_on_gpu(got);
      ++pages;
      const wire::Ranking& ranking = got.reply.or_ranking;
      if (ranking.hits.empty()) break;
      const std::size_t at = random_() % 3 == 0 ? random_() % ranking.hits.size() : ranking.hits.size() - 1;
      request.after = query::SortPosition{ranking.sort_bytes[at], ranking.hits[at].ordinal};
      if (request.sort.find("_order") == std::string::npos && random_() % 4 == 0)
        request.after->ordinal += random_() % 3 * 1000;
    }
  }
  EXPECT_GE(by_gpu, pages / 2);
}

// Of values that no document has, and of documents without one, and of another partition's documents.
TEST_P(SearchedOrders, GoOnFromAnyPlace) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  wire::SearchRequest request = request_of({query::Words{"", "w0 w1 w2", query::Mode::kOr}}, "");
  request.facets.clear();
  request.depth = 20;
  for (const char* const text : {"year", "year:desc:first", "lang:desc", "lang:first", "sizes:desc", "price:desc,lang",
                                 "_score", "_score:asc,lang", "lang,_score:asc", "year:desc,_score"}) {
    const query::SortOrder order = *query::parse_sort(text);
    request.sort = query::sort_text(order);
    for (int i = 0; i < 12; ++i) {
      query::SortPosition& after = request.after.emplace();
      for (const query::SortKey& key : order) {
        if (key.by == query::SortKey::By::kScore) {
          const scoring::Score some[] = {0, 1, 1u << 16, 3u << 16, 1u << 31, scoring::kMaxScore - 1000};
          query::SortBytes::add_score(key, some[random_() % std::size(some)] + random_() % 1000, after.bytes);
          continue;
        }
        const bool missing = random_() % 6 == 0;
        const std::string word = "l" + std::to_string(random_() % 50);
        const std::int64_t number = static_cast<std::int64_t>(random_() % 60) - 20 + (key.field == "year" ? 1980 : 0);
        const schema::FieldType type = schema_->find(key.field)->type;
        const schema::Value value =
            type == schema::FieldType::kFloat ? schema::Value(static_cast<double>(number) * 17) : schema::Value(number);
        if (type == schema::FieldType::kKeyword)
          query::SortBytes::add_keyword(key, missing ? std::nullopt : std::optional<std::string_view>(word),
                                        after.bytes);
        else
          query::SortBytes::add_number(key, missing ? std::nullopt : std::optional(schema::ordering_key(type, value)),
                                       after.bytes);
      }
      after.ordinal = random_() % 2000;
      SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ", by " + request.sort + ", place " +
                   std::to_string(i));
      request.processor = wire::Processor::kCpu;
      const Answered wanted = without.ask(request);
      request.processor = wire::Processor::kGpu;
      const Answered got = with_gpu.ask(request);
      expect_same(got, wanted, request);
      EXPECT_TRUE(is_on_gpu(got));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(SearchedOrders, AreLeftToTheCpuWithTheReason) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  using wire::RunReason;
  struct Case {
    const char* sort;
    std::uint32_t depth;
    RunReason reason;
  };
  for (const Case& one : {Case{"_score,bytes", 10, RunReason::kClause}, Case{"price,published", 10, RunReason::kClause},
                          Case{"year", 2000, RunReason::kGpuLeft}}) {
    wire::SearchRequest request = request_of({query::Words{"", "w0 w1", query::Mode::kOr}}, "");
    request.facets.clear();
    request.sort = query::sort_text(*query::parse_sort(one.sort));
    request.depth = one.depth;
    SCOPED_TRACE(request.sort);
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    const Answered got = with_gpu.ask(request);
    expect_same(got, wanted, request);
    EXPECT_FALSE(is_on_gpu(got));
    EXPECT_EQ(got.reply.runs.back().reason, one.reason);
    EXPECT_EQ(got.reply.profile[0].engine, "clauses, sorted");
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, SearchedOrders, testing::Values(1u, 2u, 3u, 16u));

}  // namespace
}  // namespace frond::change_test
