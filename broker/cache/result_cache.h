#pragma once
// Cache of rendered answers by query, within a budget in bytes. One for all threads of the broker; thread-safe. The
// lock is held for a look-up, or for a store with the evictions that make room for it.
//
// A hit costs a look-up and a copy of the answer. Keys contain the generation, so that queries of a new generation
// never get an old answer; old answers are evicted in time. Only answers without unsearched partitions are stored.
//
// Which answers stay: common/cache/segmented_lru.h. Queries that come only once do not evict those that come often.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/cache/segmented_lru.h"

namespace frond::broker::cache {

// `value` is opaque to the cache. `bytes` is its size; the cache adds those of the key and the entry.
struct CachedAnswer {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};

class ResultCache {
 public:
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0, stored = 0, too_large = 0;
    std::uint64_t bytes = 0, entries = 0;
  };

  // budget_bytes 0: nothing is stored.
  explicit ResultCache(std::size_t budget_bytes);

  // The answer, and counts a hit or a miss; a null value: a miss.
  CachedAnswer find(const std::string& key) { return find(key, true, true); }
  // The same without counting.
  CachedAnswer peek(const std::string& key) { return find(key, false, false); }
  // The same, but counts no miss: for callers that call find() next.
  CachedAnswer find_known(const std::string& key) { return find(key, true, false); }
  void store(const std::string& key, CachedAnswer answer);

  Counters counters() const;
  std::size_t budget() const { return budget_; }

 private:
  CachedAnswer find(const std::string& key, bool count_hit, bool count_miss);

  const std::size_t budget_;
  mutable Mutex mutex_;
  frond::cache::SegmentedLru<std::string, CachedAnswer, std::hash<std::string_view>, std::string_view> answers_
      FROND_GUARDED_BY(mutex_);
  std::uint64_t hits_ FROND_GUARDED_BY(mutex_) = 0, misses_ FROND_GUARDED_BY(mutex_) = 0,
                      stored_ FROND_GUARDED_BY(mutex_) = 0, too_large_ FROND_GUARDED_BY(mutex_) = 0;
};

// The texts of searches that were answered from the result cache lately, each with the key of its answer there: a
// search that comes with the same text again needs not be parsed and analysed. A text is a query string or a JSON
// object as it came; as each must be a valid search, none can be both. One object for each of the broker's threads,
// used on that thread only.
//
// Keys contain the generation. When another is served, all texts are forgotten.
class KnownTexts {
 public:
  // budget_bytes 0: none is kept.
  explicit KnownTexts(std::size_t budget_bytes) : budget_(budget_bytes) { forget(); }

  // The key of the text's answer in generation `serving`; null: it is not known. Valid until remember().
  const std::string* key_of(const std::string& text, const GenerationId& serving) {
    return serving == serving_ ? texts_->find(text) : nullptr;
  }
  void remember(const std::string& text, const GenerationId& serving, const std::string& key);

  std::size_t bytes() const { return texts_->bytes(); }  // charged now
  std::size_t budget() const { return budget_; }

 private:
  using Texts = frond::cache::SegmentedLru<std::string, std::string, std::hash<std::string_view>, std::string_view>;
  void forget() { texts_.emplace(budget_, kMaxShare); }

  static constexpr std::size_t kMaxShare = 64;  // a text and its key take at most budget / kMaxShare

  const std::size_t budget_;
  GenerationId serving_;
  std::optional<Texts> texts_;  // of `serving_`; always there
};

}  // namespace frond::broker::cache
