#pragma once
// A cache within a budget, least recently used in two segments (Karedla, Love, Wherry 1994).
//
// A new entry enters the probation segment. An entry found again moves to the protected segment, which holds at most
// four fifths of the budget; its oldest entries move back to probation. Evictions come from probation first, so entries
// asked for once do not displace those asked for twice. Not thread-safe: the caller locks.
//
// The caller says what an entry is charged, in bytes, and which entries are worth inserting.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

namespace frond::cache {

// IndexKey is what the index stores for a key: a copy, or a view of the key in the entry. Hash accepts both.
template <class Key, class Value, class Hash = std::hash<Key>, class IndexKey = Key>
class SegmentedLru {
 public:
  // An entry charged more than budget / max_share is too large.
  SegmentedLru(std::size_t budget, std::size_t max_share) : budget_(budget), max_charge_(budget / max_share) {}
  // The index may hold views of keys in the segments.
  SegmentedLru(const SegmentedLru&) = delete;
  SegmentedLru& operator=(const SegmentedLru&) = delete;

  // The value of the key, which becomes the most recently used; null if there is none. Valid until the next insertion
  // or eviction. Allocates nothing.
  const Value* find(const Key& key);
  bool contains(const Key& key) const { return index_.contains(key); }
  bool too_large(std::size_t charge) const { return charge > max_charge_; }
  // Evicts entries until this one fits, then keeps it. Does not ask too_large(): an entry charged more than the budget
  // evicts all others and stays.
  // REQUIRES: !contains(key).
  void insert(const Key& key, Value value, std::size_t charge);
  // The entry that evict_one() would evict; nulls if there is none. Valid until the next call of a function that is not
  // const.
  struct Oldest {
    const Key* key = nullptr;
    const Value* value = nullptr;
  };
  Oldest oldest() const;
  // Evicts one entry even if the budget is not exceeded. False: there is none.
  bool evict_one();
  // Takes the entries out whose key satisfies the predicate, over several calls with the same sweep, so that no call
  // takes long: a lock is given back between them, and then the sweep lets go what it took. False: it was the last one.
  // They do not count as evictions. What is inserted meanwhile may stay. Allocates nothing, and frees nothing but of
  // the index.
  class Sweep;
  template <class Predicate>
  bool sweep(Sweep& sweep, Predicate takes);

  // Calls visit(key, value) for each entry. It must not use the cache.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entries* entries : {&probation_, &protected_})
      for (const Entry& entry : *entries) visit(entry.key, entry.value);
  }

  std::size_t budget() const { return budget_; }
  std::size_t bytes() const { return bytes_; }  // charged now
  std::size_t entries() const { return index_.size(); }
  std::uint64_t evictions() const { return evictions_; }
  // The size of an entry in a segment, without what Key and Value allocate: a part of what callers charge.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }

 private:
  struct Entry {
    Key key;
    Value value;
    std::size_t charge = 0;
    bool is_protected = false;
  };
  using Entries = std::list<Entry>;  // most recently used first
  using Place = typename Entries::iterator;

  void promote(Place place);
  void drop(Entries& from, Place place);
  void uncount(Place place);

  const std::size_t budget_, max_charge_;
  Entries probation_, protected_;
  std::unordered_map<IndexKey, Place, Hash> index_;
  std::size_t bytes_ = 0, protected_bytes_ = 0;
  std::uint64_t evictions_ = 0;
};

template <class Key, class Value, class Hash, class IndexKey>
typename SegmentedLru<Key, Value, Hash, IndexKey>::Oldest SegmentedLru<Key, Value, Hash, IndexKey>::oldest() const {
  if (index_.empty()) return {};
  const Entry& entry = (probation_.empty() ? protected_ : probation_).back();
  return {&entry.key, &entry.value};
}

template <class Key, class Value, class Hash, class IndexKey>
inline const Value* SegmentedLru<Key, Value, Hash, IndexKey>::find(const Key& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  const Place place = found->second;
  if (place->is_protected)
    protected_.splice(protected_.begin(), protected_, place);
  else
    promote(place);
  return &place->value;
}

template <class Key, class Value, class Hash, class IndexKey>
void SegmentedLru<Key, Value, Hash, IndexKey>::promote(Place place) {
  protected_.splice(protected_.begin(), probation_, place);
  place->is_protected = true;
  protected_bytes_ += place->charge;
  while (protected_bytes_ > budget_ / 5 * 4) {
    const Place oldest = std::prev(protected_.end());
    oldest->is_protected = false;
    protected_bytes_ -= oldest->charge;
    probation_.splice(probation_.begin(), protected_, oldest);
  }
}

template <class Key, class Value, class Hash, class IndexKey>
void SegmentedLru<Key, Value, Hash, IndexKey>::insert(const Key& key, Value value, std::size_t charge) {
  while (bytes_ + charge > budget_ && evict_one()) {
  }
  // If an allocation throws, the entry is in neither index_ nor probation_.
  Entries fresh;
  fresh.push_front({key, std::move(value), charge, false});
  index_.emplace(fresh.front().key, fresh.begin());
  probation_.splice(probation_.begin(), fresh);
  bytes_ += charge;
}

template <class Key, class Value, class Hash, class IndexKey>
bool SegmentedLru<Key, Value, Hash, IndexKey>::evict_one() {
  if (index_.empty()) return false;
  Entries& from = probation_.empty() ? protected_ : probation_;
  drop(from, std::prev(from.end()));
  ++evictions_;
  return true;
}

// How far a sweep is, and what it took.
template <class Key, class Value, class Hash, class IndexKey>
class SegmentedLru<Key, Value, Hash, IndexKey>::Sweep {
 public:
  // Frees what the calls until now took: without the lock.
  void let_go() { taken_.clear(); }

 private:
  friend class SegmentedLru;
  std::size_t next_ = 0, buckets_ = 0;  // of the index
  Entries taken_;
};

template <class Key, class Value, class Hash, class IndexKey>
template <class Predicate>
bool SegmentedLru<Key, Value, Hash, IndexKey>::sweep(Sweep& sweep, Predicate takes) {
  constexpr std::size_t kBucketsAtATime = 1024;   // about as many entries
  if (sweep.buckets_ != index_.bucket_count()) {  // the first call, or the index grew: entries have other buckets
    sweep.buckets_ = index_.bucket_count();
    sweep.next_ = 0;
  }
  const std::size_t end = std::min(sweep.next_ + kBucketsAtATime, sweep.buckets_);
  while (sweep.next_ < end) {
    const auto found = std::find_if(index_.begin(sweep.next_), index_.end(sweep.next_),
                                    [&](const auto& one) { return takes(std::as_const(one.second->key)); });
    if (found == index_.end(sweep.next_)) {
      ++sweep.next_;
      continue;
    }
    const Place place = found->second;
    Entries& from = place->is_protected ? protected_ : probation_;
    uncount(place);
    sweep.taken_.splice(sweep.taken_.end(), from, place);
  }
  return end < sweep.buckets_;
}

template <class Key, class Value, class Hash, class IndexKey>
void SegmentedLru<Key, Value, Hash, IndexKey>::uncount(Place place) {
  bytes_ -= place->charge;
  if (place->is_protected) protected_bytes_ -= place->charge;
  index_.erase(place->key);
}

template <class Key, class Value, class Hash, class IndexKey>
void SegmentedLru<Key, Value, Hash, IndexKey>::drop(Entries& from, Place place) {
  uncount(place);
  from.erase(place);
}

}  // namespace frond::cache
