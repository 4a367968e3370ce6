#include "common/objects/counts.h"

#include <string>

namespace frond::objects {

void export_requests(metrics::Registry& registry, const RequestFamilies& families, const Counts& counts) {
  registry.before_scrape([&registry, families, &counts] {
    const auto follow = [&registry](const metrics::Family& family, double now, const metrics::Labels& labels = {}) {
      registry.following_counter(family, labels).follow(now);
    };
    for (std::size_t k = 0; k < kKindNames.size(); ++k) {
      const std::string kind(kKindNames[k]);
      for (std::size_t o = 0; o < kOutcomeNames.size(); ++o)
        if (const std::uint64_t seen = counts.requests[k][o]; seen > 0)
          follow(families.requests, static_cast<double>(seen),
                 {{"kind", kind}, {"outcome", std::string(kOutcomeNames[o])}});
      follow(families.seconds, static_cast<double>(counts.microseconds[k]) * 1e-6, {{"kind", kind}});
    }
    follow(families.bytes, static_cast<double>(counts.bytes_sent), {{"direction", "sent"}});
    follow(families.bytes, static_cast<double>(counts.bytes_received), {{"direction", "received"}});
    follow(families.retries, static_cast<double>(counts.retries));
  });
}

}  // namespace frond::objects
