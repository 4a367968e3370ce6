#pragma once
// Metrics of this process from /proc, under the names that every Prometheus client library uses.
#include <prometheus/collectable.h>

#include <vector>

namespace frond::metrics {

class ProcessCollector final : public prometheus::Collectable {
 public:
  ProcessCollector();
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  double start_time_seconds_;  // since the epoch
};

}  // namespace frond::metrics
