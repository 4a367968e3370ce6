#include "broker/cache/result_cache.h"

#include <algorithm>

namespace frond::broker {
namespace {
// List node, hash node, allocator headers, shared_ptr control block: measured at about this much with glibc.
constexpr std::size_t kEntryOverhead = 256;
// No single answer may take more than this share of the budget.
constexpr std::size_t kLargestShare = 16;
}  // namespace

CachedAnswer ResultCache::find(const std::string& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) {
    ++counters_.misses;
    return {};
  }
  ++counters_.hits;
  promote(found->second);
  return found->second->answer;
}

void ResultCache::promote(Order::iterator entry) {
  if (entry->is_protected) {
    protected_.splice(protected_.begin(), protected_, entry);
    return;
  }
  entry->is_protected = true;
  protected_bytes_ += entry->charge;
  protected_.splice(protected_.begin(), probation_, entry);
  while (protected_bytes_ > budget_ / 5 * 4 && protected_.size() > 1) {  // the least used goes back on probation
    const auto last = std::prev(protected_.end());
    last->is_protected = false;
    protected_bytes_ -= last->charge;
    probation_.splice(probation_.begin(), protected_, last);
  }
}

bool ResultCache::begin(const std::string& key, Waiter waiter, std::uint64_t& ticket) {
  ticket = next_ticket_++;
  const auto [flight, first] = flights_.try_emplace(key);
  flight->second.waiters.emplace_back(ticket, std::move(waiter));
  if (!first) ++counters_.coalesced;
  counters_.in_flight = flights_.size();
  return first;
}

void ResultCache::leave(const std::string& key, std::uint64_t ticket) {
  const auto flight = flights_.find(key);
  if (flight == flights_.end()) return;
  std::erase_if(flight->second.waiters, [&](const auto& waiter) { return waiter.first == ticket; });
}

void ResultCache::complete(const std::string& key, const CachedAnswer& answer, bool keep) {
  const auto flight = flights_.find(key);
  if (flight == flights_.end()) return;
  const auto waiters = std::move(flight->second.waiters);
  if (keep) store(key, answer);  // now: `key` may be the flight's own, or live in what a waiter drops
  flights_.erase(flight);
  counters_.in_flight = flights_.size();
  for (const auto& [ticket, waiter] : waiters) waiter(answer);
}

void ResultCache::store(const std::string& key, CachedAnswer answer) {
  const std::size_t charge = answer.bytes + key.size() + kEntryOverhead;
  if (charge > budget_ / kLargestShare) {
    ++counters_.too_large;
    return;
  }
  if (index_.contains(key)) return;
  probation_.push_front({key, std::move(answer), charge, false});
  index_.emplace(probation_.front().key, probation_.begin());
  counters_.bytes += charge;
  ++counters_.stored;
  evict_until_fits();
  counters_.entries = index_.size();
}

void ResultCache::evict_until_fits() {
  while (counters_.bytes > budget_) {
    Order& order = probation_.size() > 1 || protected_.empty() ? probation_ : protected_;
    const Entry& victim = order.back();
    index_.erase(victim.key);
    counters_.bytes -= victim.charge;
    if (victim.is_protected) protected_bytes_ -= victim.charge;
    order.pop_back();
    ++counters_.evictions;
  }
}

}  // namespace frond::broker
