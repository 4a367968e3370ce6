#include "leaf/serve/search_handler.h"

#include "leaf/families/metric_families.h"
#include "leaf/serve/search_query.h"

namespace frond::leaf::serve {

SearchMetrics::SearchMetrics(const SearchParts& parts) {
  if (parts.registry == nullptr) return;
  metrics::Registry& registry = *parts.registry;
  const auto engine_label = [](const engine::QueryEngine& of) {
    return metrics::Labels{{"engine", std::string(of.name())}};
  };
  engine = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.engine));
  if (parts.gpu) gpu = registry.histogram(families::kSearchTime, metrics::latency_seconds(), {{"engine", "gpu"}});
  exhaustive = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.exhaustive));
  lists = registry.histogram(families::kListTime, metrics::latency_seconds());
  postings = registry.counter(families::kPostings);
  constexpr const char* kReasons[] = {"deadline", "overloaded", "corrupt", "unavailable", "unknown generation"};
  for (std::size_t i = 0; i < std::size(kReasons); ++i)
    unsearched[i] = registry.counter(families::kUnsearched, {{"reason", kReasons[i]}});
}

void SearchHandler::search(wire::SearchRequest request, Deadline deadline, Done done) {
  std::make_shared<SearchQuery>(parts_, metrics_, std::move(request), deadline, std::move(done))->start();
}

}  // namespace frond::leaf::serve
