#include "leaf/serve/filter_cache.h"

#include <functional>

namespace frond::leaf::serve {
namespace {

// Of the shared_ptr's control block and the nodes of index and list.
constexpr std::size_t kFilterNodes = 256;

}  // namespace

std::size_t FilterCache::HashOf::operator()(const Key& key) const {
  return std::hash<std::string>()(key.filter) ^ ((key.generation << 20 | key.partition) * 0x9e3779b97f4a7c15ULL);
}

FilterCache::Documents FilterCache::find(const Key& key) {
  const MutexLock lock(mutex_);
  const Documents* const found = kept_.find(key);
  ++(found != nullptr ? hits_ : misses_);
  return found != nullptr ? *found : nullptr;
}

void FilterCache::keep(const Key& key, const Documents& documents) {
  // The key is held twice, by the entry and by the index.
  const std::size_t charge = documents->bytes() + 2 * (sizeof key + key.filter.size()) + kFilterNodes;
  const MutexLock lock(mutex_);
  if (kept_.too_large(charge) || kept_.contains(key)) return;
  kept_.insert(key, documents, charge);
}

FilterCache::Counters FilterCache::counters() const {
  const MutexLock lock(mutex_);
  return {hits_, misses_, kept_.evictions(), kept_.bytes()};
}

}  // namespace frond::leaf::serve
