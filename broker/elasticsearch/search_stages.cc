#include "broker/elasticsearch/search_stages.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "broker/elasticsearch/bucket_searches.h"
#include "broker/elasticsearch/function_scores.h"
#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/named_queries.h"
#include "broker/elasticsearch/window_order.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::uint32_t kPage = 1000;                          // hits of one search
constexpr std::size_t kMaxWindowBytes = std::size_t{8} << 20;  // of their documents, which the loop's thread reads
const Json kEverything = {{"match_all", Json::object()}};

std::string key_of(const Gathered& in, const Hit& hit) { return in.indices[hit.index].searched.name + "\n" + hit.id; }

// Only those of the hits, of whichever index.
Json ids_of(const std::vector<Hit>& hits, std::size_t most) {
  Json ids = Json::array();
  for (std::size_t i = 0; i < hits.size() && i < most; ++i) ids.push_back(hits[i].id);
  return {{"ids", {{"values", std::move(ids)}}}};
}

class StagedSearch : public std::enable_shared_from_this<StagedSearch> {
 public:
  StagedSearch(SearchedTargets targets, SearchAsk ask, std::function<void(Expected<Gathered>)> done)
      : targets_(std::move(targets)), ask_(std::move(ask)), done_(std::move(done)) {}

  void begin() {
    auto named = take_names(ask_.query);
    if (!named) return finish(std::move(named).error());
    named_ = *std::move(named);
    if (ask_.min_score) return find_scored();
    first();
  }
  bool is_over() const { return !done_; }
  void abandon() {
    done_ = nullptr;
    if (abandon_) std::exchange(abandon_, nullptr)();
  }

 private:
  using Next = std::function<void(Gathered)>;

  void run_any(SearchAsk ask, std::function<void(Expected<Gathered>)> heard) {
    if (!done_) return;
    ask.partial = ask_.partial;
    ask.timeout_ms = ask_.timeout_ms;
    const std::uint64_t number = ++running_;
    Abandon abandon = run_plain_search(
        targets_, std::move(ask), [self = shared_from_this(), heard = std::move(heard)](Expected<Gathered> answer) {
          self->abandon_ = nullptr;
          if (self->done_) heard(std::move(answer));
        });
    if (abandon && number == running_) abandon_ = std::move(abandon);
  }
  void run(SearchAsk ask, Next next) {
    run_any(std::move(ask), [this, next = std::move(next)](Expected<Gathered> answer) {
      if (!answer) return finish(std::move(answer).error());
      next(*std::move(answer));
    });
  }

  // Which of the hits match a query.
  void match(const std::vector<Hit>& hits, const Json& query, std::function<void(std::set<std::string>)> next) {
    SearchAsk ask;
    ask.query = {{"bool", {{"filter", Json::array({query, ids_of(hits, hits.size())})}}}};
    ask.size = kPage;
    ask.sort = {{.field = "_doc"}};
    ask.source.shown = false;
    if (hits.empty()) return next({});
    run(std::move(ask), [next = std::move(next)](Gathered found) {
      std::set<std::string> keys;
      for (const Hit& hit : found.hits) keys.insert(key_of(found, hit));
      next(std::move(keys));
    });
  }

  // --- min_score: documents that score less are left out, by a filter of the others
  void find_scored() {
    SearchAsk ask;
    ask.query = ask_.query;
    ask.index_boosts = ask_.index_boosts;
    ask.size = kPage;
    ask.source.shown = false;
    ask.exact_total = kPage + 1;
    if (targets_.meant.size() > 1) return finish(not_supported("[min_score] of several indices"));
    run(std::move(ask), [this](Gathered found) {
      const auto low = [&](const Hit& hit) {
        return static_cast<float>(hit.score.value_or(0)) < static_cast<float>(*ask_.min_score);
      };
      if (found.hits.size() == kPage && !low(found.hits.back()) && found.total > kPage)
        return finish(not_supported("a [min_score] that more than " + std::to_string(kPage) + " documents reach"));
      std::erase_if(found.hits, low);
      ask_.query = {{"bool",
                     {{"must", ask_.query.is_null() ? kEverything : ask_.query},
                      {"filter", ids_of(found.hits, found.hits.size())}}}};
      ask_.min_score.reset();
      first();
    });
  }

