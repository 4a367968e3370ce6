#include "leaf/gpu/gpu_devices.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <utility>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();  // before a device that failed

std::vector<std::size_t> rooms_of(const std::vector<std::unique_ptr<GpuEngine>>& engines) {
  std::vector<std::size_t> rooms;
  for (const auto& engine : engines) rooms.push_back(engine->list_bytes());
  return rooms;
}

constexpr std::uint32_t kAhead = 2;  // shares that a busy device begins: one is prepared while another is answered

std::vector<std::uint32_t> slots_of(const std::vector<std::unique_ptr<GpuEngine>>& engines) {
  std::vector<std::uint32_t> slots;
  for (const auto& engine : engines) slots.push_back(engine->streams());
  return slots;
}

std::int64_t postings_of(const engine::PlanTerm& term) {
  if (term.list != nullptr) return static_cast<std::int64_t>(term.list->postings.count());
  return static_cast<const ResidentList&>(*term.on_device).list.count;
}

// AND looks at about as many postings of each list as the shortest required one has.
std::int64_t work_of(const engine::Plan& plan) {
  std::int64_t sum = 0, least = kUnbounded;
  for (const engine::PlanTerm& term : plan.terms) {
    const std::int64_t postings = postings_of(term);
    sum += postings;
    if (term.role == engine::TermRole::kRequired) least = std::min(least, postings);
  }
  if (plan.terms.empty() || plan.mode == engine::Mode::kOr) return sum;
  return std::min(sum, least * static_cast<std::int64_t>(plan.terms.size()));
}

// A partition that nobody added, by what is known of it.
PartitionPlaces::Sized sized(const engine::Plan& plan) { return {plan.partition, 8 * plan.lengths.size()}; }

}  // namespace

struct GpuDevices::Call : LinedCall {
  Call(std::span<const engine::Plan> plans_, const Clock& clock_, engine::BatchTimes* times_)
      : plans(plans_), clock(clock_), times(times_), found(plans_.size()) {}
  const std::span<const engine::Plan> plans;
  const Clock& clock;
  engine::BatchTimes* const times;
  std::vector<std::optional<Result<engine::Outcome>>> found;  // a share writes those of its own plans
  Mutex mutex;                                                // of what follows, and of *times
  std::deque<Share> shares;
};

GpuDevices::GpuDevices(std::vector<std::unique_ptr<GpuEngine>> engines, engine::QueryEngine& below,
                       const LoadBalance& balance)
    : below_(below),
      balance_(balance),
      engines_(std::move(engines)),
      places_(rooms_of(engines_)),
      known_lost_(engines_.size()),
      lines_(
          engines_.size() > 1 ? slots_of(engines_) : std::vector<std::uint32_t>(),
          [this](Share& share, std::size_t device) { return run(share, device); }, kAhead) {}

GpuDevices::~GpuDevices() = default;

// Adds shares to the call, and returns them: each has at most kMaxQueries plans, so that another device can take some.
// Plans for `not_on`, or for a device that failed, are left to the engine below. The first time, plans of partitions
// that all devices have go where the least is before them; later to their homes.
std::vector<Share*> GpuDevices::assign(Call& call, std::span<const std::size_t> places, std::size_t tries,
                                       std::size_t not_on) {
  notice_losses();
  std::vector<PartitionPlaces::Sized> partitions;
  partitions.reserve(places.size());
  for (const std::size_t place : places) partitions.push_back(sized(call.plans[place]));
  std::vector<PartitionPlaces::Holders> holders(places.size());
  places_.find(partitions, holders);
  std::vector<std::int64_t> loads, works;
  std::int64_t all = 0;
  for (const std::size_t place : places) all += works.emplace_back(work_of(call.plans[place]));
  for (std::size_t device = 0; device < engines_.size(); ++device)
    loads.push_back(engines_[device]->lost() ? kUnbounded : lines_.load(device));
  const auto idlest = [&loads] { return static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin()); };
  if (tries == 1 && all <= balance_.whole)
    for (PartitionPlaces::Holders& one : holders)
      if (one.everywhere) one.home = idlest();
  std::vector<Share*> open(engines_.size(), nullptr), added;
  const MutexLock lock(call.mutex);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t device = holders[i].home;
    const bool movable = tries == 1 && holders[i].everywhere;
    if (movable && loads[device] - loads[idlest()] > balance_.apart) device = idlest();
    if (device == not_on || loads[device] == kUnbounded) continue;
    if (open[device] == nullptr || open[device]->places.size() == kMaxQueries) {
      open[device] = &call.shares.emplace_back();
      open[device]->call = &call;
      open[device]->device = device;
      open[device]->tries = tries;
      added.push_back(open[device]);
    }
    open[device]->places.push_back(places[i]);
    open[device]->work += works[i];
    open[device]->stays |= !movable;
    loads[device] += works[i];
  }
  return added;
}

