// Searches with facets on a leaf with a GPU: what it answers is what the leaf answers without one, for facets that the
// GPU counts and for those that it leaves to the CPU, with filters, removed documents, and limits.
#include <gtest/gtest.h>

#include <future>

#include "common/query/clause_json.h"
#include "common/query/facet.h"
#include "common/schema/json.h"
#include "common/schema/schema_json.h"
#include "indexer/change/change_publication.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/gpu/gpu_engine.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "leaf/serve/search_query.h"
#include "tests/differential/change/changed_collection.h"

namespace frond::change_test {
namespace {

using leaf::gpu::GpuEngine;
using leaf::serve::SearchMetrics, leaf::serve::SearchParts, leaf::serve::SearchQuery;

constexpr std::string_view kSchema = R"({"fields": {"title": {"type": "text", "weight": 2}, "body": {"type": "text"},
  "lang": {"type": "keyword"}, "tag": {"type": "keyword", "many": true}, "year": {"type": "integer"},
  "price": {"type": "float"}, "published": {"type": "date"}, "open": {"type": "boolean"}}})";
// Those that a GPU counts, and one that it does not.
constexpr const char* kCounted[] = {
    R"("a": {"values": {"field": "lang"}})",
    R"("b": {"distinct": {"field": "lang"}})",
    R"("c": {"values": {"field": "year", "size": 5}})",
    R"("d": {"ranges": {"field": "year", "bounds": [1995, 2000, 2001]}})",
    R"("e": {"histogram": {"field": "year", "interval": 7}})",
    R"("f": {"dates": {"field": "published", "interval": "month"}})",
    R"("g": {"dates": {"field": "published", "interval": "hour"}})",
    R"("h": {"values": {"field": "open"}})",
};
constexpr const char* kLeft[] = {R"("s": {"stats": {"field": "year"}})", R"("t": {"values": {"field": "tag"}})",
                                 R"("p": {"values": {"field": "price"}})"};

std::string facets_of(std::string_view json, const schema::Schema& schema) {
  auto facets = query::read_facets(*schema::parse_json(json), "facets");
  return query::facets_json(*query::bind_facets(*std::move(facets), schema, "facets"));
}

struct Answered {
  wire::SearchReply reply;
  std::string refusal;
};

// A leaf's searches, with a GPU or without one.
class Searches {
 public:
  Searches(const Follower& leaf, leaf::lists::ListStore& store, GpuEngine* gpu, leaf::engine::QueryEngine& cpu)
      : pool_({2, 1000}, clock_, nullptr), parts_{leaf.board(), store, cpu, oracle_, pool_, clock_}, metrics_(parts_) {
    parts_.keywords = &keywords_;
    if (gpu == nullptr) return;
    const auto search = [gpu, this](std::span<const leaf::engine::Plan> plans, leaf::engine::BatchTimes& times) {
      return gpu->try_search(plans, clock_, &times);
    };
    queries_.emplace(leaf::schedule::QueryScheduler::Options{}, leaf::schedule::QueryScheduler::Gpu{search, {}}, pool_,
                     clock_, nullptr);
    parts_.queries = &*queries_;
    parts_.device = &gpu->lists();
  }
  ~Searches() {
    pool_.drain();
    if (queries_) queries_->drain();
    pool_.drain();
  }
  Answered ask(const wire::SearchRequest& request) {
    std::promise<Answered> promised;
    const auto query = std::make_shared<SearchQuery>(
        parts_, metrics_, request, Deadline::never(),
        [&](wire::SearchReply reply) {
          promised.set_value({std::move(reply), ""});
        },
        [&](const Error& why) {
          promised.set_value({{}, std::string(why.message())});
        });
    const auto run = [query](const SearchQuery::Waited& waited) { query->start(waited); };
    EXPECT_TRUE(pool_.submit_one({Deadline::never(), run}, leaf::schedule::Lane::kSearch));
    return promised.get_future().get();
  }
  SearchParts& parts() { return parts_; }