  // --- the first page, or all documents that may be on it
  void first() {
    SearchAsk ask = plain();
    if (!ask_.collapse.is_null() && ask_.size > 0) return read_window(std::move(ask));
    if (!ask_.rescore.is_null() && ask_.size > 0) {
      ask.size = std::max(ask_.from + ask_.size, 1u);
      for (const Json& one : ask_.rescore)
        ask.size = std::max(ask.size, static_cast<std::uint32_t>(number_or(one, "window_size", 10)));
      if (ask.size > kPage) return finish(not_supported("a [window_size] of more than " + std::to_string(kPage)));
      ask.from = 0;
      return run(std::move(ask), Next([this](Gathered found) { rescore(std::move(found), 0); }));
    }
    if (ask_.sorts_in_window() && ask_.size > 0) return read_window(std::move(ask));
    run_any(std::move(ask), [this](Expected<Gathered> found) {
      if (found) return find_best(*std::move(found));
      const bool functions = ask_.query.is_object() && ask_.query.contains("function_score");
      if (found.error().status != 501 || !functions) return finish(std::move(found).error());
      score_by_functions();
    });
  }
  // Without what is done here.
  SearchAsk plain() const {
    SearchAsk ask = ask_;
    ask.collapse = ask.rescore = nullptr;
    ask.track_scores = false;
    if (ask.sorts_in_window()) ask.sort.clear();
    return ask;
  }

  void score_by_functions() {
    auto read = FunctionScores::read(ask_.query["function_score"], now_ms());
    if (!read) return finish(std::move(read).error());
    functions_ = *std::move(read);
    SearchAsk ask = plain();
    ask.query = functions_->query();
    if (!ask_.by_score() && !ask_.sorts_scores() && !functions_->min_score()) {
      return run(std::move(ask), Next([this](Gathered found) { find_best(std::move(found)); }));
    }
    if (!ask_.by_score()) return finish(not_supported("a function_score query with this [sort]"));
    if (ask_.size == 0 && !functions_->min_score())
      return run(std::move(ask), Next([this](Gathered found) { decorate(std::move(found)); }));
    if (functions_->min_score() && !ask.aggregations.is_null())
      return finish(not_supported("aggregations with [min_score] of a function_score query"));
    read_window(std::move(ask));
  }

  // All documents that match, page by page.
  void read_window(SearchAsk ask) {
    ask.from = 0;
    ask.size = kPage;
    ask.source = {};  // values are read from it
    if (ask_.sorts_in_window()) ask.sort.clear();
    window_ask_ = ask;
    run(std::move(ask), Next([this](Gathered found) { add_page(std::move(found)); }));
  }
  void add_page(Gathered found) {
    const std::size_t added = found.hits.size();
    for (const Hit& hit : found.hits) window_bytes_ += hit.source.size();
    if (!window_) {
      window_ = std::move(found);
    } else {
      std::ranges::move(found.hits, std::back_inserter(window_->hits));
    }
    const bool whole = added < kPage || window_->hits.size() >= window_->total;
    if (!ask_.collapse.is_null() && collapsed_size() >= ask_.from + ask_.size) return collapse();
    if (window_bytes_ > kMaxWindowBytes)
      return finish(not_supported("a window of documents of more than " + std::to_string(kMaxWindowBytes) + " bytes"));
    if (!whole && (window_->hits.size() + kPage > kMaxWindow || targets_.meant.size() > 1 || !ask_.highlight.is_null()))
      return finish(not_supported(std::string("[") +
                                  (functions_                ? "function_score"
                                   : ask_.collapse.is_null() ? "sort"
                                                             : "collapse") +
                                  "] of so many documents that match"));
    if (!whole) {
      SearchAsk more = window_ask_;
      more.from = static_cast<std::uint32_t>(window_->hits.size());
      more.aggregations = nullptr;
      return run(std::move(more), Next([this](Gathered next) { add_page(std::move(next)); }));
    }
    if (!ask_.collapse.is_null()) return collapse();
    if (functions_) return match_function(0);
    order_window();
  }