std::vector<std::optional<Result<engine::Outcome>>> GpuDevices::try_search(std::span<const engine::Plan> plans,
                                                                           const Clock& clock,
                                                                           engine::BatchTimes* times) {
  if (engines_.size() == 1) return engines_.front()->try_search(plans, clock, times);
  Call call(plans, clock, times);
  std::vector<std::size_t> places(plans.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  if (const auto shares = assign(call, places, 1, engines_.size()); !shares.empty()) lines_.run(call, shares);
  return std::move(call.found);
}

std::vector<Share*> GpuDevices::run(Share& share, std::size_t device) {
  Call& call = static_cast<Call&>(*share.call);
  GpuEngine& engine = *engines_[device];
  try {
    engine::BatchTimes times;
    if (call.times != nullptr) {
      times.had_lists.resize(call.times->had_lists.empty() ? 0 : share.places.size());
      times.no_room.resize(call.times->no_room.empty() ? 0 : share.places.size());
    }
    auto found = engine.try_search(ChosenPlans(call.plans, share.places), call.clock, &times);
    std::vector<std::size_t> unanswered;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i])
        call.found[share.places[i]] = std::move(found[i]);
      else
        unanswered.push_back(share.places[i]);
    }
    if (call.times != nullptr) {
      const MutexLock lock(call.mutex);
      call.times->add(times);
      for (std::size_t i = 0; i < times.had_lists.size(); ++i)
        call.times->had_lists[share.places[i]] = times.had_lists[i];
      for (std::size_t i = 0; i < times.no_room.size(); ++i) call.times->no_room[share.places[i]] = times.no_room[i];
    }
    if (unanswered.empty()) return {};
    return again(call, share, device, unanswered);
  } catch (const std::exception&) {  // out of memory: the engine below answers what has no answer
    return {};
  }
}

// Shares for plans that the device did not answer and another may: because it failed, or is not their home and does not
// have their lists. The others are for the engine below.
std::vector<Share*> GpuDevices::again(Call& call, const Share& share, std::size_t device,
                                      std::span<const std::size_t> unanswered) {
  for (const std::size_t place : unanswered)  // lists that are missing on one device may be missing on all
    if (share.tries == 1 && fits_kernels(call.plans[place]) && places_.find(sized(call.plans[place])).everywhere)
      for (const auto& engine : engines_) engine->cache().want(call.plans[place]);
  if (share.tries > engines_.size()) return {};
  return assign(call, unanswered, share.tries + 1, device);
}

void GpuDevices::notice_losses() {
  for (std::size_t device = 0; device < engines_.size(); ++device) {
    if (!engines_[device]->lost() || known_lost_[device].exchange(true)) continue;
    places_.lose(device);
    engines_[device]->cache().drop();  // so that searches find lists of other devices
  }
}

std::vector<Result<engine::Outcome>> GpuDevices::search(std::span<const engine::Plan> plans, const Clock& clock) {
  auto found = try_search(plans, clock, nullptr);
  std::vector<Result<engine::Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    outcomes.push_back(found[i] ? *std::move(found[i]) : std::move(below_.search(plans.subspan(i, 1), clock)[0]));
  return outcomes;
}

bool GpuDevices::warm(const engine::Plan& plan, std::span<const lists::ListLease> lists) {
  notice_losses();
  const auto [home, everywhere] = places_.find(sized(plan));
  bool more = engines_[home]->warm(plan, lists);
  for (std::size_t device = 0; device < engines_.size(); ++device) {
    if (device == home) continue;
    if (everywhere) static_cast<void>(engines_[device]->warm(plan, lists));
    more = more || engines_[device]->cache().has_room();
  }
  return more;
}

std::uint32_t GpuDevices::streams() const {
  std::uint32_t all = 0;
  for (const auto& engine : engines_) all += engine->streams();
  return all;
}

std::vector<engine::Accelerator::Device> GpuDevices::devices() const {
  std::vector<Device> all;
  for (const auto& engine : engines_) all.push_back(engine->devices().front());
  return all;
}

std::uint32_t GpuDevices::working() const {
  return static_cast<std::uint32_t>(
      std::count_if(engines_.begin(), engines_.end(), [](const auto& engine) { return !engine->lost(); }));
}

std::string GpuDevices::refusals() const {
  std::string all;
  for (const auto& engine : engines_) {
    const std::string own = engine->refusals();
    if (all.find(own) == std::string::npos) all += (all.empty() ? "" : "; ") + own;
  }
  return all;
}

void GpuDevices::forget(std::uint64_t partition) {
  places_.remove(partition);
  for (const auto& engine : engines_) engine->forget(partition);
}

GpuDevices::Counters GpuDevices::counters(std::size_t device) const {
  return {places_.load(device), engines_.size() > 1 ? lines_.counters(device) : DeviceLines::Counters{}};
}

lists::DeviceLease GpuDevices::Lists::find(const lists::ListKey& key) {
  const std::size_t home = of_.places_.known_home(key.partition).value_or(0);
  if (auto lease = of_.engines_[home]->lists().find(key)) return lease;
  for (std::size_t device = 0; device < of_.engines_.size(); ++device)
    if (device != home)
      if (auto lease = of_.engines_[device]->lists().find(key)) return lease;
  return nullptr;
}

bool GpuDevices::Lists::holds(const lists::CachedList& list) const {
  return !static_cast<const ResidentList&>(list).holder->lost();
}

std::shared_ptr<const void> GpuDevices::Lists::find_array(const std::shared_ptr<const void>& owner) {
  for (const auto& engine : of_.engines_)
    if (auto array = engine->lists().find_array(owner)) return array;
  return nullptr;
}

// One device that has it is enough; those that were never asked for it do not count.
bool GpuDevices::Lists::has_no_room_for(const std::shared_ptr<const void>& owner) const {
  bool refused = false;
  for (const auto& engine : of_.engines_) {
    if (engine->lists().find_array(owner)) return false;
    refused = refused || (!engine->lost() && engine->lists().has_no_room_for(owner));
  }
  return refused;
}

}  // namespace frond::leaf::gpu
