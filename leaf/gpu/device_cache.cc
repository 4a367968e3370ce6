#include "leaf/gpu/device_cache.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "common/base/thread_name.h"
#include "leaf/gpu/admit.h"
#include "leaf/gpu/list_image.h"

namespace frond::leaf::gpu {

Result<std::unique_ptr<DeviceCache>> DeviceCache::create(device::Arena& arena, const Options& options) {
  FROND_TRY(device::use(options.device));
  auto stream = FROND_TRY(device::Stream::create());
  std::vector<Half> halves;
  halves.reserve(2);
  for (int i = 0; i < 2; ++i) {
    auto memory = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, options.staging_bytes / 2));
    auto free = FROND_TRY(device::Event::create());
    halves.push_back({std::move(memory), std::move(free)});
  }
  auto copied = FROND_TRY(device::Event::create());
  return std::unique_ptr<DeviceCache>(
      new DeviceCache(arena, options, std::move(stream), std::move(halves), std::move(copied)));
}

DeviceCache::DeviceCache(device::Arena& arena, const Options& options, device::Stream stream, std::vector<Half> halves,
                         device::Event copied)
    : arena_(arena),
      options_(options),
      stream_(std::move(stream)),
      halves_(std::move(halves)),
      copied_(std::move(copied)),
      kept_(arena.bytes()) {
  if (options.copying == Copying::kInBackground)
    copier_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

DeviceCache::~DeviceCache() = default;

std::optional<ReadyPlan> DeviceCache::pin(const Plan& plan) {
  if (lost()) return std::nullopt;
  auto ready = look_up(plan, true);
  if (ready || !order(plan) || options_.copying == Copying::kInBackground) return ready;
  Order own;
  {
    const MutexLock lock(mutex_);
    own = std::move(orders_.back());
    orders_.pop_back();
  }
  fulfil(own);
  return look_up(plan, false);
}

std::optional<ReadyPlan> DeviceCache::look_up(const Plan& plan, bool count) {
  ReadyPlan ready{.plan = &plan, .lists = {}, .lengths = nullptr, .floor = plan.floor ? plan.floor->get() : 0};
  const MutexLock lock(mutex_);
  bool whole = true;
  for (const PlanTerm& term : plan.terms) {
    auto kept = std::static_pointer_cast<const ResidentList>(kept_.find(term.list->key));
    const bool usable = kept && kept->list.image;
    if (count) ++(usable ? counters_.hits : counters_.misses);
    whole = whole && usable;
    ready.lists.push_back(std::move(kept));
  }
  const auto found = lengths_.find(plan.partition);
  if (!whole || found == lengths_.end()) return std::nullopt;
  ready.lengths = found->second;
  return ready;
}

// False: nothing of it can or need be copied, or enough waits already.
bool DeviceCache::order(const Plan& plan) {
  Order order{.partition = plan.partition, .lengths = plan.lengths, .lists = {}};
  const MutexLock lock(mutex_);
  if (plan.partition == 0 || orders_.size() >= options_.max_waiting) return false;
  decltype(ordered_) marks;
  for (const PlanTerm& term : plan.terms) {
    const ListKey& key = term.list->key;
    if (!kept_.find(key) && !ordered_.contains(key) && marks.insert(key).second) order.lists.push_back(term.list);
  }
  if (order.lists.empty() && lengths_.contains(plan.partition)) return false;
  // Marked only once all that needs memory is done: nobody would take the marks of an order back that is not there.
  ordered_.reserve(ordered_.size() + marks.size());
  orders_.push_back(std::move(order));
  ordered_.merge(marks);
  changed_.notify_all();
  return true;
}

void DeviceCache::run(const std::stop_token& stop) {
  name_this_thread("leaf-gpu-copy");
  for (;;) {
    Order next;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock.mutex(), stop, [this] { return !orders_.empty(); })) return;
      next = std::move(orders_.front());
      orders_.pop_front();
      in_progress_ = next.partition;
    }
    try {
      fulfil(next);
    } catch (const std::exception&) {  // no memory: who needs what is missing asks for it again
    }
    next = {};  // its leases end before it counts as done
    const MutexLock lock(mutex_);
    in_progress_ = 0;
    changed_.notify_all();
  }
}

void DeviceCache::settle() {
  MutexLock lock(mutex_);
  changed_.wait(lock.mutex(), [this] { return orders_.empty() && in_progress_ == 0; });
}

// Its lists may be ordered again, however it ends.
struct DeviceCache::OrderEnd {
  ~OrderEnd() {
    const MutexLock lock(cache.mutex_);
    for (const ListLease& lease : order.lists) cache.ordered_.erase(lease->key);
  }
  DeviceCache& cache;
  const Order& order;
};

