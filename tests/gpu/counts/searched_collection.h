#pragma once
// A leaf that serves a small collection with columns of all types, removed documents and missing values, with a GPU and
// without one, for tests that compare what both answer.
#include <gtest/gtest.h>

#include <future>

#include "common/query/facets/facet.h"
#include "common/query/json/clause_json.h"
#include "common/schema/json.h"
#include "common/schema/schema_json.h"
#include "indexer/change/change_publication.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/gpu/gpu_engine.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "leaf/serve/search/search_query.h"
#include "tests/differential/change/changed_collection.h"

namespace frond::change_test {

using leaf::gpu::GpuEngine;
using leaf::serve::SearchMetrics, leaf::serve::SearchParts, leaf::serve::SearchQuery;

inline constexpr std::string_view kSchema =
    R"({"fields": {"title": {"type": "text", "weight": 2, "positions": true, "field_search": true},
  "body": {"type": "text", "positions": true},
  "lang": {"type": "keyword"}, "tag": {"type": "keyword", "many": true}, "year": {"type": "integer"}, "sizes": {"type": "integer", "many": true},
  "bytes": {"type": "integer"}, "counts": {"type": "integer", "many": true}, "price": {"type": "float"}, "published": {"type": "date"}, "open": {"type": "boolean"}}})";

inline std::string facets_of(std::string_view json, const schema::Schema& schema) {
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

// By the number of partitions.
class SearchedCollection : public testing::TestWithParam<std::uint32_t> {
 protected:
  // `texts`: in front of the usual ones.
  explicit SearchedCollection(std::vector<Text> texts = {}) {
    const std::size_t given = texts.size();
    for (std::size_t i = 0; i < 1500; ++i) {
      Text text{"d" + std::to_string(given + i), random_words(random_, 4), random_words(random_, 30)};
      if (random_() % 4 != 0) text.members += R"(,"lang":"l)" + std::to_string(random_() % 40) + '"';
      if (random_() % 3 != 0) text.members += R"(,"tag":["t1","t)" + std::to_string(random_() % 5) + R"("])";
      if (random_() % 5 != 0) text.members += ",\"year\":" + std::to_string(1990 + random_() % 30);
      if (random_() % 3 != 0) {
        text.members += ",\"sizes\":[" + std::to_string(random_() % 9);
        if (random_() % 2 == 0) text.members += "," + std::to_string(-5 - static_cast<int>(random_() % 40));
        text.members += "]";
      }
      // Numbers of all lengths: sums of which need more than 64 bits.
      const auto whole = [this] {
        return std::to_string(static_cast<std::int64_t>(std::uint64_t{random_()} << 32 | random_()) >> random_() % 60);
      };
      if (random_() % 3 != 0) text.members += ",\"bytes\":" + whole();
      if (random_() % 3 != 0) text.members += ",\"counts\":[" + whole() + "," + whole() + "]";
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

}  // namespace frond::change_test
