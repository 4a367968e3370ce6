#pragma once
// What searches have found out about terms, kept for the next searches: a term's document frequency and weight in a
// generation, and its list in each of the leaf's partitions, in host memory and in device memory. A search whose terms
// are known asks neither the generation's statistics nor the caches of lists.
//
// The table keeps no list in memory: it has weak references to what the caches keep. A list found here is marked as
// used, so that its cache keeps it (leaf/lists/list_store.h).
//
// A leaf has one table for all generations that it serves. Entries are kept within a budget, in shards
// (common/cache/shared_cache.h). Terms that the generation does not have are kept as well.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/cache/shared_cache.h"
#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::serve {

// A term of one generation. Any thread. Partitions are named by their place in ServedGeneration::partitions.
class KnownTerm {
 public:
  // May read the disk. kCorrupt, kUnavailable: from reading the generation's term statistics.
  static Result<std::shared_ptr<const KnownTerm>> make(const generation::ServedGeneration& generation,
                                                       std::string_view text);

  const std::string& text() const { return text_; }
  std::uint64_t df() const { return df_; }  // documents of the generation that have it; 0: none
  float weight() const { return weight_; }  // scoring::term_weight() of one occurrence, with the generation's k1
  std::size_t bytes() const;                // of memory, with what the weak references hold

  // The list in host memory; null: the partition does not have the term. Nothing: ask the store, then call keep().
  std::optional<lists::ListLease> on_host(std::size_t partition) const;
  void keep(std::size_t partition, const lists::ListLease& list) const;
  // The list in device memory; null: the partition does not have the term. Nothing: it is not there. `number`:
  // OpenPartition::number().
  std::optional<lists::DeviceLease> on_device(std::size_t partition, std::uint64_t number,
                                              lists::DeviceLists& device) const;

  // Counts a look-up.
  void ask() const { times_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t times() const { return times_.load(std::memory_order_relaxed); }

  // For make().
  KnownTerm(std::string_view text, std::uint64_t df, float weight, std::size_t partitions)
      : text_(text), df_(df), weight_(weight), places_(partitions) {}

 private:
  struct Place {
    std::weak_ptr<const lists::List> host;
    std::weak_ptr<const lists::CachedList> device;
    bool absent = false;
  };

  const std::string text_;
  const std::uint64_t df_;
  const float weight_;
  mutable std::atomic<std::uint64_t> times_{0};
  mutable Mutex mutex_;
  mutable std::vector<Place> places_ FROND_GUARDED_BY(mutex_);  // its size never changes
};

class TermTable {
 public:
  // 0 bytes: keeps nothing.
  explicit TermTable(std::size_t budget_bytes);

  // The term in the generation, which knows no lists if it is new. Terms of a generation without a serial number are
  // not kept. Errors as KnownTerm::make().
  Result<std::shared_ptr<const KnownTerm>> look_up(const generation::ServedGeneration& generation,
                                                   std::string_view text);
  // The same, if the table has it; else null. Never reads the disk.
  std::shared_ptr<const KnownTerm> find(const generation::ServedGeneration& generation, std::string_view text);
  // Its terms of the generation, and how often each was looked up.
  std::vector<std::pair<std::string, std::uint64_t>> asked(const generation::ServedGeneration& generation) const;
  cache::Counters counters() const { return terms_.counters(); }  // of terms
  std::size_t budget_bytes() const { return terms_.budget_bytes(); }

 private:
  // Of an entry: `text` is that of its KnownTerm.
  struct Key {
    std::uint64_t generation = 0;  // ServedGeneration::serial
    std::string_view text;
    std::size_t hash = 0;
    friend bool operator==(const Key& a, const Key& b) { return a.generation == b.generation && a.text == b.text; }
  };
  static Key key_of(const generation::ServedGeneration& generation, std::string_view text);
  struct HashOf {
    std::size_t operator()(const Key& key) const { return key.hash; }
  };
  bool keeps(const generation::ServedGeneration& generation) const {
    return budget_bytes() != 0 && generation.serial != 0;
  }

  cache::SharedCache<Key, std::shared_ptr<const KnownTerm>, HashOf> terms_;
};

// The terms of a query that a generation has, with their weights there.
struct KnownTerms {
  // A distinct term that occurs in at least one document of the generation.
  struct Term {
    std::shared_ptr<const KnownTerm> term;
    float weight = 0;  // scoring::term_weight, including the query frequency
  };
  std::vector<Term> terms;     // in the query's order; equal terms are merged
  bool all_known = true;       // every term of the query occurs in a document
  std::uint64_t postings = 0;  // of all `terms`, in all partitions of the generation
};

// The weights are those for `bm25`. May read the disk. `table` may be null. kCorrupt, kUnavailable: from reading the
// generation's term statistics.
Result<KnownTerms> look_up(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                           std::span<const wire::QueryTerm> terms, TermTable* table);
// The same without reading the disk. Nothing: the table lacks a term.
std::optional<KnownTerms> find(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                               std::span<const wire::QueryTerm> terms, TermTable& table);

}  // namespace frond::leaf::serve
