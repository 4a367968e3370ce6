#include "leaf/lists/segmented_lru.h"

#include <functional>
#include <iterator>
#include <utility>

namespace frond::leaf::lists {
namespace {

constexpr std::size_t kRemembered = 4096;

std::size_t protected_budget(std::size_t budget) { return budget / 5 * 4; }

}  // namespace

std::size_t ListKeyHash::operator()(const ListKey& key) const {
  // Partition numbers are small and dense: spread their bits before combining them with the term's hash.
  const std::size_t hash = std::hash<std::string_view>()(key.term) ^ (key.partition * 0x9e3779b97f4a7c15ULL);
  return hash ^ (hash >> 29);
}

SegmentedLru::SegmentedLru(std::size_t budget_bytes) : budget_(budget_bytes), seen_(kRemembered) {}

std::size_t SegmentedLru::overhead(const ListKey& key) {
  return sizeof(Entry) + sizeof(List) + key.term.size() * 2 + 128;  // list node, index node and their pointers
}

SegmentedLru::Kept SegmentedLru::find(const ListKey& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  const auto entry = found->second;
  if (entry->in_protected) {
    protected_.splice(protected_.begin(), protected_, entry);
    return entry->kept;
  }
  protected_.splice(protected_.begin(), probation_, entry);
  entry->in_protected = true;
  protected_bytes_ += entry->bytes;
  while (protected_bytes_ > protected_budget(budget_)) {
    const auto oldest = std::prev(protected_.end());
    oldest->in_protected = false;
    protected_bytes_ -= oldest->bytes;
    probation_.splice(probation_.begin(), protected_, oldest);
  }
  return entry->kept;
}

bool SegmentedLru::admits(const ListKey& key, std::size_t bytes) {
  const auto hash = ListKeyHash()(key);
  const auto fingerprint = static_cast<std::uint32_t>(hash >> 32) | 1u;
  auto& slot = seen_[hash % kRemembered];
  const bool asked_before = std::exchange(slot, fingerprint) == fingerprint;
  const std::size_t charged = bytes + overhead(key);
  if (charged > budget_ / 4) return false;
  return asked_before || charged <= budget_ / 16 || bytes_ + charged <= budget_;
}

void SegmentedLru::insert(const ListKey& key, Kept kept, std::size_t bytes) {
  const std::size_t charged = bytes + overhead(key);
  make_room(charged);
  // If an allocation throws, the list is in neither index_ nor probation_.
  Entries fresh;
  fresh.push_front({key, std::move(kept), charged, false});
  index_.emplace(key, fresh.begin());
  probation_.splice(probation_.begin(), fresh);
  bytes_ += charged;
}

void SegmentedLru::make_room(std::size_t bytes) {
  while (bytes_ + bytes > budget_ && evict_one()) {
  }
}

bool SegmentedLru::evict_one() {
  if (index_.empty()) return false;
  auto& from = probation_.empty() ? protected_ : probation_;
  drop(from, std::prev(from.end()));
  ++evictions_;
  return true;
}

void SegmentedLru::drop(Entries& from, Entries::iterator entry) {
  bytes_ -= entry->bytes;
  if (entry->in_protected) protected_bytes_ -= entry->bytes;
  index_.erase(entry->key);
  from.erase(entry);
}

void SegmentedLru::erase_partition(std::uint64_t partition) {
  for (auto* entries : {&probation_, &protected_})
    for (auto entry = entries->begin(); entry != entries->end();) {
      const auto here = entry++;
      if (here->key.partition == partition) drop(*entries, here);
    }
}

}  // namespace frond::leaf::lists
