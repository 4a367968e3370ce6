#include "leaf/loops.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

std::vector<Loop> Loops::now() const {
  std::vector<Loop> loops = socket_.loops();
  loops.push_back({"workers", pool_.turned()});
  loops.push_back({"costly", costly_.turned()});
  return loops;
}

std::string Loops::stalled() const { return frond::stalled(now(), clock_.now(), limit_); }

void Loops::export_ages(metrics::Registry& registry) const {
  registry.before_scrape([this, &registry] {
    for (const Loop& loop : now())
      registry.gauge(families::kLoopAge, {{"loop", std::string(loop.name)}})
          .set(std::chrono::duration<double>(clock_.now() - loop.turned).count());
  });
}

}  // namespace frond::leaf
