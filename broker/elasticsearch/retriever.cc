#include "broker/elasticsearch/retriever.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "broker/elasticsearch/json_body.h"
#include "broker/merge/rank_fusion.h"

namespace frond::broker::elasticsearch {
namespace {

// What may stand beside a retriever.
constexpr std::array<std::string_view, 11> kBeside{"retriever",       "size",    "from", "_source",      "fields",
                                                   "docvalue_fields", "timeout", "aggs", "aggregations", "highlight",
                                                   "track_total_hits"};

Json filtered(Json query, const Json& filter) {
  if (filter.is_null()) return query;
  return {{"bool", {{"must", Json::array({std::move(query)})}, {"filter", filter}}}};
}

// The query of {"standard": {"query": …, "filter": …}}.
Expected<Json> standard_query(const Json& retriever) {
  if (!retriever.is_object() || retriever.size() != 1) return parsing_exception("[retriever] has one kind");
  const std::string& kind = retriever.begin().key();
  const Json& members = retriever.begin().value();
  if (kind != "standard") return not_supported("retriever [" + kind.substr(0, 100) + "]");
  if (!members.is_object()) return parsing_exception("[standard] must be an object");
  Json query = {{"match_all", Json::object()}}, filter;
  for (const auto& [key, value] : members.items()) {
    if (key == "query")
      query = value;
    else if (key == "filter")
      filter = value;
    else
      return not_supported("[" + key.substr(0, 100) + "] of retriever [standard]");
  }
  return filtered(std::move(query), filter);
}

Expected<std::int64_t> whole_from(const Json& json, const char* name, std::int64_t most) {
  if (!json.is_number_integer() || json < 1 || json > most)
    return illegal_argument(std::string("[") + name + "] must be a whole number from 1 to " + std::to_string(most));
  return json.get<std::int64_t>();
}

struct Rrf {
  std::vector<Json> queries;
  std::int64_t constant = 60, window = 0;  // window 0: the size
};

Expected<Rrf> read_rrf(const Json& members) {
  if (!members.is_object()) return parsing_exception("[rrf] must be an object");
  Rrf rrf;
  Json filter;
  for (const auto& [key, value] : members.items()) {
    if (key == "rank_constant") {
      rrf.constant = FROND_EXPECT_OK(whole_from(value, "rank_constant", merge::kMaxRankConstant));
    } else if (key == "rank_window_size") {
      rrf.window = FROND_EXPECT_OK(whole_from(value, "rank_window_size", kMaxRankWindow));
    } else if (key == "filter") {
      filter = value;
    } else if (key == "retrievers") {
      if (!value.is_array() || value.size() < 2 || value.size() > kMaxRetrievers)
        return illegal_argument("[retrievers] of [rrf] must be 2 to " + std::to_string(kMaxRetrievers));
      for (const Json& one : value) rrf.queries.push_back(FROND_EXPECT_OK(standard_query(one)));
    } else {
      return not_supported("[" + key.substr(0, 100) + "] of retriever [rrf]");
    }
  }
  if (rrf.queries.empty()) return parsing_exception("[rrf] needs [retrievers]");
  for (Json& query : rrf.queries) query = filtered(std::move(query), filter);
  return rrf;
}

Expected<FusedAsk> fused(const Json& body, const Parameters& parameters) {
  const Json& retriever = body["retriever"];
  Json rest = body;
  rest.erase("retriever");
  for (const auto& [key, value] : rest.items())
    if (std::ranges::find(kBeside, key) == kBeside.end())
      return illegal_argument("cannot specify [retriever] and [" + key.substr(0, 100) + "]");
  for (const auto& [name, value] : parameters)
    if (name == "q" || name == "sort") return illegal_argument("cannot specify [retriever] and [" + name + "]");
  FusedAsk ask;
  if (!retriever.is_object() || !retriever.contains("rrf")) {
    rest["query"] = FROND_EXPECT_OK(standard_query(retriever));
    ask.all = FROND_EXPECT_OK(read_search(rest, parameters));
    return ask;
  }
  if (retriever.size() != 1) return parsing_exception("[retriever] has one kind");
  Rrf rrf = FROND_EXPECT_OK(read_rrf(retriever["rrf"]));
  ask.constant = static_cast<std::uint32_t>(rrf.constant);
  rest["query"] = {{"bool", {{"should", rrf.queries}}}};
  ask.all = FROND_EXPECT_OK(read_search(rest, parameters));
  const std::int64_t window = rrf.window == 0 ? std::max<std::int64_t>(ask.all.size, 1) : rrf.window;
  if (window < ask.all.size)
    return illegal_argument("[rank_window_size] must be at least [size], " + std::to_string(ask.all.size));
  for (Json& query : rrf.queries) {
    SearchAsk ranking = ask.all;
    ranking.query = std::move(query);
    ranking.from = 0;
    ranking.size = static_cast<std::uint32_t>(window);
    ranking.aggregations = nullptr;
    ranking.totals = false;
    ask.rankings.push_back(std::move(ranking));
  }
  return ask;
}

// The rankings one after the other, then what all find.
class FusedJob : public std::enable_shared_from_this<FusedJob> {
 public:
  FusedJob(SearchedTargets targets, FusedAsk ask, std::function<void(Expected<Gathered>)> done)
      : targets_(std::move(targets)), ask_(std::move(ask)), done_(std::move(done)) {}