 private:
  const SteadyClock clock_;
  leaf::engine::ExhaustiveEngine oracle_;
  leaf::collect::KeywordCache keywords_{1 << 20};
  leaf::schedule::WorkerPool pool_;
  std::optional<leaf::schedule::QueryScheduler> queries_;
  SearchParts parts_;
  SearchMetrics metrics_;
};

class SearchedFacets : public testing::TestWithParam<std::uint32_t> {
 protected:
  SearchedFacets() {
    std::vector<Text> texts;
    for (int i = 0; i < 1500; ++i) {
      Text text{"d" + std::to_string(i), random_words(random_, 4), random_words(random_, 30)};
      if (random_() % 4 != 0) text.members += R"(,"lang":"l)" + std::to_string(random_() % 40) + '"';
      if (random_() % 3 != 0) text.members += R"(,"tag":["t1","t)" + std::to_string(random_() % 5) + R"("])";
      if (random_() % 5 != 0) text.members += ",\"year\":" + std::to_string(1990 + random_() % 30);
      if (random_() % 3 != 0) text.members += ",\"price\":" + std::to_string(random_() % 1000) + ".5";
      if (random_() % 3 != 0)
        text.members += ",\"published\":" + std::to_string(1'500'000'000'000 + random_() % 4'000 * 1'000'000ULL);
      if (random_() % 3 != 0) text.members += random_() % 3 == 0 ? ",\"open\":true" : ",\"open\":false";
      texts.push_back(std::move(text));
    }
    write_jsonl(folder_ / "input.jsonl", texts);
    indexer::BuildProgress progress;
    auto options = options_for(folder_ / "repository", folder_ / "input.jsonl", GetParam(), schema_);
    options.invert.parse.prior_field.clear();
    const auto built = indexer::build(options, progress, log_, {});
    EXPECT_TRUE(built) << built.error().message();
    int next = 0;
    EXPECT_TRUE(indexer::change::remove_documents({folder_ / "repository", "c", 0},
                                                  [&]() -> Result<std::optional<std::string>> {
                                                    if (++next > 100) return std::optional<std::string>();
                                                    return std::optional("d" + std::to_string(next * 13));
                                                  },
                                                  {}));
    leaf_.emplace(folder_ / "repository", folder_ / "data");
    leaf_->step();
  }
  wire::SearchRequest request_of(const query::Clause& clause, const std::string& facets) const {
    wire::SearchRequest request{7, leaf_->generation().generation, wire::Mode::kOr};
    request.clause = query::clause_json(clause);
    if (query::has_auto(clause)) request.mode = wire::Mode::kAuto;
    request.facets = facets_of("{" + facets + "}", *schema_);
    for (const auto& one : leaf_->generation().partitions) request.partitions.push_back(one.number);
    request.profile = true;
    return request;
  }
  std::string some_facets(bool counted) {
    std::string facets;
    for (const char* const facet : kCounted)
      if (random_() % 3 == 0) facets += std::string(facets.empty() ? "" : ",") + facet;
    if (facets.empty()) facets = kCounted[random_() % std::size(kCounted)];
    return counted ? facets : facets + "," + kLeft[random_() % std::size(kLeft)];
  }

  Random random_{41 + GetParam()};
  Logger log_{"test", LogLevel::kError};
  support::ScratchFolder folder_;
  const std::shared_ptr<const schema::Schema> schema_ =
      std::make_shared<const schema::Schema>(*schema::parse_schema(kSchema));
  std::optional<Follower> leaf_;
  const std::unique_ptr<leaf::engine::QueryEngine> cpu_ = *leaf::engine_named("cpu");
  const std::unique_ptr<GpuEngine> gpu_ = *GpuEngine::create(
      {.memory_bytes = std::size_t{100} << 20, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller}, *cpu_);
};

void expect_same_rankings(const wire::Ranking& got, const wire::Ranking& wanted, bool with_matches) {
  EXPECT_EQ(got.hits, wanted.hits);
  if (with_matches) {
    EXPECT_EQ(got.matches, wanted.matches);
  }
}

