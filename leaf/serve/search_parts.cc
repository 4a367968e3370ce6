#include "leaf/serve/search_parts.h"

#include <string>

#include "leaf/families/metric_families.h"

namespace frond::leaf::serve {

SearchMetrics::SearchMetrics(const SearchParts& parts) {
  if (parts.registry == nullptr) return;
  metrics::Registry& registry = *parts.registry;
  const auto engine_label = [](const engine::QueryEngine& of) {
    return metrics::Labels{{"engine", std::string(of.name())}};
  };
  engine = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.engine));
  if (parts.queries) gpu = registry.histogram(families::kSearchTime, metrics::latency_seconds(), {{"engine", "gpu"}});
  exhaustive = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.exhaustive));
  lists = registry.histogram(families::kListTime, metrics::latency_seconds());
  postings = registry.counter(families::kPostings);
  for (const wire::UnsearchedReasonRow& row : wire::kUnsearchedReasons)
    unsearched[static_cast<std::size_t>(row.reason)] =
        registry.counter(families::kUnsearched, {{"reason", std::string(row.name)}});
}

}  // namespace frond::leaf::serve
