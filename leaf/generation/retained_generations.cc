#include "leaf/generation/retained_generations.h"

#include <algorithm>
#include <utility>

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

bool BrokerRoll::silent(const Entry& entry, Instant now) {
  const auto patience = std::clamp(kSilentHellos * entry.broker.hello_every, kMinSilence, kMaxSilence);
  return now - entry.heard > patience;
}

void BrokerRoll::heard(const wire::Broker& broker, Push push, Instant now) {
  const MutexLock lock(mutex_);
  if (broker.instance == 0) {
    unnamed_ = now;
    return;
  }
  if (entries_.size() >= kMaxBrokers && !entries_.contains(broker.instance)) {
    std::erase_if(entries_, [&](const auto& one) { return silent(one.second, now); });
    if (entries_.size() >= kMaxBrokers)
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const auto& a, const auto& b) { return a.second.heard < b.second.heard; }));
  }
  entries_[broker.instance] = {broker, std::move(push), now};
}

BrokerRoll::Present BrokerRoll::present(Instant now) const {
  Present present;
  const MutexLock lock(mutex_);
  for (const auto& [instance, entry] : entries_)
    if (!silent(entry, now)) present.brokers.push_back(entry.broker);
  present.unnamed = unnamed_ != Instant::min() && now - unnamed_ <= kMinSilence;
  return present;
}

bool BrokerRoll::needed(Instant now) const {
  const Present present = this->present(now);
  return std::any_of(present.brokers.begin(), present.brokers.end(), [](const auto& one) { return one.needs_leaf; });
}

void BrokerRoll::tell_all(const ByteBuffer& message, Instant now) const {
  std::vector<Push> pushes;
  {
    const MutexLock lock(mutex_);
    for (const auto& [instance, entry] : entries_)
      if (!silent(entry, now)) pushes.push_back(entry.push);
  }
  for (const Push& push : pushes) push(message);
}

std::vector<bool> BrokerRoll::Present::served(std::span<const GenerationId> set) const {
  std::vector<bool> served(set.size(), false);
  for (const wire::Broker& broker : brokers)
    for (std::size_t i = 0; i < set.size(); ++i)
      if (broker.serving.number == 0 || set[i].answers(broker.serving)) served[i] = true;
  return served;
}

std::string BrokerRoll::Present::names_of(const GenerationId& id) const {
  constexpr std::size_t kNamed = 3;
  std::string names;
  std::size_t count = 0;
  for (const wire::Broker& broker : brokers) {
    if (broker.serving.number != 0 && !id.answers(broker.serving)) continue;
    if (++count <= kNamed) names += (names.empty() ? "" : ", ") + broker.name;
  }
  if (count > kNamed) names += " and " + std::to_string(count - kNamed) + " more";
  return names;
}

std::vector<bool> retained_generations(std::span<const Standing> set, const BrokerRoll::Present& present, Instant now,
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
  // Those that no broker serves from; of these what was not asked for the longest, so that cursors keep theirs.
  const auto goes_first = [&](std::size_t a, std::size_t b) {
    return served[a] != served[b] ? !served[a] : set[a].last_used <= set[b].last_used;
  };
  for (auto count = std::count(kept.begin(), kept.end(), true);
       count > static_cast<std::ptrdiff_t>(rules.max_generations); --count) {
    std::size_t victim = last;
    for (std::size_t i = last; i-- > 0;)
      if (kept[i] && (victim == last || goes_first(i, victim))) victim = i;
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