TEST_P(SearchedFacets, AreTheSameWithAGpu) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  std::size_t by_gpu = 0, counted_ones = 0;
  for (int i = 0; i < 120; ++i) {
    const query::Mode modes[] = {query::Mode::kAnd, query::Mode::kOr, query::Mode::kAuto};
    const std::string text = random_words(random_, 1 + i % 4) + "w" + std::to_string(random_() % 8);
    const bool counted = i % 4 != 3;
    wire::SearchRequest request = request_of({query::Words{"", text, modes[i % 3]}}, some_facets(counted));
    const std::uint32_t depths[] = {0, 1, 10, 500};
    request.depth = depths[random_() % 4];
    request.auto_needs = random_() % 2 == 0 ? 10 : 1000;
    request.exact_total = random_() % 4 == 0;
    if (random_() % 4 == 0) request.rank = wire::Rank::kNone;
    if (random_() % 3 == 0) request.filter = R"({"term":{"field":"open","value":true}})";
    SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ", request " + std::to_string(i) + ": " + request.clause +
                 request.filter + " " + request.facets + ", depth " + std::to_string(request.depth));
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    const Answered got = with_gpu.ask(request);
    ASSERT_EQ(wanted.refusal, "");
    ASSERT_EQ(got.refusal, "");
    ASSERT_TRUE(got.reply.unsearched.empty());
    ASSERT_EQ(got.reply.facets, wanted.reply.facets);
    ASSERT_EQ(got.reply.has_and, wanted.reply.has_and);
    ASSERT_EQ(got.reply.has_or, wanted.reply.has_or);
    expect_same_rankings(got.reply.or_ranking, wanted.reply.or_ranking, true);
    expect_same_rankings(got.reply.and_ranking, wanted.reply.and_ranking, request.exact_total);
    ASSERT_TRUE(got.reply.or_ranking.exact);
    if (testing::Test::HasFailure()) return;
    counted_ones += counted;
    const bool on_gpu =
        std::ranges::any_of(got.reply.profile, [](const auto& one) { return one.engine == "gpu, facets"; });
    by_gpu += on_gpu;
    EXPECT_TRUE(counted || !on_gpu);
    EXPECT_EQ(got.reply.runs.back().on_gpu, on_gpu);
  }
  EXPECT_GE(by_gpu, counted_ones * 9 / 10);
}

TEST_P(SearchedFacets, AreLeftToTheCpuForOtherClauses) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  const query::Clause word{query::Words{"", "w1 w2", query::Mode::kOr}},
      other{query::Words{"", "w0 w3", query::Mode::kAnd}};
  const std::vector<query::Clause> clauses = {
      {query::Bool{{word}, {other}, {}, {}, {}}},
      {query::Bool{{}, {word}, {other}, {}, {}}},
      {query::Boost{{word}, {512}}},
      {query::All{}},
  };
  for (const query::Clause& clause : clauses) {
    wire::SearchRequest request = request_of(clause, kCounted[0]);
    SCOPED_TRACE(request.clause);
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    const Answered got = with_gpu.ask(request);
    EXPECT_EQ(got.reply.facets, wanted.reply.facets);
    EXPECT_EQ(got.reply.or_ranking.hits, wanted.reply.or_ranking.hits);
    EXPECT_FALSE(got.reply.runs.back().on_gpu);
    EXPECT_EQ(got.reply.runs.back().reason, wire::RunReason::kClause);
  }
}

TEST_P(SearchedFacets, AreRefusedWithTheSameWords) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  with_gpu.parts().max_facet_buckets = without.parts().max_facet_buckets = 12;
  for (const char* const facets :
       {kCounted[0], kCounted[2], R"("h": {"values": {"field": "open"}}, "b": {"distinct": {"field": "lang"}})"}) {
    wire::SearchRequest request = request_of({query::Words{"", "w0 w1", query::Mode::kOr}}, facets);
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    EXPECT_NE(wanted.refusal, "");
    EXPECT_EQ(with_gpu.ask(request).refusal, wanted.refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, SearchedFacets, testing::Values(1u, 3u));

}  // namespace
}  // namespace frond::change_test
