#include "broker/elasticsearch/search/search_job.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "broker/elasticsearch/aggregations/united_facets.h"
#include "broker/elasticsearch/hits/highlight.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/search/known_counts.h"
#include "broker/elasticsearch/search/search_places.h"
#include "broker/elasticsearch/search/search_stages.h"
#include "broker/elasticsearch/search/statistics_search.h"
#include "broker/elasticsearch/suggest/completion.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Response;
using http::SearchService;

// What Frond refuses, the API does not support.
ApiError error_in(const Response& response) {
  ApiError error = error_of(response);
  if (response.status == 410) return missing_place();
  if (response.status == 400) return not_supported("this search (" + error.reason + ")");
  return error;
}

class SearchJob : public std::enable_shared_from_this<SearchJob> {
 public:
  SearchJob(SearchedTargets targets, SharedAsk ask, std::function<void(Expected<Gathered>)> done)
      : targets_(std::move(targets)),
        asked_(std::move(ask)),
        ask_(*asked_),
        done_(std::move(done)),
        now_ms_(ask_.now_ms != 0 ? ask_.now_ms : now_ms()),
        completed_(ask_.completions.size()) {}

  void begin() {
    guarded([this] { gather(); });
  }
  bool is_over() const { return !done_; }
  void abandon() {
    done_ = nullptr;
    for (const auto& [service, ticket] : tickets_) service->abandon(ticket);
    tickets_.clear();
  }

