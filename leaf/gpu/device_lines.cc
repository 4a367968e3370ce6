#include "leaf/gpu/device_lines.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/threads/thread_name.h"

namespace frond::leaf::gpu {

DeviceLines::DeviceLines(std::vector<std::uint32_t> slots, Run run, std::uint32_t ahead)
    : run_(std::move(run)), ahead_(ahead) {
  std::uint32_t all = 0;
  {
    const MutexLock lock(mutex_);
    for (const std::uint32_t at_a_time : slots) {
      FROND_CHECK(at_a_time > 0);
      lines_.emplace_back().slots = at_a_time;
      all += at_a_time + ahead;
    }
  }
  for (std::uint32_t i = 0; i < all; ++i) threads_.emplace_back([this] { help(); });
}

DeviceLines::~DeviceLines() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  put_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool DeviceLines::is_free(std::size_t device) const { return lines_[device].running < lines_[device].slots; }
bool DeviceLines::has_room_ahead(std::size_t device) const {
  return lines_[device].running < lines_[device].slots + ahead_;
}

void DeviceLines::put(Share& share) {
  Line& line = lines_[share.device];
  share.before = std::exchange(line.last, &share);
  share.next = nullptr;
  (share.before == nullptr ? line.first : share.before->next) = &share;
  share.waits = true;
  line.load += share.work;
  ++line.counters.waiting;
  ++waiting_;
}

void DeviceLines::take(const Pick& pick) {
  Share& share = *pick.share;
  Line& from = lines_[share.device];
  (share.before == nullptr ? from.first : share.before->next) = share.next;
  (share.next == nullptr ? from.last : share.next->before) = share.before;
  share.waits = false;
  --from.counters.waiting;
  --waiting_;
  Line& to = lines_[pick.device];
  from.load -= share.work;
  to.load += share.work;
  ++to.running;
  ++to.counters.shares;
  to.counters.stolen += pick.device != share.device;
}

// For a free device its own first share, else the first of the longest line that it may take one from. Without a free
// device one that is begun ahead.
DeviceLines::Pick DeviceLines::for_any() {
  for (std::size_t device = 0; device < lines_.size(); ++device)
    if (is_free(device) && lines_[device].first != nullptr) return {lines_[device].first, device};
  if (const Pick pick = for_idle(); pick.share != nullptr) return pick;
  for (std::size_t device = 0; device < lines_.size(); ++device)
    if (has_room_ahead(device) && lines_[device].first != nullptr) return {lines_[device].first, device};
  return {};
}

// A share of another device's line for one that has nothing in its own.
DeviceLines::Pick DeviceLines::for_idle() {
  const auto idle = std::find_if(lines_.begin(), lines_.end(), [](const Line& one) { return one.running < one.slots; });
  if (idle == lines_.end()) return {};
  Pick pick{nullptr, static_cast<std::size_t>(idle - lines_.begin())};
  std::int64_t most = 0;
  for (const Line& line : lines_)
    for (Share* share = line.first; share != nullptr; share = share->next)
      if (!share->stays && (pick.share == nullptr || line.load > most)) {
        pick.share = share;
        most = line.load;
        break;
      }
  return pick;
}

// One of these that waits, on its device, or on one that has nothing else to do, or begun ahead.
DeviceLines::Pick DeviceLines::for_call(std::span<Share* const> shares) {
  for (Share* const share : shares)
    if (share->waits && is_free(share->device)) return {share, share->device};
  for (Share* const share : shares) {
    if (!share->waits || share->stays) continue;
    for (std::size_t device = 0; device < lines_.size(); ++device)
      if (is_free(device) && lines_[device].first == nullptr) return {share, device};
  }
  for (Share* const share : shares)
    if (share->waits && has_room_ahead(share->device)) return {share, share->device};
  return {};
}

// The lock is free meanwhile.
void DeviceLines::run_taken(const Pick& pick) {
  Share& share = *pick.share;
  LinedCall& call = *share.call;
  const std::vector<Share*> more = run_(share, pick.device);
  const MutexLock lock(mutex_);
  Line& line = lines_[pick.device];
  --line.running;
  line.load -= share.work;
  for (Share* const one : more) put(*one);
  call.left += more.size();
  if (--call.left == 0) call.ended.notify_one();
  for (std::size_t i = 0; i < more.size(); ++i) put_.notify_one();
  if (waiting_ > more.size()) put_.notify_one();  // this device is free again
}

void DeviceLines::help() {
  name_this_thread("leaf-gpu-share");
  for (;;) {
    Pick pick;
    {
      MutexLock lock(mutex_);
      while ((pick = for_any()).share == nullptr) {
        if (stopped_) return;
        put_.wait(lock.mutex());
      }
      take(pick);
    }
    run_taken(pick);
  }
}

void DeviceLines::run(LinedCall& call, std::span<Share* const> shares) {
  bool first = true;
  for (;;) {
    Pick pick;
    {
      MutexLock lock(mutex_);
      if (std::exchange(first, false)) {
        call.left = shares.size();
        for (Share* const share : shares) put(*share);
      }
      pick = for_call(shares);
      if (pick.share != nullptr) take(pick);
      const auto others = static_cast<std::size_t>(
          std::count_if(shares.begin(), shares.end(), [](const Share* share) { return share->waits; }));
      for (std::size_t i = 0; i < others; ++i) put_.notify_one();
      if (pick.share == nullptr) {
        while (call.left != 0) call.ended.wait(lock.mutex());
        return;
      }
    }
    run_taken(pick);
  }
}

std::int64_t DeviceLines::load(std::size_t device) const {
  const MutexLock lock(mutex_);
  return lines_[device].load;
}

DeviceLines::Counters DeviceLines::counters(std::size_t device) const {
  const MutexLock lock(mutex_);
  return lines_[device].counters;
}

}  // namespace frond::leaf::gpu
