#include "leaf/gpu/device_cache.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/thread_name.h"

namespace frond::leaf::gpu {
namespace {

// Of lists that are copied together: images of codecs that no kernel reads are made in host memory.
constexpr std::size_t kBytesAtATime = std::size_t{16} << 20;

// Whether kernels, which add scores and bounds of them in 32 bits, find the sums that the CPU finds, which end at
// kMaxScore. With priors, which are bounded for stretches of documents, the highest are far from that.
bool fits_scores(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  if (!plan.ranked) return true;
  std::uint64_t most = plan.phrase ? plan.phrase->bounds->bound(0) : 0;
  for (std::size_t i = 0; i < ready.lists.size(); ++i) most += plan.terms[i].bounds.bound(ready.lists[i]->list_deficit);
  if (!ready.priors) return most <= scoring::kMaxScore;
  return most + scoring::weighted(ready.priors->highest.front(), plan.prior_weight) < scoring::kMaxScore / 2;
}

scoring::Score floor_of(const engine::Plan& plan) { return plan.ranked && plan.floor ? plan.floor->get() : 0; }

}  // namespace

Result<std::unique_ptr<DeviceCache>> DeviceCache::create(device::Arena& arena, const Options& options) {
  FROND_TRY(device::use(options.device));
  auto copier = FROND_TRY(ListCopier::create(options.staging_bytes));
  return std::unique_ptr<DeviceCache>(new DeviceCache(arena, options, std::move(copier)));
}

DeviceCache::DeviceCache(device::Arena& arena, const Options& options, ListCopier copier)
    : arena_(arena), options_(options), copier_(std::move(copier)), kept_(arena.bytes()) {
  if (options.copying == Copying::kInBackground)
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

DeviceCache::~DeviceCache() = default;

std::optional<ReadyPlan> DeviceCache::pin(const engine::Plan& plan) {
  if (lost()) return std::nullopt;
  auto ready = look_up(plan, true);
  if (!ready && !engine::of_device_leases(plan) && order(plan) && options_.copying == Copying::kByTheCaller)
    ready = copy_and_look_up(plan);
  if (ready && !fits_scores(*ready)) return std::nullopt;
  if (ready && ready->hidden) ready->hidden_postings = longest_of(*ready).hidden_postings(*ready->hidden);
  return ready;
}

void DeviceCache::want(const engine::Plan& plan) {
  if (lost() || options_.copying == Copying::kByTheCaller || engine::of_device_leases(plan)) return;
  if (!look_up(plan, false)) static_cast<void>(order(plan));
}

bool DeviceCache::has_no_room_for(const engine::Plan& plan) const {
  const auto sources = DocumentArrays::sources_of(plan);
  return std::any_of(sources.begin(), sources.end(),
                     [this](const auto& source) { return has_no_room_for(source.owner); });
}

bool DeviceCache::has_no_room_for(const std::shared_ptr<const void>& owner) const {
  return arrays_.find(owner).state == DocumentArrays::State::kDoesNotFit;
}

std::optional<ReadyPlan> DeviceCache::copy_and_look_up(const engine::Plan& plan) {
  Order own;
  {
    const MutexLock lock(mutex_);
    own = std::move(orders_.back());
    orders_.pop_back();
  }
  fulfil(own);
  return look_up(plan, false);
}

std::optional<ReadyPlan> DeviceCache::look_up(const engine::Plan& plan, bool count) {
  const bool leased = engine::of_device_leases(plan);
  ReadyPlan ready{.plan = &plan, .lists = {}, .lengths = nullptr, .floor = floor_of(plan)};
  ready.lists.reserve(plan.terms.size());
  if (leased) {
    for (const engine::PlanTerm& term : plan.terms) {
      auto list = std::static_pointer_cast<const ResidentList>(term.on_device);
      if (list->holder != this) list = std::static_pointer_cast<const ResidentList>(find(list->key));
      if (list == nullptr) return std::nullopt;
      ready.lists.push_back(std::move(list));
    }
    ready.lengths = ready.lists.front()->lengths;
    leased_.fetch_add(plan.terms.size(), std::memory_order_relaxed);
  } else {
    const MutexLock lock(mutex_);
    bool whole = true;
    for (const engine::PlanTerm& term : plan.terms) {
      auto kept = std::static_pointer_cast<const ResidentList>(kept_.find(term.list->key));
      const bool usable = kept && kept->list.image;
      if (count) ++(usable ? counters_.hits : counters_.misses);
      whole = whole && usable;
      ready.lists.push_back(std::move(kept));
    }
    const auto found = lengths_.find(plan.partition);
    if (!whole || found == lengths_.end()) return std::nullopt;
    ready.lengths = found->second;
  }
  const auto array = [&](const auto& owner, const std::shared_ptr<const void>& lease) {
    auto own = std::static_pointer_cast<const ResidentArray>(lease);
    return own && own->holder == &arrays_ ? own : arrays_.find(owner).array;
  };
  if (plan.hidden != nullptr) ready.hidden = array(plan.hidden->words(), plan.hidden_on_device);
  if (engine::adds_priors(plan)) ready.priors = array(plan.priors->arrays(), plan.priors_on_device);
  bool complete = (plan.hidden == nullptr || ready.hidden) && (!engine::adds_priors(plan) || ready.priors);
  const auto codes = engine::codes_of(plan);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    ready.codes.push_back(array(codes[i]->owner(), leased ? plan.codes_on_device[i] : nullptr));
    complete = complete && ready.codes.back();
  }
  if (!complete) return std::nullopt;
  return ready;
}

lists::DeviceLease DeviceCache::find(const lists::ListKey& key) {
  if (lost()) return nullptr;
  const MutexLock lock(mutex_);
  auto kept = std::static_pointer_cast<const ResidentList>(kept_.find(key));
  return kept && kept->list.image && kept->lengths ? std::move(kept) : nullptr;
}

std::shared_ptr<const void> DeviceCache::find_array(const std::shared_ptr<const void>& owner) {
  return lost() ? nullptr : arrays_.find(owner).array;
}

bool DeviceCache::is_ordered(const DocumentArrays::Source& source) const {
  return std::any_of(orders_.begin(), orders_.end(), [&source](const Order& order) {
    return std::any_of(order.arrays.begin(), order.arrays.end(),
                       [&source](const auto& one) { return one.owner == source.owner; });
  });
}

// What is to be copied for the plan, and for `more` lists; nothing: all is there, or ordered. `marks`: what becomes
// ordered_ with it.
std::optional<DeviceCache::Order> DeviceCache::missing(const engine::Plan& plan, std::span<const lists::ListLease> more,
                                                       Marks& marks) {
  Order order{.partition = plan.partition, .lengths = plan.lengths, .lists = {}, .arrays = {}};
  const auto add = [&](const lists::ListLease& list) FROND_REQUIRES(mutex_) {
    const lists::ListKey& key = list->key;
    if (!kept_.find(key) && !ordered_.contains(key) && marks.insert(key).second) order.lists.push_back(list);
  };
  for (const engine::PlanTerm& term : plan.terms) add(term.list);
  for (const lists::ListLease& list : more)
    if (list->postings.count() > 0) add(list);
  for (DocumentArrays::Source& source : DocumentArrays::sources_of(plan))
    if (arrays_.find(source.owner).state == DocumentArrays::State::kMissing && !is_ordered(source))
      order.arrays.push_back(std::move(source));
  if (order.lists.empty() && order.arrays.empty() && lengths_.contains(plan.partition)) return std::nullopt;
  ordered_.reserve(ordered_.size() + marks.size());
  return order;
}

// False: there is nothing to copy for the plan, or max_waiting plans wait already.
bool DeviceCache::order(const engine::Plan& plan) {
  Marks marks;
  const MutexLock lock(mutex_);
  if (plan.partition == 0 || orders_.size() >= options_.max_waiting) return false;
  auto order = missing(plan, {}, marks);
  if (!order) return false;
  // The marks are set last, after all allocations, which may fail: only the end of an order removes its marks.
  orders_.push_back(std::move(*order));
  ordered_.merge(marks);
  changed_.notify_all();
  return true;
}

bool DeviceCache::warm(const engine::Plan& plan, std::span<const lists::ListLease> lists) {
  if (!has_room()) return false;
  std::optional<Order> own;
  {
    Marks marks;
    const MutexLock lock(mutex_);
    own = missing(plan, lists, marks);
    if (own) ordered_.merge(marks);
  }
  if (own) fulfil(*own);
  return !lost();
}

void DeviceCache::run(const std::stop_token& stop) {
  name_this_thread("leaf-gpu-copy");
  for (;;) {
    Order next;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock.mutex(), stop, [this]() FROND_REQUIRES(mutex_) { return !orders_.empty(); })) return;
      next = std::move(orders_.front());
      orders_.pop_front();
      in_progress_ = next.partition;
    }
    try {
      fulfil(next);
    } catch (const std::exception&) {  // out of memory: what is still missing is ordered again by the next plan
    }
    next = {};  // its leases end before the order counts as done
    const MutexLock lock(mutex_);
    in_progress_ = 0;
    changed_.notify_all();
  }
}

