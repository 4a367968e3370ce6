#include "broker/cache/result_cache.h"

#include <utility>

namespace frond::broker::cache {
namespace {
// List node, hash node, allocator headers, shared_ptr control block: measured at about this much with glibc.
constexpr std::size_t kEntryOverhead = 256;
// One answer may take at most budget / kMaxShare.
constexpr std::size_t kMaxShare = 16;
}  // namespace

ResultCache::ResultCache(std::size_t budget_bytes) : budget_(budget_bytes), answers_(budget_bytes, kMaxShare) {}

CachedAnswer ResultCache::find(const std::string& key, bool count_hit, bool count_miss) {
  const MutexLock lock(mutex_);
  const CachedAnswer* const found = answers_.find(key);
  hits_ += found != nullptr && count_hit;
  misses_ += found == nullptr && count_miss;
  return found != nullptr ? *found : CachedAnswer();
}

void ResultCache::store(const std::string& key, CachedAnswer answer) {
  const std::size_t charge = answer.bytes + key.size() + kEntryOverhead;
  const MutexLock lock(mutex_);
  if (answers_.too_large(charge)) {
    ++too_large_;
    return;
  }
  if (answers_.contains(key)) return;
  answers_.insert(key, std::move(answer), charge);
  ++stored_;
}

ResultCache::Counters ResultCache::counters() const {
  const MutexLock lock(mutex_);
  return {.hits = hits_,
          .misses = misses_,
          .evictions = answers_.evictions(),
          .stored = stored_,
          .too_large = too_large_,
          .bytes = answers_.bytes(),
          .entries = answers_.entries()};
}

namespace {
// List node, hash node and allocator headers, as of an answer above.
constexpr std::size_t kTextOverhead = 224;
}  // namespace

void KnownTexts::remember(const std::string& text, const GenerationId& serving, const std::string& key) {
  if (serving != serving_) {
    forget();
    serving_ = serving;
  }
  const std::size_t charge = text.size() + key.size() + kTextOverhead;
  if (texts_->too_large(charge) || texts_->contains(text)) return;
  texts_->insert(text, key, charge);
}

}  // namespace frond::broker::cache