void DeviceCache::fulfil(const Order& order) {
  const OrderEnd end{*this, order};
  const MutexLock copying(copying_);
  Result<void> done = lost() ? Result<void>(Error(Code::kDevice, "lost")) : device::use(options_.device);
  if (done) done = copy_lengths(order);
  for (const ListLease& lease : order.lists)
    if (done) done = copy_list(lease, static_cast<std::uint32_t>(order.lengths.size()));
  // No room is no failure: it may be there the next time.
  if (!done && done.error().code() == Code::kDevice) lost_.store(true, std::memory_order_relaxed);
}

// Memory of the arena that returns to it when the last copy of the pointer ends; null: there is no room.
std::shared_ptr<std::byte> DeviceCache::allocate(std::size_t bytes) {
  for (;;) {
    if (std::byte* piece = arena_.allocate(bytes))
      return {piece, [arena = &arena_](const std::byte* used) { arena->release(used); }};
    const MutexLock lock(mutex_);
    if (!kept_.evict_one()) return nullptr;
  }
}

template <class Fill>
Result<void> DeviceCache::copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill) {
  while (from < end) {
    Half& half = halves_[next_half_ ^= 1];
    FROND_TRY(half.free.wait());
    const std::size_t bytes = std::min(end - from, half.memory.bytes());
    fill(from, std::span(half.memory.data(), bytes));
    FROND_TRY(device::copy_to_device(to + from, half.memory.data(), bytes, stream_.get()));
    FROND_TRY(half.free.record(stream_.get()));
    from += bytes;
  }
  return {};
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
  FROND_TRY(copy(memory.get(), 0, bytes.size(), [bytes](std::size_t from, std::span<std::byte> out) {
    std::memcpy(out.data(), bytes.data() + from, out.size());
  }));
  FROND_TRY(copied_.record(stream_.get()));
  FROND_TRY(copied_.wait());
  auto resident = std::make_shared<ResidentLengths>();
  resident->lengths = reinterpret_cast<const std::uint32_t*>(memory.get());
  resident->least = *std::min_element(order.lengths.begin(), order.lengths.end());
  resident->memory = std::move(memory);
  const MutexLock lock(mutex_);
  lengths_.emplace(order.partition, std::move(resident));
  counters_.copied_bytes += bytes.size();
  return {};
}

Result<void> DeviceCache::copy_list(const ListLease& lease, std::uint32_t documents) {
  const auto refuse = [&] {
    const MutexLock lock(mutex_);
    kept_.insert(lease->key, std::make_shared<ResidentList>(), 0);
    ++counters_.refused;
  };
  const auto image = ListImage::plan(lease->postings, documents);
  if (!image) {
    refuse();
    return {};
  }
  {
    const MutexLock lock(mutex_);
    if (kept_.find(lease->key) || !kept_.admits(lease->key, image->bytes())) return {};
  }
  auto memory = allocate(image->bytes());
  if (!memory) return Error(Code::kOverloaded, "no room for a list");
  FROND_TRY(copy(memory.get(), image->copied_from(), image->bytes(),
                 [&image](std::size_t from, std::span<std::byte> out) { image->fill(from, out); }));
  FROND_TRY(lease->intact());  // what was copied was there
  FROND_TRY(admit(*image, memory.get(), stream_.get()));
  Half& half = halves_[next_half_ ^= 1];
  FROND_TRY(half.free.wait());
  FROND_TRY(device::copy_to_host(half.memory.data(), errors_of(memory.get()), 4, stream_.get()));
  FROND_TRY(half.free.record(stream_.get()));
  FROND_TRY(half.free.wait());
  if (load_le<std::uint32_t>(half.memory.data()) != 0) {
    refuse();
    return {};
  }
  auto resident = std::make_shared<ResidentList>();
  resident->list = image->at(memory.get());
  for (std::size_t i = 0; i < resident->best_deficits.size(); ++i)
    resident->best_deficits[i] = lease->postings.best_deficit(i);
  resident->memory = std::move(memory);
  const MutexLock lock(mutex_);
  kept_.insert(lease->key, std::move(resident), image->bytes());
  counters_.copied_bytes += image->bytes();
  return {};
}

void DeviceCache::forget(std::uint64_t partition) {
  // Called by a destructor, so it must not need memory. The leases' owners are still open elsewhere: to end them is
  // short.
  MutexLock lock(mutex_);
  for (const Order& order : orders_) {
    if (order.partition != partition) continue;
    for (const ListLease& lease : order.lists) ordered_.erase(lease->key);
  }
  std::erase_if(orders_, [partition](const Order& order) { return order.partition == partition; });
  changed_.notify_all();
  changed_.wait(lock.mutex(), [this, partition] { return in_progress_ != partition; });
  kept_.erase_partition(partition);
  lengths_.erase(partition);
}

DeviceCache::Counters DeviceCache::counters() const {
  const MutexLock lock(mutex_);
  Counters now = counters_;
  now.evictions = kept_.evictions();
  now.bytes = arena_.used();
  now.entries = kept_.entries();
  return now;
}

}  // namespace frond::leaf::gpu
