#include "leaf/lists/list_cache.h"

#include <functional>
#include <string_view>
#include <utility>

namespace frond::leaf::lists {
namespace {

constexpr std::size_t kRemembered = 4096;
// A list may be charged at most budget / kMaxShare.
constexpr std::size_t kMaxShare = 4;
// Lists that an eviction passes over because they are used. Bounds the time under the caller's lock.
constexpr int kMaxSpared = 64;

}  // namespace

std::size_t ListKeyHash::operator()(const ListKey& key) const {
  // Partition numbers are small and dense: spread their bits before combining them with the term's hash.
  const std::size_t hash = std::hash<std::string_view>()(key.term) ^ (key.partition * 0x9e3779b97f4a7c15ULL);
  return hash ^ (hash >> 29);
}

ListCache::ListCache(std::size_t budget_bytes) : lru_(budget_bytes, kMaxShare), seen_(kRemembered) {}

std::size_t ListCache::overhead(const ListKey& key) {
  // List node, index node and their pointers.
  return decltype(lru_)::entry_bytes() + sizeof(List) + key.term.size() * 2 + 128;
}

ListCache::Kept ListCache::find(const ListKey& key) {
  const Kept* const kept = lru_.find(key);
  return kept ? *kept : nullptr;
}

bool ListCache::fits(const ListKey& key, std::size_t bytes) const { return !lru_.too_large(bytes + overhead(key)); }

bool ListCache::admits(const ListKey& key, std::size_t bytes) {
  const auto hash = ListKeyHash()(key);
  const auto fingerprint = static_cast<std::uint32_t>(hash >> 32) | 1u;
  auto& slot = seen_[hash % kRemembered];
  const bool asked_before = std::exchange(slot, fingerprint) == fingerprint;
  const std::size_t charged = bytes + overhead(key);
  if (lru_.too_large(charged)) return false;
  return asked_before || charged <= lru_.budget() / 16 || lru_.bytes() + charged <= lru_.budget();
}

void ListCache::insert(const ListKey& key, Kept kept, std::size_t bytes) {
  const std::size_t charged = bytes + overhead(key);
  while (lru_.bytes() + charged > lru_.budget() && evict_one()) {
  }
  lru_.insert(key, std::move(kept), charged);
}

// The lists that are spared become the most recently used.
template <class Predicate>
void ListCache::pass_over(Predicate spares) {
  for (int spared = 0; spared < kMaxSpared; ++spared) {
    const auto oldest = lru_.oldest();
    if (oldest.value == nullptr || *oldest.value == nullptr || !spares(*oldest.value)) break;
    lru_.find(*oldest.key);
  }
}

bool ListCache::evict_one() {
  pass_over([](const Kept& kept) { return kept->take_mark(); });
  return lru_.evict_one();
}

bool ListCache::evict_unused() {
  const auto held = [](const Kept& kept) { return kept.use_count() > 1; };
  pass_over([&held](const Kept& kept) { return kept->take_mark() || held(kept); });
  const auto oldest = lru_.oldest();
  return oldest.value != nullptr && !held(*oldest.value) && lru_.evict_one();
}

bool ListCache::sweep(Sweep& sweep, std::uint64_t partition) {
  return lru_.sweep(sweep, [partition](const ListKey& key) { return key.partition == partition; });
}

}  // namespace frond::leaf::lists
