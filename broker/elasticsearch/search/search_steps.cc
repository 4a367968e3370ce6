#include "broker/elasticsearch/search/search_steps.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace frond::broker::elasticsearch {

std::string key_of(const Gathered& in, const Hit& hit) { return in.indices[hit.index].searched.name + "\n" + hit.id; }

Json narrowed(const Json& query, const std::vector<Hit>& hits, std::size_t from, std::size_t most) {
  Json ids = Json::array();
  for (std::size_t i = from; i < hits.size() && i - from < most; ++i) ids.push_back(hits[i].id);
  return {{"bool",
           {{"must", query.is_null() ? Json{{"match_all", Json::object()}} : query},
            {"filter", {{"ids", {{"values", std::move(ids)}}}}}}}};
}

void SearchSteps::abandon() {
  done_ = nullptr;
  if (abandon_) std::exchange(abandon_, nullptr)();
}

void SearchSteps::run_any(SearchAsk ask, Heard heard) {
  if (!done_) return;
  ask.partial = ask_.partial;
  ask.timeout_ms = ask_.timeout_ms;
  const std::uint64_t number = ++running_;
  Abandon abandon = run_plain_search(targets_, std::make_shared<const SearchAsk>(std::move(ask)),
                                     [self = shared_from_this(), heard = std::move(heard)](Expected<Gathered> answer) {
                                       self->abandon_ = nullptr;
                                       if (answer) answer = self->unless_fewer(*std::move(answer));
                                       if (self->done_) heard(std::move(answer));
                                     });
  if (abandon && number == running_) abandon_ = std::move(abandon);
}

Expected<Gathered> SearchSteps::unless_fewer(Gathered answer) {
  if (!unfit_) unfit_ = answer.unfit.size();
  if (answer.unfit.size() > *unfit_) return answer.unfit.back().second;
  return answer;
}

void SearchSteps::run(SearchAsk ask, Next next) {
  run_any(std::move(ask), [this, next = std::move(next)](Expected<Gathered> answer) {
    if (!answer) return finish(std::move(answer).error());
    next(*std::move(answer));
  });
}

void SearchSteps::run_page(SearchAsk ask, Heard heard) {
  const bool beyond = ask.size > 0 && ask.from + ask.size > kPage;
  if (beyond && targets_.meant.size() > 1)
    return heard(not_supported("a page that ends behind hit " + std::to_string(kPage) + " of several indices"));
  const bool needs_best = beyond && ask.by_score() && ask.from > 0;  // whose score the answer shows
  if (ask.size <= kPage && !needs_best) return run_any(std::move(ask), std::move(heard));
  const auto all = std::make_shared<Gathered>();
  if (!needs_best) return add_pages(std::move(ask), all, 0, std::move(heard));
  SearchAsk best = ask;
  best.from = 0;
  best.size = 1;
  best.source.shown = false;
  best.aggregations = best.highlight = nullptr;
  run(std::move(best), [this, ask = std::move(ask), all, heard = std::move(heard)](Gathered found) mutable {
    all->max_score = found.max_score;
    add_pages(std::move(ask), all, 0, std::move(heard));
  });
}

void SearchSteps::add_pages(SearchAsk ask, std::shared_ptr<Gathered> all, std::size_t bytes, Heard heard) {
  SearchAsk page = ask;
  page.size = std::min(ask.size, kPage);
  run_any(std::move(page),
          [this, ask = std::move(ask), all, bytes, heard = std::move(heard)](Expected<Gathered> answer) mutable {
            if (!answer) return heard(std::move(answer));
            std::size_t read = bytes;
            for (const Hit& hit : answer->hits) read += hit.source.size();
            if (read > kMaxWindowBytes)
              return heard(
                  not_supported("a page whose documents have more than " + std::to_string(kMaxWindowBytes) + " bytes"));
            const std::size_t added = answer->hits.size();
            if (all->indices.empty()) {
              answer->max_score = all->max_score ? all->max_score : answer->max_score;
              *all = *std::move(answer);
            } else {
              std::ranges::move(answer->hits, std::back_inserter(all->hits));
              all->timed_out = all->timed_out || answer->timed_out;
            }
            if (added < kPage || ask.size <= kPage) return heard(std::move(*all));
            ask.size -= kPage;
            ask.aggregations = nullptr;
            ask.totals = false;
            if (ask.search_after)
              ask.search_after = all->hits.back().sort;
            else
              ask.from += kPage;
            add_pages(std::move(ask), all, read, std::move(heard));
          });
}

void SearchSteps::run_for(const std::vector<Hit>& hits, SearchAsk ask, std::function<void(const Gathered&)> each,
                          std::function<void()> last, std::size_t from) {
  if (from >= hits.size()) return last();
  // An id may be in each index.
  const std::size_t most = std::max<std::size_t>(kPage / std::max<std::size_t>(targets_.meant.size(), 1), 1);
  SearchAsk part = ask;
  part.query = narrowed(ask.query, hits, from, most);
  part.size = kPage;
  part.source.shown = false;
  run(std::move(part), [this, &hits, ask = std::move(ask), each = std::move(each), last = std::move(last),
                        next = from + most](const Gathered& found) mutable {
    each(found);
    run_for(hits, std::move(ask), std::move(each), std::move(last), next);
  });
}

void SearchSteps::match(const std::vector<Hit>& hits, const Json& query,
                        std::function<void(std::set<std::string>)> next) {
  SearchAsk ask;
  ask.query = {{"bool", {{"filter", query}}}};
  ask.sort = {{.field = "_doc"}};
  const auto keys = std::make_shared<std::set<std::string>>();
  run_for(
      hits, std::move(ask),
      [keys](const Gathered& found) {
        for (const Hit& hit : found.hits) keys->insert(key_of(found, hit));
      },
      [keys, next = std::move(next)] { next(std::move(*keys)); });
}

void SearchSteps::finish(Expected<Gathered> result) {
  if (result && !ask_.suggesters.empty() && result->suggestions.is_null())
    result = not_supported("[suggest] of this search");
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

}  // namespace frond::broker::elasticsearch