 private:
  // What throws ends the search alone: answers of leaves come in callbacks, behind which the broker has nothing.
  template <class Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (const std::exception& thrown) {
      finish(ApiError{.status = 500, .type = "exception", .reason = thrown.what()});
    }
  }

  void gather() {
    for (const Meant& meant : targets_.meant) {
      auto searched = searched_index(meant, targets_.indices);
      if (!searched) return finish(std::move(searched).error());
      const auto* const collection = http::find_collection(*targets_.collections, searched->name);
      if (collection == nullptr) return finish(unavailable("index [" + searched->name + "] is not served yet"));
      // Of a point in time before the first generation, it stays empty.
      const auto pinned = ask_.generations.find(searched->name);
      const bool was_empty = pinned != ask_.generations.end() && pinned->second == GenerationId();
      const auto topology = was_empty ? nullptr : collection->service->scatter().map.topology();
      auto fits = check_collapse(*searched->mapping, ask_.collapsed);
      if (topology) *searched = without_new_fields(*std::move(searched), *topology->schema);
      if (fits) fits = check_index(*searched);
      if (!fits) {
        gathered_.unfit.emplace_back(searched->name, std::move(fits).error());
        continue;
      }
      std::string counts = topology ? names_of_counts(searched->name, topology->id()) : std::string();
      documents_ += topology ? topology->statistics.documents : 0;
      Statistics statistics([counts](const Statistics::Key& key) { return known_counts().find(name_of(counts, key)); });
      const bool is_empty = was_empty || (!topology && meant.index->may_be_empty());
      auto unpublished = is_empty ? no_documents(*searched->mapping) : nullptr;
      parts_.push_back(IndexPart{.searched = *std::move(searched),
                                 .service = collection->service,
                                 .in_use = collection->service->in_use(),
                                 .unpublished = std::move(unpublished),
                                 .counts = std::move(counts),
                                 .statistics = std::move(statistics)});
    }
    if (!gathered_.unfit.empty() && (parts_.empty() || !ask_.partial)) return finish(gathered_.unfit.back().second);
    ask_statistics();
  }
  struct IndexPart {
    SearchedIndex searched;
    SearchService* service;
    std::shared_ptr<const void> in_use;  // SearchService::in_use(): the index may go before the answer comes
    std::shared_ptr<const cluster::Topology> unpublished;  // SearchParameters::unpublished
    std::string counts;  // begins the names of its counts, of this generation; empty: it is not known
    Statistics statistics;
    ReadParts read = {};
    IndexAnswer answer = {};
    SuggestedIn suggested = {};
    std::vector<std::vector<std::string>> completing = {};  // by suggester of the ask
  };

  Expected<void> check_index(const SearchedIndex& searched) const {
    FROND_EXPECT_OK(sort_columns(ask_, *searched.mapping));
    if (!ask_.highlight.is_null()) FROND_EXPECT_OK(read_highlight(ask_.highlight, *searched.mapping));
    return check_shown(ask_, *searched.mapping);
  }
  // Whether pages begin at the first hit of each index: for others in between, or for the best score.
  bool from_first() const {
    return parts_.size() > 1 || (ask_.by_score() && ask_.from > 0 && ask_.from + ask_.size <= http::kMaxK);
  }

  // Reads the search for each index. One that it doesn't fit fails alone; pages of the last one begin elsewhere.
  bool read_all() {
    const auto of_all = [](const ApiError& one) { return one.status != 400 || one.type == "parsing_exception"; };
    std::optional<ApiError> unfit;
    std::erase_if(parts_, [&](IndexPart& part) {
      auto read = this->read(part);
      if (!read) gathered_.unfit.emplace_back(part.searched.name, read.error());
      if (!read && (!unfit || !of_all(*unfit))) unfit = std::move(read).error();
      return !read;
    });
    if (unfit && (of_all(*unfit) || parts_.empty() || !ask_.partial)) return finish(*std::move(unfit)), false;
    return static_cast<bool>(done_) && (!unfit || read_all());
  }
  Expected<void> read(IndexPart& part) const {
    const Mapping& mapping = *part.searched.mapping;
    text::Analyzer& analyzer = analyzer_of(mapping.analyzer);
    part.searched.documents = documents_;
    part.read = FROND_EXPECT_OK(parameters_of(ask_, part.searched, analyzer, part.statistics, now_ms_, from_first()));
    part.suggested.words = FROND_EXPECT_OK(suggested_words(ask_.suggesters, mapping, analyzer));
    part.completing = FROND_EXPECT_OK(completed(ask_.completions, mapping, part.statistics));
    for (const SuggestedWord& word : part.suggested.words)
      part.read.hits.near.insert(part.read.hits.near.end(), word.asked.begin(), word.asked.end());
    return {};
  }

  void ask_completions(std::size_t number) {
    for (std::size_t i = 0; i < ask_.completions.size() && done_; ++i) {
      const auto& matching = parts_[number].completing[i];
      if (matching.empty()) continue;
      ++open_;
      auto search = search_for(ask_.completions[i], *parts_[number].searched.mapping, matching);
      search.allow_partial = ask_.partial;
      send(number, std::move(search), [this, number, i](const http::Answer& found) {
        auto options = completion_options(ask_.completions[i], parts_[number].completing[i], found, ask_.source,
                                          parts_[number].searched);
        if (!options) return finish(std::move(options).error());
        std::ranges::move(*options, std::back_inserter(completed_[i]));
        if (--open_ == 0) answer();
      });
    }
  }

  void ask_statistics() {
    if (!read_all()) return;
    std::vector<std::pair<std::size_t, Statistics::Key>> missing;
    std::vector<std::pair<std::size_t, std::vector<query::NearWord>>> near;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (Statistics::Key& key : parts_[i].statistics.missing()) missing.emplace_back(i, std::move(key));
      near.emplace_back(i, parts_[i].statistics.missing_near());
      if (near.back().second.size() > query::kMaxNearWords)
        return finish(not_supported("more than " + std::to_string(query::kMaxNearWords) + " fuzzy words"));
      if (near.back().second.empty()) near.pop_back();
    }
    if (missing.size() > kMaxStatistics)
      return finish(
          not_supported("a search that scores by more than " + std::to_string(kMaxStatistics) + " numbers of words"));
    open_ = missing.size() + near.size();
    if (open_ == 0) return ask_indices();
    for (auto& [number, key] : missing)
      ask_for(number, key, [this, number = number, key = key](const std::optional<std::uint64_t>& count) {
        if (count) known_counts().remember(name_of(parts_[number].counts, key), *count);
      });
    for (auto& [number, words] : near) ask_for(number, std::move(words), [](const auto&...) {});
  }
  // What the statistics of a part lack. The last answer ends this round; there may be others, now that it is known.
  template <class Lacking, class Known>
  void ask_for(std::size_t number, Lacking lacking, Known known) {
    if (!done_) return;
    http::SearchParameters search = search_for(lacking);
    search.allow_partial = ask_.partial;
    send(number, std::move(search), [this, number, lacking = std::move(lacking), known](const http::Answer& found) {
      auto taken = take_answer(found, lacking, parts_[number].statistics);
      if (!taken) return finish(std::move(taken).error());
      if constexpr (std::is_same_v<Lacking, Statistics::Key>)
        known(*taken);
      else
        static_cast<void>(known);
      if (--open_ == 0) ask_statistics();
    });
  }

  void ask_indices() {
    if (parts_.size() > 1 && !ask_.aggregations.is_null())
      for (IndexPart& part : parts_) count_apart(part.read, parts_.size());
    open_ = 0;
    for (const IndexPart& part : parts_) open_ += part.read.searches();
    if (open_ == 0) return answer();
    for (std::size_t i = 0; i < parts_.size() && done_; ++i) ask_completions(i);
    for (std::size_t i = 0; i < parts_.size() && done_; ++i) {
      if (parts_[i].read.over) continue;
      if (ask_.search_after && !set_cursor(parts_[i])) return;
      send(i, parts_[i].read.hits, [this, i](const http::Answer& found) {
        auto answered = read_answer(found, ask_, parts_[i].searched, parts_[i].read.scale);
        if (!keep_counts(i, false, found, answered)) return;
        if (parts_[i].answer.facets.is_object()) answered->facets.update(parts_[i].answer.facets);
        if (answered->lacking.empty()) answered->lacking = std::move(parts_[i].answer.lacking);
        parts_[i].answer = *std::move(answered);
        if (--open_ == 0) add_counts();
      });
      for (const auto* const parameters : {&parts_[i].read.counted, &parts_[i].read.everywhere}) {
        if (!*parameters || !done_) continue;
        send(i, **parameters, [this, i, parameters](const http::Answer& found) {
          auto answered = read_answer(found, SearchAsk(), parts_[i].searched, 1);
          if (!keep_counts(i, parameters == &parts_[i].read.everywhere, found, answered)) return;
          if (answered->facets.is_object()) parts_[i].answer.facets.update(answered->facets);
          if (parts_[i].answer.lacking.empty()) parts_[i].answer.lacking = std::move(answered->lacking);
          if (--open_ == 0) add_counts();
        });
      }
    }
  }

  // What an index has counted, if others have, too. False: the search is over.
  bool keep_counts(std::size_t part, bool everywhere, const http::Answer& found,
                   const Expected<IndexAnswer>& answered) {
    auto kept = answered ? Expected<void>() : answered.error();
    if (kept && found.counted)
      kept = counts_.keep({parts_[part].searched.name, answered->total, std::move(*found.counted)}, everywhere);
    if (!kept) finish(std::move(kept).error());
    return static_cast<bool>(kept);
  }

  void add_counts() {
    if (counts_.empty()) return answer();
    std::vector<IndexCounts> all;
    for (const IndexPart& part : parts_) all.push_back({part.searched.name, part.answer.total, {}});
    counts_.add_up(parts_.front().service->scatter().timers, std::move(all), !ask_.post_filter.is_null(),
                   [self = shared_from_this()](Expected<Json> facets) {
                     if (!self->done_) return false;
                     if (!facets)
                       self->finish(std::move(facets).error());
                     else if (!facets->is_null())
                       self->guarded([&] {
                         self->parts_.front().answer.facets = *std::move(facets);
                         self->answer();
                       });
                     return true;
                   });
  }

  bool set_cursor(IndexPart& part) {
    const auto topology = part.unpublished ? part.unpublished : part.service->scatter().map.topology();
    if (!topology) return finish(unavailable("index [" + part.searched.name + "] is not served yet")), false;
    const auto pinned = ask_.generations.find(part.searched.name);
    auto cursor =
        cursor_of(ask_, part.searched, part.read, pinned == ask_.generations.end() ? topology->id() : pinned->second);
    if (!cursor) return finish(std::move(cursor).error()), false;
    if (!part.unpublished) part.read.hits.search_after = *std::move(cursor);  // else it was only read for its errors
    return true;
  }

  void send(std::size_t number, http::SearchParameters parameters, std::function<void(const http::Answer&)> heard) {
    SearchService* const service = parts_[number].service;
    const auto most = static_cast<std::uint32_t>(service->config().max_timeout.count());
    parameters.timeout_ms = std::min(ask_.timeout_ms, most);
    parameters.unpublished = parts_[number].unpublished;
    const auto ticket = service->search(
        parameters,
        [self = shared_from_this()](const Response& response) {
          if (!self->done_) return;
          // The cursor of a scroll is of what it was a cursor of no more.
          const bool lost = response.status == 400 && !self->ask_.scrolled.empty();
          self->guarded([&] { self->finish(lost ? missing_place() : error_in(response)); });
        },
        {}, targets_.asker, {}, {},
        [self = shared_from_this(), heard = std::move(heard)](const http::Answer& found) {
          if (self->done_) self->guarded([&] { heard(found); });
        });
    if (ticket) tickets_.emplace_back(service, ticket);
  }

  void answer() {
    std::vector<ScrolledPart> scrolled;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      IndexAnswer& one = parts_[i].answer;
      if (ask_.scrolls) scrolled.push_back({parts_[i].searched.name, one.start, one.next, parts_[i].read.kept});
      gathered_.total += one.total;
      gathered_.exact = gathered_.exact && one.exact;
      gathered_.timed_out = gathered_.timed_out || one.timed_out;
      for (Hit& hit : one.hits) {
        hit.index = i;
        if (ask_.by_score() && hit.score && (!gathered_.max_score || *hit.score > *gathered_.max_score))
          gathered_.max_score = hit.score;
        gathered_.hits.push_back(std::move(hit));
      }
    }
    if (parts_.size() > 1)
      std::ranges::stable_sort(gathered_.hits, [&](const Hit& a, const Hit& b) { return comes_before(a, b, ask_); });
    const std::size_t skipped = from_first() ? std::min<std::size_t>(ask_.from, gathered_.hits.size()) : 0;
    gathered_.hits.erase(gathered_.hits.begin(), gathered_.hits.begin() + static_cast<std::ptrdiff_t>(skipped));
    if (ask_.scrolls) gathered_.scrolled = places_behind(ask_, gathered_.hits, std::move(scrolled));
    if (gathered_.hits.size() > ask_.size) gathered_.hits.resize(ask_.size);
    if (!ask_.aggregations.is_null() && !parts_.empty()) {
      std::vector<std::vector<Aggregation>> read;
      for (IndexPart& part : parts_) read.push_back(std::move(part.read.aggregations));
      gathered_.read_aggregations = most_mapped(std::move(read));
      auto shown = shown_aggregations();
      if (!shown) return finish(std::move(shown).error());
      gathered_.aggregations = *std::move(shown);
    }
    if (!ask_.highlight.is_null())
      for (std::size_t i = 0; i < parts_.size(); ++i)
        add_highlights(ask_.highlight, *parts_[i].searched.mapping, parts_[i].read.hits.query, i, gathered_.hits);
    if (ask_.suggests() && !parts_.empty()) {
      auto shown = suggestions();
      if (!shown) return finish(std::move(shown).error());
      gathered_.suggestions = *std::move(shown);
    }
    for (const IndexPart& part : parts_)
      if (const auto topology = part.unpublished ? part.unpublished : part.service->scatter().map.topology())
        gathered_.generations[part.searched.name] = topology->id();
    for (IndexPart& part : parts_) gathered_.indices.push_back({std::move(part.searched), std::move(part.answer)});
    finish(std::move(gathered_));
  }

  Expected<Json> suggestions() {
    std::vector<SuggestedIn> indices;
    for (IndexPart& part : parts_) {
      if (const auto topology = part.service->scatter().map.topology())
        part.suggested.documents = topology->statistics.documents;
      FROND_EXPECT_OK(take_found(part.answer.near, part.suggested.words));
      indices.push_back(std::move(part.suggested));
    }
    Json all = FROND_EXPECT_OK(suggestions_json(ask_.suggesters, indices, ask_.typed_keys));
    for (std::size_t i = 0; i < ask_.completions.size(); ++i)
      all[(ask_.typed_keys ? "completion#" : "") + ask_.completions[i].name] =
          completions_json(ask_.completions[i], std::move(completed_[i]));
    return all;
  }

  Expected<Json> shown_aggregations() const {
    std::vector<IndexTotal> totals;
    for (const IndexPart& part : parts_)
      totals.push_back({part.searched.name, part.answer.total, part.answer.exact && ask_.post_filter.is_null()});
    return typed([&] {
      return aggregations_json(gathered_.read_aggregations, parts_.front().answer.facets, ask_.typed_keys, totals);
    });
  }

  void finish(Expected<Gathered> result) {
    tickets_.clear();
    const auto done = std::exchange(done_, nullptr);
    if (!done) return;
    try {
      done(std::move(result));
    } catch (const std::exception& thrown) {
      done(ApiError{.status = 500, .type = "exception", .reason = thrown.what()});
    }
  }

  const SearchedTargets targets_;
  const SharedAsk asked_;
  const SearchAsk& ask_;
  std::function<void(Expected<Gathered>)> done_;  // null: it was called, or the search is abandoned
  const std::int64_t now_ms_;
  std::vector<IndexPart> parts_;
  std::vector<std::pair<SearchService*, SearchService::Ticket>> tickets_;
  std::size_t open_ = 0;                                  // answers that are waited for
  std::vector<std::vector<CompletionOption>> completed_;  // by suggester of the ask
  std::uint64_t documents_ = 0;                           // of all indices
  Gathered gathered_;
  UnitedFacets counts_;  // of several indices
};

}  // namespace

Abandon run_plain_search(SearchedTargets targets, SharedAsk ask, std::function<void(Expected<Gathered>)> done) {
  const auto job = std::make_shared<SearchJob>(std::move(targets), std::move(ask), std::move(done));
  job->begin();
  if (job->is_over()) return nullptr;
  return [held = std::weak_ptr(job)] {
    if (const auto open = held.lock()) open->abandon();
  };
}

Abandon run_search(SearchedTargets targets, SharedAsk ask, std::function<void(Expected<Gathered>)> done) {
  if (ask->may_have_stages()) return run_staged_search(std::move(targets), *ask, std::move(done));
  return run_plain_search(std::move(targets), std::move(ask), std::move(done));
}

}  // namespace frond::broker::elasticsearch
