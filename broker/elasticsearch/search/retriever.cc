#include "broker/elasticsearch/search/retriever.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "broker/elasticsearch/search/search_targets.h"
#include "broker/merge/rank_fusion.h"
#include "common/elasticsearch/json_body.h"

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
    ranking.aggregations = ranking.highlight = nullptr;
    ranking.totals = ranking.source.shown = false;
    ranking.fields.clear();
    ranking.docvalue_fields.clear();
    ask.rankings.push_back(std::move(ranking));
  }
  return ask;
}

// The rankings one after the other, of ids alone; then what all find; then the documents that are shown. All in the
// time of one search.
class FusedJob : public std::enable_shared_from_this<FusedJob> {
 public:
  FusedJob(SearchedTargets targets, FusedAsk ask, std::function<void(Expected<Gathered>)> done)
      : targets_(std::move(targets)), ask_(std::move(ask)), done_(std::move(done)) {
    if (targets_.collections->empty()) return;
    const auto& config = targets_.collections->front().service->config();
    const auto usual =
        ask_.all.timeout_ms > 0 ? std::chrono::milliseconds(ask_.all.timeout_ms) : config.default_timeout;
    time_ = std::min(usual, config.max_timeout).count();
  }

  void go_on() {
    if (lists_.size() < ask_.rankings.size())
      return run(ask_.rankings[lists_.size()], [](FusedJob& self, Gathered heard) {
        self.add(heard);
        self.go_on();
      });
    SearchAsk all = ask_.all;
    all.from = all.size = 0;
    run(std::move(all), [](FusedJob& self, Gathered heard) { self.show(std::move(heard)); });
  }
  bool is_over() const { return !done_; }
  void abandon() {
    done_ = nullptr;
    if (const auto abandon = std::exchange(abandon_, nullptr)) abandon();
  }

 private:
  static std::string key_of(const Gathered& of, const Hit& hit) {
    return of.indices[hit.index].searched.name + "\n" + hit.id;
  }

  void run(SearchAsk next, void (*heard)(FusedJob&, Gathered)) {
    next.timeout_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(time_ - ms_since(begun_), 1));
    Abandon abandon = run_search(targets_, std::make_shared<const SearchAsk>(std::move(next)),
                                 [self = shared_from_this(), heard](Expected<Gathered> gathered) {
                                   if (!gathered) return self->finish(std::move(gathered));
                                   self->note(*gathered);
                                   heard(*self, *std::move(gathered));
                                 });
    if (abandon) abandon_ = std::move(abandon);  // null: it is over, and another one may be open
  }

  // What a search lacks, the answer lacks.
  void note(const Gathered& heard) {
    timed_out_ = timed_out_ || heard.timed_out;
    if (heard.unfit.size() > unfit_.size()) unfit_ = heard.unfit;
    for (const Gathered::Index& one : heard.indices)
      if (!one.answer.lacking.empty()) lacking_.emplace(one.searched.name, one.answer.lacking);
  }

  void add(const Gathered& heard) {
    std::vector<std::string>& list = lists_.emplace_back();
    for (const Hit& hit : heard.hits) list.push_back(key_of(heard, hit));
  }

  void show(Gathered all) {
    all_ = std::move(all);
    fused_ = merge::fuse_ranks(lists_, ask_.constant);
    SearchAsk shown = ask_.all;
    shown.aggregations = nullptr;
    shown.totals = false;
    Json ids = Json::array();
    for (std::size_t i = shown.from; i < fused_.size() && i < std::size_t{shown.from} + shown.size; ++i)
      ids.push_back(fused_[i].id.substr(fused_[i].id.find('\n') + 1));
    if (ids.empty()) return answer(Gathered());
    shown.from = 0;
    shown.size = static_cast<std::uint32_t>(
        std::min<std::size_t>(ids.size() * all_.indices.size(), kMaxWindow));  // an id may be in each
    shown.post_filter = {{"ids", {{"values", std::move(ids)}}}};
    run(std::move(shown), [](FusedJob& self, Gathered heard) { self.answer(std::move(heard)); });
  }

  void answer(Gathered shown) {
    std::unordered_map<std::string, Hit> hits;
    for (Hit& hit : shown.hits) hits.emplace(key_of(shown, hit), std::move(hit));
    shown.hits.clear();
    for (std::size_t i = ask_.all.from; i < fused_.size() && i < std::size_t{ask_.all.from} + ask_.all.size; ++i) {
      const auto hit = hits.find(fused_[i].id);
      if (hit == hits.end()) continue;  // it is gone, or was not searched
      hit->second.score = fused_[i].score;
      shown.hits.push_back(std::move(hit->second));
    }
    shown.total = all_.total;
    shown.exact = all_.exact;
    shown.aggregations = std::move(all_.aggregations);
    shown.max_score = fused_.empty() ? std::nullopt : std::optional(fused_.front().score);
    shown.timed_out = timed_out_;
    shown.unfit = unfit_;
    if (shown.indices.empty()) shown.indices = std::move(all_.indices);
    for (Gathered::Index& one : shown.indices)
      if (const auto lacks = lacking_.find(one.searched.name); lacks != lacking_.end())
        one.answer.lacking = lacks->second;
    finish(std::move(shown));
  }
  void finish(Expected<Gathered> result) {
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
  }

  const SearchedTargets targets_;
  const FusedAsk ask_;
  const Clock::time_point begun_ = Clock::now();
  std::int64_t time_ = 1;                         // milliseconds, of all searches
  std::function<void(Expected<Gathered>)> done_;  // null: it was called, or the search is abandoned
  Abandon abandon_;
  std::vector<std::vector<std::string>> lists_;  // of index and id
  std::vector<merge::FusedDocument> fused_;
  Gathered all_;  // total and aggregations
  bool timed_out_ = false;
  std::vector<std::pair<std::string, ApiError>> unfit_;   // Gathered::unfit
  std::unordered_map<std::string, std::string> lacking_;  // by index
};

}  // namespace

Expected<FusedAsk> read_retriever(const Json& body, const Parameters& parameters) {
  return typed([&] { return fused(body, parameters); });
}

Abandon run_fused(SearchedTargets targets, FusedAsk ask, std::function<void(Expected<Gathered>)> done) {
  if (ask.rankings.empty())
    return run_search(std::move(targets), std::make_shared<const SearchAsk>(std::move(ask.all)), std::move(done));
  const auto job = std::make_shared<FusedJob>(std::move(targets), std::move(ask), std::move(done));
  job->go_on();
  if (job->is_over()) return nullptr;
  return [held = std::weak_ptr(job)] {
    if (const auto open = held.lock()) open->abandon();
  };
}

}  // namespace frond::broker::elasticsearch
