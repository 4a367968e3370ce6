#include "indexer/invert/gpu/text/terms/term_numbers.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"

namespace frond::indexer::invert::gpu {

namespace {

constexpr std::size_t kFirstSlots = 64;
// Threads that take numbers one by one wait for each other's caches: where there are many, a shard takes some at a
// time.
constexpr std::uint32_t kManyTerms = 1u << 20, kNumbersAtATime = 64;

}  // namespace

TermNumbers::TermNumbers() : blocks_(std::make_unique<std::atomic<Place*>[]>(kMaxBlocks)) { clear(); }

TermNumbers::~TermNumbers() {
  for (std::size_t i = 0; i < kMaxBlocks; ++i) delete[] blocks_[i].load();
}

void TermNumbers::clear() {
  for (Shard& shard : shards_) {
    const SpinGuard guard(shard.lock);
    set_slots(shard, std::vector<Slot>(kFirstSlots));
    shard.terms = 0;
    shard.next = shard.end = 0;
    shard.bytes = {};
  }
  for (std::size_t i = 0; i < kMaxBlocks && blocks_[i].load() != nullptr; ++i) delete[] blocks_[i].exchange(nullptr);
  count_ = 0;
}

void TermNumbers::end_adding() {
  for (Shard& shard : shards_) {
    const SpinGuard guard(shard.lock);
    shard.slots = {};
  }
}

std::uint64_t TermNumbers::memory_bytes() const {
  // Slots, of which at most two thirds are taken, tables that grow, a place; and the bytes.
  std::uint64_t bytes =
      kShards * kFirstSlots * sizeof(Slot) + std::uint64_t{size()} * (4 * sizeof(Slot) + sizeof(Place));
  for (const Shard& shard : shards_) bytes += shard.bytes.capacity();
  return bytes;
}

std::string_view TermNumbers::at(const Shard& shard, Place place) const {
  return record_at(shard.bytes.data() + (place & ((Place{1} << kPlaceBits) - 1))).term;
}

std::string_view TermNumbers::term(std::uint32_t number) const {
  const Place place = place_of(number);
  return at(shards_[place >> kPlaceBits], place);
}

void TermNumbers::fetch(std::uint32_t number) const {
  const Place place = place_of(number);
  __builtin_prefetch(shards_[place >> kPlaceBits].bytes.data() + (place & ((Place{1} << kPlaceBits) - 1)));
}

void TermNumbers::set_place(std::uint32_t number, Place place) {
  std::atomic<Place*>& block = blocks_[number / kBlock];
  if (block.load(std::memory_order_acquire) == nullptr) {
    const MutexLock lock(adding_block_);
    if (block.load(std::memory_order_relaxed) == nullptr) block.store(new Place[kBlock], std::memory_order_release);
  }
  block.load(std::memory_order_acquire)[number % kBlock] = place;
}

void TermNumbers::grow(Shard& shard) {
  std::vector<Slot> larger(shard.slots.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : shard.slots) {
    if (slot.number_plus_1 == 0) continue;
    std::size_t place = slot.hash & mask;
    while (larger[place].number_plus_1 != 0) place = (place + 1) & mask;
    larger[place] = slot;
  }
  set_slots(shard, std::move(larger));
}

void TermNumbers::set_slots(Shard& shard, std::vector<Slot> slots) {
  shard.slots = std::move(slots);
  shard.first_slot.store(shard.slots.data(), std::memory_order_relaxed);
  shard.mask.store(static_cast<std::uint32_t>(shard.slots.size() - 1), std::memory_order_relaxed);
}

std::uint32_t TermNumbers::new_number(Shard& shard) {
  if (shard.next == shard.end) {
    const std::uint32_t some = size() < kManyTerms ? 1 : kNumbersAtATime;
    shard.next = count_.fetch_add(some, std::memory_order_relaxed);
    shard.end = shard.next + some;
    FROND_CHECK(shard.end / kBlock < kMaxBlocks);
  }
  return shard.next++;
}

std::uint64_t TermNumbers::hash_of(std::string_view term) { return XXH3_64bits(term.data(), term.size()); }

std::uint32_t TermNumbers::number_of(std::string_view of, std::uint64_t all) {
  const auto hash = static_cast<std::uint32_t>(all);
  const std::size_t number_of_shard = all >> kPlaceBits;
  Shard& shard = shards_[number_of_shard];
  const SpinGuard guard(shard.lock);
  const std::size_t mask = shard.slots.size() - 1;
  std::size_t slot = hash & mask;
  for (; shard.slots[slot].number_plus_1 != 0; slot = (slot + 1) & mask) {
    const std::uint32_t other = shard.slots[slot].number_plus_1 - 1;
    if (shard.slots[slot].hash == hash && at(shard, place_of(other)) == of) return other;
  }
  const std::uint32_t number = new_number(shard);
  set_place(number, Place{number_of_shard} << kPlaceBits | shard.bytes.size());
  const Head head{number, static_cast<std::uint32_t>(of.size())};
  const char* const head_bytes = reinterpret_cast<const char*>(&head);
  shard.bytes.insert(shard.bytes.end(), head_bytes, head_bytes + sizeof head);
  shard.bytes.insert(shard.bytes.end(), of.begin(), of.end());
  shard.slots[slot] = {hash, number + 1};
  if (++shard.terms * 3 > shard.slots.size() * 2) grow(shard);
  return number;
}

}  // namespace frond::indexer::invert::gpu