  void match_function(std::size_t function) {
    while (function < functions_->size() && functions_->filter(function).is_null()) {
      matched_.emplace_back();
      ++function;
    }
    if (function == functions_->size()) return score_window();
    if (window_->hits.size() > kPage)
      return finish(not_supported("a function with a filter, of more than " + std::to_string(kPage) + " documents"));
    match(window_->hits, functions_->filter(function), [this, function](std::set<std::string> keys) {
      matched_.push_back(std::move(keys));
      match_function(function + 1);
    });
  }
  void score_window() {
    Gathered& all = *window_;
    for (Hit& hit : all.hits) {
      std::vector<bool> matched;
      for (std::size_t i = 0; i < matched_.size(); ++i)
        matched.push_back(functions_->filter(i).is_null() || matched_[i].contains(key_of(all, hit)));
      const Json source = Json::parse(hit.source, nullptr, /*allow_exceptions=*/false);
      auto score = functions_->score(hit.score.value_or(0), source, *all.indices[hit.index].searched.mapping, matched);
      if (!score) return finish(std::move(score).error());
      hit.score = *score;
    }
    if (functions_->min_score()) {
      std::erase_if(all.hits, [&](const Hit& hit) { return *hit.score < *functions_->min_score(); });
      all.total = all.hits.size();
    }
    std::ranges::stable_sort(all.hits, [](const Hit& a, const Hit& b) { return *a.score > *b.score; });
    all.max_score = all.hits.empty() ? std::nullopt : all.hits.front().score;
    show_page(std::move(all));
  }

  void order_window() {
    auto ordered = order_hits(*window_, ask_);
    if (!ordered) return finish(std::move(ordered).error());
    window_->max_score.reset();
    show_page(*std::move(window_));
  }

  void show_page(Gathered all) {
    const std::size_t from = std::min<std::size_t>(ask_.from, all.hits.size());
    all.hits.erase(all.hits.begin(), all.hits.begin() + static_cast<std::ptrdiff_t>(from));
    if (all.hits.size() > ask_.size) all.hits.resize(ask_.size);
    find_best(std::move(all));
  }

  // --- collapse: the first hit of each value
  std::size_t collapsed_size() {
    const std::string field = ask_.collapse["field"];
    for (; looked_at_ < window_->hits.size(); ++looked_at_)
      if (auto value = collapse_value(*window_, window_->hits[looked_at_], field); value) values_.insert(*value);
    return values_.size();
  }
  void collapse() {
    std::set<Json> seen;
    std::vector<Hit> kept;
    const std::string field = ask_.collapse["field"];
    for (const auto& [key, value] : ask_.collapse.items())
      if (key != "field" && key != "inner_hits" && key != "max_concurrent_group_searches")
        return finish(not_supported("[" + key + "] of collapse"));
    for (Hit& hit : window_->hits) {
      auto value = collapse_value(*window_, hit, field);
      if (!value) return finish(std::move(value).error());
      if (!seen.insert(*value).second) continue;
      hit.more["fields"][field] = Json::array({*value});
      kept.push_back(std::move(hit));
    }
    window_->hits = std::move(kept);
    show_page(*std::move(window_));
  }

  // --- rescore: the best ones again
  void rescore(Gathered found, std::size_t number) {
    if (number == ask_.rescore.size()) {
      found.max_score = found.hits.empty() ? std::nullopt : found.hits.front().score;
      return show_page(std::move(found));
    }
    auto read = Rescore::read(ask_.rescore[number]);
    if (!read) return finish(std::move(read).error());
    SearchAsk ask;
    ask.query = {{"bool", {{"must", read->query}, {"filter", ids_of(found.hits, read->window)}}}};
    ask.size = kPage;
    ask.source.shown = false;
    auto held = std::make_shared<Gathered>(std::move(found));
    run(std::move(ask), Next([this, held, number, how = *read](Gathered scored) {
          std::map<std::string, double> scores;
          for (const Hit& hit : scored.hits) scores[key_of(scored, hit)] = hit.score.value_or(0);
          for (std::size_t i = 0; i < held->hits.size(); ++i) {
            Hit& hit = held->hits[i];
            const auto found_score = scores.find(key_of(*held, hit));
            hit.score = how.combined(hit.score.value_or(0), i < how.window && found_score != scores.end()
                                                                ? std::optional(found_score->second)
                                                                : std::nullopt);
          }
          std::ranges::stable_sort(held->hits, [](const Hit& a, const Hit& b) { return *a.score > *b.score; });
          rescore(std::move(*held), number + 1);
        }));
  }

