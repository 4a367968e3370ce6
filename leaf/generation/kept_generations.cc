#include "leaf/generation/kept_generations.h"

#include <algorithm>

namespace frond::leaf::generation {
namespace {

std::vector<bool> served_by(std::span<const Standing> set, const BrokerRoll::Present& present) {
  std::vector<GenerationId> ids;
  ids.reserve(set.size());
  for (const Standing& one : set) ids.push_back(one.id);
  return present.served(ids);
}

bool in_use(const Standing& one, Instant now, const KeepRules& rules) {
  return one.last_used != Instant::min() && now - one.last_used < rules.grace;
}

}  // namespace

std::vector<bool> kept_generations(std::span<const Standing> set, const BrokerRoll::Present& present, Instant now,
                                   const KeepRules& rules) {
  std::vector<bool> kept(set.size(), true);
  if (set.empty()) return kept;
  const std::vector<bool> served = served_by(set, present);
  const std::size_t last = set.size() - 1;
  // Brokers only switch to newer generations, so those older than the oldest in use will not be used again.
  const bool no_brokers = present.brokers.empty() && !present.unnamed;
  const auto oldest_served = static_cast<std::size_t>(std::find(served.begin(), served.end(), true) - served.begin());
  const std::size_t first = no_brokers ? 0 : std::min(last, oldest_served);
  for (std::size_t i = 0; i < last; ++i)
    kept[i] = now - set[i].superseded <= rules.superseded_limit && (i >= first || in_use(set[i], now, rules));
  for (auto count = std::count(kept.begin(), kept.end(), true);
       count > static_cast<std::ptrdiff_t>(rules.max_generations); --count) {
    std::size_t victim = last;
    for (std::size_t i = last; i-- > 0;)
      if (kept[i] && (victim == last || !served[i] || served[victim])) victim = i;
    kept[victim] = false;
  }
  return kept;
}

std::optional<std::size_t> first_to_give_up(std::span<const Standing> set, const BrokerRoll::Present& present,
                                            Instant now, const KeepRules& rules) {
  if (set.size() < 2) return {};
  const std::vector<bool> served = served_by(set, present);
  const bool brokers_on_older = std::find(served.begin(), served.end() - 1, true) != served.end() - 1;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (served[i] || in_use(set[i], now, rules)) continue;
    if (i + 1 < set.size() || brokers_on_older) return i;
  }
  return {};
}

}  // namespace frond::leaf::generation
