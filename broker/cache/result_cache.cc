#include "broker/cache/result_cache.h"

#include <algorithm>

namespace frond::broker::cache {
namespace {
// List node, hash node, allocator headers, shared_ptr control block: measured at about this much with glibc.
constexpr std::size_t kEntryOverhead = 256;
// One answer may take at most budget / kMaxShare.
constexpr std::size_t kMaxShare = 16;
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
  // The least recently used ones go back on probation.
  while (protected_bytes_ > budget_ / 5 * 4 && protected_.size() > 1) {
    const auto last = std::prev(protected_.end());
    last->is_protected = false;
    protected_bytes_ -= last->charge;
    probation_.splice(probation_.begin(), protected_, last);
  }
}

void ResultCache::store(const std::string& key, CachedAnswer answer) {
  const std::size_t charge = answer.bytes + key.size() + kEntryOverhead;
  if (charge > budget_ / kMaxShare) {
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

}  // namespace frond::broker::cache
