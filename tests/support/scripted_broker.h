#pragma once
// A broker's search service over one scripted leaf that serves both partitions of generation 1.
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "broker/http/search/multi_search.h"
#include "broker/http/search/search_service.h"
#include "common/metrics/registry.h"
#include "tests/support/scripted_cluster.h"
#include "tests/support/scripted_replies.h"

namespace frond::support {

class ScriptedBroker {
 public:
  explicit ScriptedBroker(broker::http::SearchService::Config config = {})
      : shared(config), service(scatter, config, shared, home, search_metrics) {}

  void up() { leaf().hellos.answer(hello({served(1, 2, {0, 1})})); }
  ScriptedLeaf& leaf() { return cluster.leaf(0); }
  // Answers every open search with `hits`, and answers every open fetch.
  void play(const std::vector<topk::Hit>& hits = {{0, 9}, {1, 8}}) {
    while (leaf().searches.open() > 0) {
      const wire::SearchRequest& asked = leaf().searches.last();
      leaf().searches.answer(asked.rank == wire::Rank::kNone ? unranked(hits, asked.depth) : found(hits));
    }
    play_fetches();
  }
  void play_fetches() {
    while (leaf().fetches.open() > 0)
      for (const auto& asked : leaf().fetches.asked)
        if (*asked.done) {
          leaf().fetches.answer(documents(wire::FetchRequest(asked.request)));
          break;
        }
  }

  ScriptedCluster cluster{1};
  broker::scatter::ScatterContext scatter{cluster.map, cluster.timers};
  metrics::Registry registry{"test"};
  broker::http::SearchMetrics search_metrics{registry};
  broker::cluster::OnlyThread home;
  broker::http::SearchService::Shared shared;
  broker::http::SearchService service;
};

// The answer; empty until it has come.
struct Answered {
  std::optional<http::Response> response;
  broker::http::SearchService::Reply reply() {
    return [this](http::Response got) {
      if (response) ++more;
      response = std::move(got);
    };
  }
  int status() const { return response ? response->status : 0; }
  nlohmann::json body() const { return nlohmann::json::parse(response->body); }
  int more = 0;  // answers after the first; any is a fault
};

}  // namespace frond::support
