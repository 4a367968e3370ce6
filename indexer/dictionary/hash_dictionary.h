#pragma once
// The terms of some trie collections, each with a Value: a small open-addressing table for each collection, in place of
// Wei and JaJa's B-trees (btree_dictionary.h), which are a little slower on a CPU (docs/papers.md). Only a flush needs
// the order of terms, and sorts them. Where their nodes cache four bytes of a string, a slot keeps 32 bits of the
// term's hash, so almost no string is compared in vain.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"
#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/collection_order.h"
#include "indexer/dictionary/trie.h"

namespace frond::indexer::dictionary {

// One thread. Value: trivially copyable, starts as Value{}.
template <class Value>
class HashDictionary {
  static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= Arena::kUnit);

 public:
  // The most memory, with the arena's, that a byte of a token group takes (parse/token_groups.h): a new term with one
  // posting, 11 bytes or more, has an entry of 32 and the suffix, up to 24 in a table that has just grown, and 24 in
  // what tables have left; its second posting, 4 bytes, takes a chunk of 16. The bytes of a group that are added
  // between two looks at the budget.
  static constexpr std::uint64_t kGrowth = 8;
  static constexpr std::size_t kSliceBytes = std::size_t{64} << 10;

  // Entries lie in `arena`. Call clear() before the arena's.
  explicit HashDictionary(Arena& arena) : arena_(arena), tables_(kTrieCollections) {}