  void go_on() {
    const bool last = lists_.size() == ask_.rankings.size();
    SearchAsk next = last ? ask_.all : ask_.rankings[lists_.size()];
    if (last) {
      next.from = 0;
      next.size = 0;
      next.highlight = nullptr;
    }
    Abandon abandon =
        run_search(targets_, std::move(next), [self = shared_from_this(), last](Expected<Gathered> gathered) {
          if (!gathered) return self->finish(std::move(gathered));
          if (last) return self->answer(*std::move(gathered));
          self->add(*std::move(gathered));
          self->go_on();
        });
    if (abandon) abandon_ = std::move(abandon);  // null: it is over, and another one may be open
  }
  bool is_over() const { return !done_; }
  void abandon() {
    done_ = nullptr;
    if (const auto abandon = std::exchange(abandon_, nullptr)) abandon();
  }

 private:
  static std::string key_of(const Hit& hit) { return std::to_string(hit.index) + "\n" + hit.id; }

  void add(Gathered gathered) {
    std::vector<std::string>& list = lists_.emplace_back();
    for (Hit& hit : gathered.hits) {
      list.push_back(key_of(hit));
      hits_.emplace(list.back(), std::move(hit));
    }
  }

  void answer(Gathered gathered) {
    const auto fused = merge::fuse_ranks(lists_, ask_.constant);
    gathered.hits.clear();
    if (!fused.empty()) gathered.max_score = fused.front().score;
    for (std::size_t i = ask_.all.from; i < fused.size() && gathered.hits.size() < ask_.all.size; ++i) {
      Hit hit = std::move(hits_.at(fused[i].id));
      hit.score = fused[i].score;
      gathered.hits.push_back(std::move(hit));
    }
    finish(std::move(gathered));
  }
  void finish(Expected<Gathered> result) {
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
  }

  const SearchedTargets targets_;
  const FusedAsk ask_;
  std::function<void(Expected<Gathered>)> done_;  // null: it was called, or the search is abandoned
  Abandon abandon_;
  std::vector<std::vector<std::string>> lists_;  // of index and id
  std::unordered_map<std::string, Hit> hits_;
};

}  // namespace

Expected<FusedAsk> read_retriever(const Json& body, const Parameters& parameters) {
  return typed([&] { return fused(body, parameters); });
}

Abandon run_fused(SearchedTargets targets, FusedAsk ask, std::function<void(Expected<Gathered>)> done) {
  if (ask.rankings.empty()) return run_search(std::move(targets), std::move(ask.all), std::move(done));
  const auto job = std::make_shared<FusedJob>(std::move(targets), std::move(ask), std::move(done));
  job->go_on();
  if (job->is_over()) return nullptr;
  return [held = std::weak_ptr(job)] {
    if (const auto open = held.lock()) open->abandon();
  };
}

}  // namespace frond::broker::elasticsearch