  // --- what is added to a page
  void find_best(Gathered found) {
    if (!ask_.track_scores || ask_.size == 0) return decorate(std::move(found));
    SearchAsk ask;
    ask.query = ask_.query;
    ask.index_boosts = ask_.index_boosts;
    ask.size = 1;
    ask.source.shown = false;
    auto held = std::make_shared<Gathered>(std::move(found));
    run(std::move(ask), Next([this, held](Gathered best) {
          held->max_score = best.max_score;
          score_page(held);
        }));
  }
  void score_page(const std::shared_ptr<Gathered>& held) {
    SearchAsk ask;
    ask.query = {{"bool",
                  {{"must", ask_.query.is_null() ? kEverything : ask_.query},
                   {"filter", ids_of(held->hits, held->hits.size())}}}};
    ask.index_boosts = ask_.index_boosts;
    ask.size = kPage;
    ask.source.shown = false;
    if (held->hits.empty()) return decorate(std::move(*held));
    run(std::move(ask), Next([this, held](Gathered scored) {
          std::map<std::string, std::optional<double>> scores;
          for (const Hit& hit : scored.hits) scores[key_of(scored, hit)] = hit.score;
          for (Hit& hit : held->hits) hit.score = scores[key_of(*held, hit)];
          decorate(std::move(*held));
        }));
  }

  void decorate(Gathered found) {
    page_ = std::move(found);
    auto inside = bucket_searches(page_.read_aggregations, page_.aggregations, ask_);
    if (!inside) return finish(std::move(inside).error());
    inside_ = *std::move(inside);
    if (!ask_.collapse.is_null() && ask_.collapse.contains("inner_hits")) {
      const Json& given = ask_.collapse["inner_hits"];
      for (Hit& hit : page_.hits)
        for (const Json& one : given.is_array() ? given : Json::array({given})) {
          const std::string field = ask_.collapse["field"];
          const Json& value = hit.more["fields"][field][0];
          Json filter = value.is_null() ? Json{{"bool", {{"must_not", {{"exists", {{"field", field}}}}}}}}
                                        : Json{{"term", {{field, value}}}};
          const std::string name = text_or(one, "name", field);
          auto ask = inner_ask(one, ask_, {std::move(filter)});
          if (!ask) return finish(std::move(ask).error());
          if (inside_.size() == kMaxBucketSearches)
            return finish(not_supported("more than " + std::to_string(kMaxBucketSearches) + " [inner_hits]"));
          inside_.push_back({&hit.more["inner_hits"][name], *std::move(ask)});
        }
    }
    fill_next(0);
  }
  void fill_next(std::size_t number) {
    if (number == inside_.size()) return name_next(0);
    run(inside_[number].ask, Next([this, number](Gathered found) {
          *inside_[number].place = {{"hits", Json::parse(hits_json(found, inside_[number].ask))}};
          fill_next(number + 1);
        }));
  }
  void name_next(std::size_t number) {
    if (number == named_.size() || page_.hits.empty()) return finish(std::move(page_));
    match(page_.hits, named_[number].second, [this, number](std::set<std::string> keys) {
      for (Hit& hit : page_.hits)
        if (keys.contains(key_of(page_, hit))) hit.more["matched_queries"].push_back(named_[number].first);
      name_next(number + 1);
    });
  }

  void finish(Expected<Gathered> result) {
    if (result && !ask_.suggesters.empty() && result->suggestions.is_null())
      result = not_supported("[suggest] of this search");
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
  }

  const SearchedTargets targets_;
  SearchAsk ask_, window_ask_;
  std::function<void(Expected<Gathered>)> done_;  // null: it was called, or the search is abandoned
  Abandon abandon_;                               // of the search that is running
  std::uint64_t running_ = 0;
  std::vector<std::pair<std::string, Json>> named_;
  std::optional<FunctionScores> functions_;
  std::vector<std::set<std::string>> matched_;  // by function
  std::optional<Gathered> window_;
  std::size_t window_bytes_ = 0;
  std::set<Json> values_;  // of a collapse, of the hits that were looked at
  std::size_t looked_at_ = 0;
  Gathered page_;
  std::vector<BucketSearch> inside_;
};

}  // namespace

Abandon run_staged_search(SearchedTargets targets, SearchAsk ask, std::function<void(Expected<Gathered>)> done) {
  const auto staged = std::make_shared<StagedSearch>(std::move(targets), std::move(ask), std::move(done));
  staged->begin();
  if (staged->is_over()) return nullptr;
  return [held = std::weak_ptr(staged)] {
    if (const auto open = held.lock()) open->abandon();
  };
}

Abandon run_search(SearchedTargets targets, SearchAsk ask, std::function<void(Expected<Gathered>)> done) {
  return run_staged_search(std::move(targets), std::move(ask), std::move(done));
}

}  // namespace frond::broker::elasticsearch
