#include "indexer/invert/gpu/text/term_numbers.h"

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
constexpr std::uint32_t kManyTerms = 1u << 20, kNumbersAtATime = 16;
constexpr std::size_t kTermsOfAThread = std::size_t{1} << 14;  // fewer are sorted faster by one
constexpr std::uint32_t kRangesOfAThread = 16;
constexpr std::size_t kTermsAhead = 16;  // terms that are fetched into the caches

struct Key {
  std::uint64_t bytes;  // the first eight
  std::uint32_t number;
};

std::uint64_t first_eight(std::string_view term) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, term.data(), std::min<std::size_t>(term.size(), 8));
  return __builtin_bswap64(bytes);
}

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
  const char* const from = shard.bytes.data() + (place & ((Place{1} << kPlaceBits) - 1));
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  return {from + sizeof size, size};
}

std::string_view TermNumbers::term(std::uint32_t number) const {
  const Place place = place_of(number);
  return at(shards_[place >> kPlaceBits], place);
}

void TermNumbers::fetch_place(std::uint32_t number) const {
  __builtin_prefetch(blocks_[number / kBlock].load(std::memory_order_acquire) + number % kBlock);
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
  const auto size = static_cast<std::uint32_t>(of.size());
  const char* const size_bytes = reinterpret_cast<const char*>(&size);
  shard.bytes.insert(shard.bytes.end(), size_bytes, size_bytes + sizeof size);
  shard.bytes.insert(shard.bytes.end(), of.begin(), of.end());
  shard.slots[slot] = {hash, number + 1};
  if (++shard.terms * 3 > shard.slots.size() * 2) grow(shard);
  return number;
}

// Bytes that cut all terms with totals into `parts` ranges of about the same size.
std::vector<std::uint64_t> TermNumbers::splitters(std::span<const std::uint32_t> totals, std::uint32_t parts) const {
  constexpr std::size_t kSampled = 256;  // of a part
  std::vector<std::uint64_t> sample, chosen;
  const std::size_t step = std::max<std::size_t>(1, totals.size() / (kSampled * parts));
  for (std::size_t number = 0; number < totals.size(); number += step)
    if (totals[number] != 0) sample.push_back(first_eight(term(static_cast<std::uint32_t>(number))));
  std::sort(sample.begin(), sample.end());
  for (std::uint32_t part = 1; part < parts && !sample.empty(); ++part)
    chosen.push_back(sample[sample.size() * part / parts]);
  return chosen;
}

std::vector<std::uint32_t> TermNumbers::in_order(std::span<const std::uint32_t> totals, Crew& crew) const {
  const std::uint32_t parts = crew.parts_of(totals.size(), kTermsOfAThread);
  // Several ranges for each thread, so that one is sorted in its caches.
  const std::vector<std::uint64_t> bounds = splitters(totals, parts == 1 ? 1 : parts * kRangesOfAThread);
  // By part of the numbers, then by range of the terms.
  std::vector<std::vector<std::vector<Key>>> dealt(parts, std::vector<std::vector<Key>>(bounds.size() + 1));
  crew.in_parts(totals.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    for (std::size_t number = begin; number < end; ++number) {
      if (number + kTermsAhead < end && totals[number + kTermsAhead] != 0)
        fetch(static_cast<std::uint32_t>(number + kTermsAhead));
      if (totals[number] == 0) continue;
      const Key key{first_eight(term(static_cast<std::uint32_t>(number))), static_cast<std::uint32_t>(number)};
      const auto range = std::upper_bound(bounds.begin(), bounds.end(), key.bytes) - bounds.begin();
      dealt[part][static_cast<std::size_t>(range)].push_back(key);
    }
  });
  std::vector<std::size_t> begins = {0};  // of the ranges
  for (std::size_t range = 0; range <= bounds.size(); ++range) {
    begins.push_back(begins.back());
    for (const auto& part : dealt) begins.back() += part[range].size();
  }
  std::vector<std::uint32_t> numbers(begins.back());
  const auto before = [this](const Key& a, const Key& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : term(a.number) < term(b.number);
  };
  crew.in_parts(begins.size() - 1, static_cast<std::uint32_t>(begins.size() - 1),
                [&](std::uint32_t, std::size_t range, std::size_t) {
                  std::vector<Key> keys;
                  keys.reserve(begins[range + 1] - begins[range]);
                  for (auto& part : dealt) {
                    keys.insert(keys.end(), part[range].begin(), part[range].end());
                    part[range] = {};
                  }
                  std::sort(keys.begin(), keys.end(), before);
                  std::transform(keys.begin(), keys.end(), numbers.begin() + static_cast<std::ptrdiff_t>(begins[range]),
                                 [](const Key& key) { return key.number; });
                });
  return numbers;
}

}  // namespace frond::indexer::invert::gpu