  // The value of a term. `suffix` is the term without the collection's prefix, at most 65,535 bytes. The value keeps
  // its address until clear().
  Value& find_or_add(TrieCollection collection, std::string_view suffix) {
    return find_or_add(collection, suffix, hash_of(suffix));
  }
  // The same by the hash that hash_of(suffix) gave.
  Value& find_or_add(TrieCollection collection, std::string_view suffix, std::uint32_t hash) {
    Table& table = tables_[collection];
    if (table.terms * 3 >= table.size * 2) [[unlikely]]
      grow(table);
    const std::size_t mask = table.size - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = table.slots[at];
      if (slot.entry == kNoRef) {
        ++table.terms;
        ++terms_;
        slot = {hash, add_entry(suffix)};
        return arena_.template as<Entry>(slot.entry)->value;
      }
      if (slot.hash != hash) continue;
      Entry* const entry = arena_.template as<Entry>(slot.entry);
      if (is_same(suffix_of(*entry), suffix)) return entry->value;
    }
  }

  // A look-up waits for a slot, a term and what its value refers to, each of which is in memory far away. Who knows the
  // next terms calls these for each, some terms before find_or_add().
  static std::uint32_t hash_of(std::string_view suffix) {
    return static_cast<std::uint32_t>(XXH3_64bits(suffix.data(), suffix.size()));
  }
  void prefetch_slot(TrieCollection collection, std::uint32_t hash) const {
    const Table& table = tables_[collection];
    if (table.size != 0) __builtin_prefetch(&table.slots[hash & (table.size - 1)]);
  }
  // The value of the first term with this hash, or null; does not read the term.
  Value* value_by_hash(TrieCollection collection, std::uint32_t hash) {
    const Table& table = tables_[collection];
    if (table.size == 0) return nullptr;
    const std::size_t mask = table.size - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = table.slots[at];
      if (slot.entry == kNoRef) return nullptr;
      if (slot.hash == hash) return &arena_.template as<Entry>(slot.entry)->value;
    }
  }

  // Whether a value of a term of the collection is that of `suffix`.
  static bool is_value_of(const Value& value, std::string_view suffix) {
    static_assert(offsetof(Entry, value) == 0);
    return is_same(suffix_of(reinterpret_cast<const Entry&>(value)), suffix);
  }

  // Calls visit(std::string_view prefix, std::string_view suffix, Value&) for every term, in byte order of the whole
  // terms, until a call gives false. Sorts the tables in place, which takes no memory and destroys them: only clear()
  // may follow.
  template <class Visit>
  void for_each_in_order(Visit&& visit) {
    visit_in_order<Ordered>([this](TrieCollection collection) { return order(collection); },
                            std::forward<Visit>(visit));
  }
  // The same of one collection; each at most once. Several threads may order different collections at the same time.
  class Ordered;
  Ordered order(TrieCollection collection) { return Ordered(*this, sort_table(tables_[collection])); }
  std::size_t terms_of(TrieCollection collection) const { return tables_[collection].terms; }

  std::uint64_t terms() const { return terms_; }
  // Bytes of what is not in the arena: large tables, and where all of them are.
  std::size_t table_bytes() const { return large_bytes_ + tables_.size() * sizeof(Table); }
  // The bytes that the largest table takes beside itself while it grows.
  std::size_t growth_bytes() const { return 2 * largest_slots_ * sizeof(Slot); }
  void clear() {
    tables_.assign(kTrieCollections, {});
    large_.clear();
    large_bytes_ = 0;
    free_ = {};
    terms_ = 0;
    largest_slots_ = 0;
  }

 private:
  struct Entry {
    Value value;
    std::uint16_t suffix_bytes;  // which follow the entry
  };
  struct Slot {
    std::uint32_t hash = 0;
    ArenaRef entry = kNoRef;
  };
  struct Table {
    Slot* slots = nullptr;   // in the arena, or of large_
    std::uint32_t size = 0;  // slots: a power of two, or none
    std::uint32_t terms = 0;
  };
  static constexpr std::size_t kLeastSlots = 8;
  // Tables are read at random. Where thousands of them lie in an arena's large pages, a look-up waits for its table
  // only, not for the system's page tables too. Larger ones would leave too much of a block unused.
  static constexpr std::size_t kSlotsInArena = (std::size_t{64} << 10) / sizeof(Slot);
  struct FreeSlots {
    void operator()(Slot* slots) const { std::free(slots); }
  };
  static constexpr std::size_t kSuffixAt = offsetof(Entry, suffix_bytes) + sizeof(std::uint16_t);

  static std::string_view suffix_of(const Entry& entry) {
    return {reinterpret_cast<const char*>(&entry) + kSuffixAt, entry.suffix_bytes};
  }
  // Inline, since suffixes are short and memcmp() would be a call.
  static bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    std::size_t at = 0;
    for (; at + 8 <= a.size(); at += 8)
      if (load<std::uint64_t>(a, at) != load<std::uint64_t>(b, at)) return false;
    if (at + 4 <= a.size()) {
      if (load<std::uint32_t>(a, at) != load<std::uint32_t>(b, at)) return false;
      at += 4;
    }
    for (; at < a.size(); ++at)
      if (a[at] != b[at]) return false;
    return true;
  }
  template <class T>
  static T load(std::string_view from, std::size_t at) {
    T value;
    std::memcpy(&value, from.data() + at, sizeof value);
    return value;
  }
  ArenaRef add_entry(std::string_view suffix) {
    FROND_CHECK(suffix.size() <= 0xffff);
    const ArenaRef ref = arena_.allocate(std::max(sizeof(Entry), kSuffixAt + suffix.size()));
    Entry* const entry = new (arena_.at(ref)) Entry{Value{}, static_cast<std::uint16_t>(suffix.size())};
    if (!suffix.empty()) std::memcpy(reinterpret_cast<char*>(entry) + kSuffixAt, suffix.data(), suffix.size());
    return ref;
  }
  void grow(Table& table) {
    FROND_CHECK(table.size < std::uint32_t{1} << 31);
    const std::span<Slot> old(table.slots, table.size);
    table.size = std::max(static_cast<std::uint32_t>(kLeastSlots), table.size * 2);
    table.slots = take_slots(table.size);
    std::uninitialized_fill_n(table.slots, table.size, Slot{});
    largest_slots_ = std::max<std::size_t>(largest_slots_, table.size);
    const std::size_t mask = table.size - 1;
    for (const Slot& slot : old) {
      if (slot.entry == kNoRef) continue;
      std::size_t at = slot.hash & mask;
      while (table.slots[at].entry != kNoRef) at = (at + 1) & mask;
      table.slots[at] = slot;
    }
    if (!old.empty()) give_back(old);
  }
  Slot* take_slots(std::size_t count) {
    if (count > kSlotsInArena) {
      auto* const slots = static_cast<Slot*>(std::aligned_alloc(64, count * sizeof(Slot)));
      if (slots == nullptr) throw std::bad_alloc();
      large_.emplace_back(slots);
      large_bytes_ += count * sizeof(Slot);
      return slots;
    }
    Slot*& free = free_[static_cast<std::size_t>(std::countr_zero(count))];
    if (free == nullptr) return arena_.template as<Slot>(arena_.allocate(count * sizeof(Slot)));
    Slot* const slots = free;
    std::memcpy(&free, slots, sizeof free);
    return slots;
  }
  void give_back(std::span<Slot> slots) {
    if (slots.size() > kSlotsInArena) {
      std::erase_if(large_, [&slots](const auto& one) { return one.get() == slots.data(); });
      large_bytes_ -= slots.size_bytes();
      return;
    }
    Slot*& free = free_[static_cast<std::size_t>(std::countr_zero(slots.size()))];
    std::memcpy(static_cast<void*>(slots.data()), &free, sizeof free);
    free = slots.data();
  }

  Entry* entry_of(const Slot& slot) const { return arena_.template as<Entry>(slot.entry); }

  // The slots of the table's terms in order, in the table's own memory.
  std::span<Slot> sort_table(Table& table) {
    Slot* const end =
        std::remove_if(table.slots, table.slots + table.size, [](const Slot& slot) { return slot.entry == kNoRef; });
    const std::span<Slot> used(table.slots, end);
    sort_from(used, 0);
    return used;
  }

  // Sorts slots whose suffixes have the same first `depth` bytes: by the four bytes that follow, which replace the
  // hash, so that most comparisons need no access to a term; then those with the same four bytes.
  void sort_from(std::span<Slot> slots, std::size_t depth) {
    constexpr std::size_t kFew = 8;
    for (Slot& slot : slots) slot.hash = four_bytes(suffix_of(*entry_of(slot)), depth);
    std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.hash < b.hash; });
    for (std::size_t begin = 0, end = 0; begin < slots.size(); begin = end) {
      while (end < slots.size() && slots[end].hash == slots[begin].hash) ++end;
      const std::span<Slot> same = slots.subspan(begin, end - begin);
      // Terms hold no NULs: if the fourth byte is not NUL, no term ends within these bytes.
      if (same.size() > kFew && (same.front().hash & 0xff) != 0)
        sort_from(same, depth + 4);
      else if (same.size() > 1)
        std::sort(same.begin(), same.end(),
                  [this](const Slot& a, const Slot& b) { return suffix_of(*entry_of(a)) < suffix_of(*entry_of(b)); });
    }
  }
  // suffix[depth, depth + 4) as a big-endian number, filled up with zeros.
  static std::uint32_t four_bytes(std::string_view suffix, std::size_t depth) {
    std::uint32_t bytes = 0;
    if (depth < suffix.size())
      std::memcpy(&bytes, suffix.data() + depth, std::min<std::size_t>(4, suffix.size() - depth));
    return __builtin_bswap32(bytes);
  }

  static constexpr std::size_t kAhead = 4;  // whose entries are fetched while one is read in order
  Arena& arena_;
  std::vector<std::unique_ptr<Slot, FreeSlots>> large_;
  std::size_t large_bytes_ = 0;
  std::array<Slot*, 32> free_{};  // that tables of so many slots have left, by the logarithm: a list through the first
  std::vector<Table> tables_;
  std::uint64_t terms_ = 0;
  std::size_t largest_slots_ = 0;
};

// The terms of one collection in order, by place. Any thread.
template <class Value>
class HashDictionary<Value>::Ordered {
 public:
  Ordered() = default;
  Ordered(const HashDictionary& dictionary, std::span<const Slot> sorted) : dictionary_(&dictionary), sorted_(sorted) {}
  std::size_t size() const { return sorted_.size(); }
  std::string_view suffix(std::size_t place, std::string& /*scratch*/) const {
    if (place + kAhead < size()) __builtin_prefetch(entry(place + kAhead));
    return suffix_of(*entry(place));
  }
  Value& value(std::size_t place) const { return entry(place)->value; }

 private:
  Entry* entry(std::size_t place) const { return dictionary_->entry_of(sorted_[place]); }
  const HashDictionary* dictionary_ = nullptr;
  std::span<const Slot> sorted_;
};

}  // namespace frond::indexer::dictionary
