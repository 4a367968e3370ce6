#include "leaf/generation/broker_roll.h"

#include <algorithm>
#include <utility>

namespace frond::leaf::generation {

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

}  // namespace frond::leaf::generation
