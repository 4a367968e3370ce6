#include "broker/elasticsearch/search/search_stages.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "broker/elasticsearch/aggregations/bucket_searches.h"
#include "broker/elasticsearch/hits/function_scores.h"
#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/queries/named_queries.h"
#include "broker/elasticsearch/search/search_steps.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

class StagedSearch : public SearchSteps {
 public:
  StagedSearch(SearchedTargets targets, SearchAsk ask, Heard done)
      : SearchSteps(std::move(targets), std::move(ask), std::move(done)) {}

  void begin() {
    auto named = take_names(ask_.query);
    if (!named) return finish(std::move(named).error());
    named_ = *std::move(named);
    if (ask_.min_score) return find_scored();
    first();
  }

 private:
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
      ask_.query = narrowed(ask_.query, found.hits, 0, found.hits.size());
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
    run_page(std::move(ask), [this](Expected<Gathered> found) {
      if (found) return find_best(*std::move(found));
      const bool functions = ask_.query.is_object() && ask_.query.contains("function_score");
      if (found.error().status != 501 || !functions) return finish(std::move(found).error());
      score_by_functions();
    });
  }
  // Without what is done here.
  SearchAsk plain() const {
    SearchAsk ask = ask_;
    if (ask.collapse.is_object()) ask.collapsed = text_or(ask.collapse, "field");
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
      return run_page(std::move(ask), [this](Expected<Gathered> found) {
        if (!found) return finish(std::move(found).error());
        find_best(*std::move(found));
      });
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
    if (!ask_.collapse.is_null() && !ask_.sorts_in_window() && collapsed_size() >= ask_.from + ask_.size)
      return collapse();
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
    if (functions_) return match_function(0);
    if (ask_.sorts_in_window()) {
      if (auto ordered = order_hits(*window_, ask_); !ordered) return finish(std::move(ordered).error());
      window_->max_score.reset();
    }
    if (!ask_.collapse.is_null()) return collapse();
    show_page(*std::move(window_));
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
    for (const Gathered::Index& one : all.indices)
      if (auto fits = functions_->check_fields(*one.searched.mapping); !fits && all.hits.empty())
        return finish(std::move(fits).error());
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
      if (!value->is_null()) hit.more["fields"][field] = Json::array({*value});
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
    ask.query = read->query;
    struct Scored {
      Gathered all;
      std::vector<Hit> first;  // that are scored again
      std::map<std::string, double> scores = {};
    };
    const auto held = std::make_shared<Scored>(Scored{.all = std::move(found), .first = {}});
    for (std::size_t i = 0; i < held->all.hits.size() && i < read->window; ++i)
      held->first.push_back({.id = held->all.hits[i].id, .source = {}, .score = {}});
    run_for(
        held->first, std::move(ask),
        [held](const Gathered& scored) {
          for (const Hit& hit : scored.hits) held->scores[key_of(scored, hit)] = hit.score.value_or(0);
        },
        [this, held, number, how = *read] {
          Gathered& all = held->all;
          for (std::size_t i = 0; i < all.hits.size(); ++i) {
            Hit& hit = all.hits[i];
            const auto again = held->scores.find(key_of(all, hit));
            hit.score = how.combined(hit.score.value_or(0), i < how.window && again != held->scores.end()
                                                                ? std::optional(again->second)
                                                                : std::nullopt);
          }
          std::ranges::stable_sort(all.hits, [](const Hit& a, const Hit& b) { return *a.score > *b.score; });
          rescore(std::move(all), number + 1);
        });
  }

  // --- what is added to a page
  void find_best(Gathered found) {
    if (!ask_.track_scores || ask_.size == 0) return decorate(std::move(found));
    SearchAsk ask;
    ask.query = ask_.query;
    ask.post_filter = ask_.post_filter;
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
    ask.query = ask_.query;
    ask.index_boosts = ask_.index_boosts;
    const auto scores = std::make_shared<std::map<std::string, std::optional<double>>>();
    run_for(
        held->hits, std::move(ask),
        [scores](const Gathered& scored) {
          for (const Hit& hit : scored.hits) (*scores)[key_of(scored, hit)] = hit.score;
        },
        [this, held, scores] {
          for (Hit& hit : held->hits) hit.score = (*scores)[key_of(*held, hit)];
          decorate(std::move(*held));
        });
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
          ask->post_filter = ask_.post_filter;
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
          std::string hits;
          append_hits(hits, found, inside_[number].ask);
          *inside_[number].place = {{"hits", Json::parse(hits)}};
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

  SearchAsk window_ask_;
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

}  // namespace frond::broker::elasticsearch
