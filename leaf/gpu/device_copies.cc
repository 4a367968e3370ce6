// The part of the cache that allocates device memory and copies lists and arrays there.
#include <algorithm>
#include <utility>

#include "leaf/gpu/device_cache.h"

namespace frond::leaf::gpu {
namespace {

// Of lists that are copied together: images of codecs that no kernel reads are made in host memory.
constexpr std::size_t kBytesAtATime = std::size_t{16} << 20;

}  // namespace

// Removes the marks of an order's lists, however the order ends: they may be ordered again.
struct DeviceCache::OrderEnd {
  ~OrderEnd() {
    const MutexLock lock(cache.mutex_);
    for (const lists::ListLease& lease : order.lists) cache.ordered_.erase(lease->key);
  }
  DeviceCache& cache;
  const Order& order;
};

void DeviceCache::fulfil(const Order& order) {
  const OrderEnd end{*this, order};
  Result<void> done = lost() ? Result<void>(Error(Code::kDevice, "lost")) : device::use(options_.device);
  if (done) done = copy_arrays(order);
  const std::span<const lists::ListLease> lists = order.lists;
  for (std::size_t from = 0, count = 0; done && from < lists.size(); from += count) {
    std::size_t bytes = 0;
    for (count = 0; count < ListCopier::kMaxLists && from + count < lists.size(); ++count) {
      bytes += lists[from + count]->bytes;
      if (count > 0 && bytes > kBytesAtATime) break;
    }
    done = copy_lists(lists.subspan(from, count), static_cast<std::uint32_t>(order.lengths.size()));
  }
  // Other errors, such as no room, may be gone the next time.
  if (!done && done.error().code() == Code::kDevice) lost_.store(true, std::memory_order_relaxed);
}

Result<void> DeviceCache::copy_arrays(const Order& order) {
  const MutexLock copying(copying_);
  FROND_TRY(copy_lengths(order));
  for (const DocumentArrays::Source& source : order.arrays) FROND_TRY(copy_array(source));
  return {};
}

// Allocates from the arena, evicting lists if needed; not those of plans, whose memory would not be free. Drops arrays
// that nothing uses any more. The last copy of the pointer releases it. Null: no room.
std::shared_ptr<std::byte> DeviceCache::allocate(std::size_t bytes) {
  arrays_.drop_unused();
  for (;;) {
    if (std::byte* piece = arena_.allocate(bytes))
      return {piece, [arena = &arena_](const std::byte* used) { arena->release(used); }};
    const MutexLock lock(mutex_);
    if (!kept_.evict_unused()) return nullptr;
  }
}

Result<void> DeviceCache::copy_lengths(const Order& order) {
  {
    const MutexLock lock(mutex_);
    if (lengths_.contains(order.partition)) return {};
  }
  const ByteView bytes = std::as_bytes(order.lengths);
  if (bytes.empty()) return Error(Code::kInvalid, "no documents");
  auto memory = allocate(bytes.size());
  if (!memory) return Error(Code::kOverloaded, "no room for lengths");
  FROND_TRY(copier_.copy_bytes(bytes, memory.get()));
  auto resident = std::make_shared<ResidentLengths>();
  resident->lengths = reinterpret_cast<const std::uint32_t*>(memory.get());
  resident->min_length = *std::min_element(order.lengths.begin(), order.lengths.end());
  resident->memory = std::move(memory);
  const MutexLock lock(mutex_);
  lengths_.emplace(order.partition, std::move(resident));
  counters_.copied_bytes += bytes.size();
  return {};
}

// At most a quarter of the memory, as for a list; all columns together at most a quarter, and all sequences, so that at
// least half is left to lists.
Result<void> DeviceCache::copy_array(const DocumentArrays::Source& source) {
  if (arrays_.find(source.owner).state != DocumentArrays::State::kMissing) return {};
  std::shared_ptr<std::byte> memory;
  const std::size_t bytes = source.bytes();
  arrays_.drop_unused();
  const std::uint64_t asked = arrays_.returns();
  const std::size_t others = source.codes ? arrays_.code_bytes(source.sequences) : 0;
  if (others + bytes <= arena_.bytes() / 4) memory = allocate(bytes);
  std::byte* to = memory.get();
  if (source.codes && to != nullptr) FROND_TRY(copier_.copy_codes(*source.codes, to));
  for (const ByteView part : source.parts) {
    if (to == nullptr) break;
    FROND_TRY(copier_.copy_bytes(part, to));
    to += part.size();
  }
  const bool copied = memory != nullptr;
  arrays_.insert(source, std::move(memory), asked);
  const MutexLock lock(mutex_);
  if (copied) counters_.copied_bytes += bytes;
  return {};
}

Result<void> DeviceCache::copy_lists(std::span<const lists::ListLease> leases, std::uint32_t documents) {
  struct Planned {
    const lists::ListLease& lease;
    ListImage image;
    std::shared_ptr<std::byte> memory = nullptr;
  };
  std::vector<Planned> planned;
  planned.reserve(leases.size());
  for (const lists::ListLease& lease : leases) {  // takes about as long as to copy them: several orders at a time
    auto image = ListImage::plan(lease->postings, documents);
    if (image)
      planned.push_back({lease, *std::move(image)});
    else
      refuse(lease->key, image.error());
  }
  const MutexLock copying(copying_);
  bool room = true;
  std::vector<ListCopier::Copy> copies;
  for (Planned& one : planned) {
    {
      const MutexLock lock(mutex_);
      if (kept_.find(one.lease->key) || !kept_.admits(one.lease->key, one.image.bytes())) continue;
    }
    one.memory = allocate(one.image.bytes());
    room = one.memory != nullptr;
    if (!room) break;
    copies.push_back({.list = one.lease.get(), .image = &one.image, .to = one.memory.get()});
  }
  FROND_TRY(copier_.copy_lists(copies));
  auto copy = copies.begin();
  for (Planned& one : planned) {
    if (one.memory == nullptr) continue;
    const std::optional<bool> sound = (copy++)->sound;
    if (!sound) continue;  // a search that reads it tells
    if (*sound)
      keep(one.lease, one.image, std::move(one.memory), documents);
    else
      refuse(one.lease->key, Error(Code::kCorrupt, "blocks do not decode to what the list's index says"));
  }
  if (!room) return Error(Code::kOverloaded, "no room for a list");
  return {};
}

void DeviceCache::keep(const lists::ListLease& lease, const ListImage& image, std::shared_ptr<std::byte> memory,
                       std::uint32_t documents) {
  auto resident = std::make_shared<ResidentList>();
  resident->list = image.at(memory.get());
  resident->key = lease->key;
  resident->holder = this;
  resident->documents = documents;
  resident->list_deficit = lease->postings.list_deficit();
  for (std::size_t i = 0; i < resident->best_deficits.size(); ++i)
    resident->best_deficits[i] = lease->postings.best_deficit(i);
  resident->memory = std::move(memory);
  const MutexLock lock(mutex_);
  if (const auto of = lengths_.find(lease->key.partition); of != lengths_.end()) resident->lengths = of->second;
  kept_.insert(lease->key, std::move(resident), image.bytes());
  counters_.copied_bytes += image.bytes();
}

// Keeps an entry without an image, so that the list is found and not ordered again.
void DeviceCache::refuse(const lists::ListKey& key, const Error& why) {
  const MutexLock lock(mutex_);
  kept_.insert(key, std::make_shared<ResidentList>(), 0);
  ++(why.code() == Code::kCorrupt ? counters_.damaged : counters_.too_large);
  last_refusal_ = "\"" + key.term + "\": " + std::string(why.message());
}

}  // namespace frond::leaf::gpu
