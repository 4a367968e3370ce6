#include "broker/http/broker_metrics.h"

namespace frond::broker::http {

SearchMetrics::SearchMetrics(metrics::Registry& registry) {
  static constexpr const char* kOutcomes[] = {"whole",       "degraded", "invalid",  "overloaded",
                                              "unavailable", "deadline", "abandoned"};
  static_assert(std::size(kOutcomes) == std::tuple_size_v<decltype(outcomes_)>);
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    outcomes_[i] = registry.counter(families::kSearches, {{"outcome", kOutcomes[i]}});
  for (std::size_t i = 0; i < times_.size(); ++i)
    times_[i] = registry.histogram(families::kSearchTime, metrics::latency_seconds(),
                                   {{"cache", std::string(name_of(static_cast<CacheUse>(i)))}});
}

void SearchMetrics::count(Outcome outcome, CacheUse use, double seconds) {
  count(outcome);
  times_[static_cast<std::size_t>(use)].observe(seconds);
}

void SearchMetrics::count(Outcome outcome) { outcomes_[static_cast<std::size_t>(outcome)].add(); }

}  // namespace frond::broker::http