void DeviceCache::settle() {
  MutexLock lock(mutex_);
  changed_.wait(lock.mutex(), [this]() FROND_REQUIRES(mutex_) { return orders_.empty() && in_progress_ == 0; });
}

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
  arrays_.insert(source, std::move(memory));
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

std::string DeviceCache::refusals() const {
  const MutexLock lock(mutex_);
  if (counters_.damaged + counters_.too_large == 0) return {};
  return "lists that the GPU cannot take, so the CPU searches them: " + std::to_string(counters_.damaged) +
         " damaged, " + std::to_string(counters_.too_large) + " too large; the last, " + last_refusal_;
}

void DeviceCache::forget(std::uint64_t partition) {
  // Called by a destructor, so nothing here allocates. Leases may end under the lock: the bytes they refer to have
  // other owners still, so that frees nothing large; the images go after the lock.
  {
    MutexLock lock(mutex_);
    for (const Order& order : orders_) {
      if (order.partition != partition) continue;
      for (const lists::ListLease& lease : order.lists) ordered_.erase(lease->key);
    }
    std::erase_if(orders_, [partition](const Order& order) { return order.partition == partition; });
    changed_.notify_all();
    changed_.wait(lock.mutex(), [this, partition]() FROND_REQUIRES(mutex_) { return in_progress_ != partition; });
    arrays_.forget(partition);
    lengths_.erase(partition);
  }
  lists::KeptLists::Sweep sweep;
  const auto step = [&] {
    const MutexLock lock(mutex_);
    return kept_.sweep(sweep, partition);
  };
  while (step()) sweep.let_go();
}

void DeviceCache::drop() {
  lost_.store(true, std::memory_order_relaxed);
  std::vector<std::uint64_t> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [partition, lengths] : lengths_) all.push_back(partition);
  }
  for (const std::uint64_t partition : all) forget(partition);
}

DeviceCache::Counters DeviceCache::counters() const {
  const MutexLock lock(mutex_);
  Counters now = counters_;
  now.hits += leased_.load(std::memory_order_relaxed);
  now.evictions = kept_.evictions();
  now.bytes = arena_.used();
  now.entries = kept_.entries();
  return now;
}

}  // namespace frond::leaf::gpu
