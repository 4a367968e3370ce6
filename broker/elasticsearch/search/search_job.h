#pragma once
// A search over some indices, in stages where it takes several (search_stages.h). A plain one: statistics that its
// scores need, then a search of each index by the broker's own search service, with its cache, limits and deadlines;
// then one page of all hits. On one thread of the broker.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/search/index_search.h"
#include "broker/http/routes.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxStatistics = 256;  // numbers of documents that one search asks for

struct SearchedTargets {
  std::shared_ptr<const Indices> indices;  // which `meant` points into
  std::vector<Meant> meant;
  std::shared_ptr<const http::SearchedCollections> collections;
  frond::http::Asker asker;
};

// The answers of all indices, before they are one text.
struct Gathered {
  struct Index {
    SearchedIndex searched;
    IndexAnswer answer;
  };
  std::vector<Index> indices;
  std::vector<std::pair<std::string, ApiError>> unfit =
      {};                 // indices that the search doesn't fit, while it fits others
  std::vector<Hit> hits;  // of the page, best first
  std::optional<double> max_score;
  std::uint64_t total = 0;
  std::size_t partial() const;  // indices some of whose partitions were not searched
  bool exact = true, timed_out = false;
  Json aggregations = nullptr;  // null: none were asked for
  Json suggestions = nullptr;   // likewise
  // As they were read, the same for all indices; what is searched for afterwards is in them (top_hits).
  std::vector<Aggregation> read_aggregations = {};
  Scrolled scrolled = {};                                // of a scroll: where the next page begins
  std::map<std::string, GenerationId> generations = {};  // that were searched
  std::string cursor_name = {}, cursor = {};             // "_scroll_id" or "pit_id"; empty: none
};

// Gives up what is not answered yet.
using Abandon = std::function<void()>;
using SharedAsk = std::shared_ptr<const SearchAsk>;
// `done` is called once, again with an error where it threw, perhaps before this returns, which is null then; not after
// `abandon`.
Abandon run_search(SearchedTargets targets, SharedAsk ask, std::function<void(Expected<Gathered>)> done);

// The same of an ask that has no stages (SearchAsk::has_stages()).
Abandon run_plain_search(SearchedTargets targets, SharedAsk ask, std::function<void(Expected<Gathered>)> done);

// Appends "total", "max_score" and "hits", as "hits" has them.
void append_hits(std::string& out, const Gathered& gathered, const SearchAsk& ask);
// "_shards".
Json shards_json(const Gathered& gathered);
// The answer's body.
std::string search_json(const Gathered& gathered, const SearchAsk& ask, std::int64_t took_ms);

}  // namespace frond::broker::elasticsearch
