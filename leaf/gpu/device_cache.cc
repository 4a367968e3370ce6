#include "leaf/gpu/device_cache.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/threads/thread_name.h"

namespace frond::leaf::gpu {
namespace {

// Whether kernels, which add scores and bounds of them in 32 bits, find the sums that the CPU finds, which end at
// kMaxScore. With priors, which are bounded for stretches of documents, the highest are far from that.
bool fits_scores(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  if (!plan.ranked) return true;
  // Of clauses also what kernels bound single postings by, which is the weight at most.
  const bool clauses = engine::is_of_clauses(plan);
  const auto most_of = [](const scoring::BoundScale& bounds, scoring::PackedDeficit least, query::Factor factor) {
    return std::uint64_t{bounds.bound(least)} * factor.units / query::Factor::kOne;
  };
  // A phrase that stands for the first term is in a held score besides that term's bound (keep_phrases()).
  std::uint64_t most = plan.phrase ? 2 * most_of(*plan.phrase->bounds, 0, plan.phrase->factor) : 0;
  for (std::size_t i = 0; i < ready.lists.size(); ++i)
    most += most_of(plan.terms[i].bounds, clauses ? 0 : ready.lists[i]->list_deficit, plan.terms[i].factor);
  constexpr scoring::Score kMost = 0xf0000000;  // bounds of weights beyond it are all the same
  if (!ready.priors) return most <= kMost;
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
  lists::ListCache::Sweep sweep;
  const auto step = [&] {
    const MutexLock lock(mutex_);
    return kept_.sweep(sweep, partition);
  };
  while (step()) sweep.let_go();
  arrays_.forget(partition);  // what was refused meanwhile may fit where its lists were
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
