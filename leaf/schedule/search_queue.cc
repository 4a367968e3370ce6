#include "leaf/schedule/search_queue.h"

#include <algorithm>
#include <utility>

namespace frond::leaf::schedule {

std::size_t SearchQueue::level_of(std::uint64_t weight) {
  std::size_t level = 0;
  for (std::uint64_t end = kFirstLevel; weight >= end && level + 1 < kLevels; end *= 4) ++level;
  return level;
}

void SearchQueue::link(Level& level, std::uint32_t slot) {
  slots_[slot].next = kNone;
  (level.last == kNone ? level.first : slots_[level.last].next) = slot;
  level.last = slot;
  ++level.size;
}

void SearchQueue::push(Task&& task, Instant now) {
  if (free_ == kNone) {
    slots_.emplace_back();
    free_ = static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = std::exchange(free_, slots_[free_].next);
  const std::size_t place = times_.place_of(task.client);
  OfClient& client = clients_[place];
  client.weight = std::max<std::uint32_t>(1, task.client.weight);
  Level& level = client.levels[level_of(task.weight)];
  slots_[slot].waiting = {std::move(task), now};
  link(level, slot);
  if (size_++ == 0 && running_ == 0) times_.forget();
  if (client.size++ == 0) order_.push(static_cast<std::uint32_t>(place), times_.arrive(place));
}

bool SearchQueue::would_be_next(const Client& client) {
  const std::size_t place = times_.place_of(client);
  return size_ == 0 || (clients_[place].size == 0 && times_.arrive(place) <= order_.top_key());
}

std::size_t SearchQueue::next_level(const OfClient& client) const {
  const bool by_age = (client.turn + 1) % kOldestFirstEvery == 0;
  std::size_t best = kLevels;
  const auto since = [&](std::size_t level) { return slots_[client.levels[level].first].waiting.since; };
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (client.levels[level].size == 0) continue;
    if (best == kLevels || since(level) < since(best)) best = level;
    if (!by_age) break;
  }
  return best;
}

bool SearchQueue::next_is_little() const {
  if (order_.size() < 2) return false;
  const OfClient& client = clients_[order_.top()];
  return client.seen > 0 && client.mean_ns < kLittle.count();
}

Instant SearchQueue::next_since() const {
  const OfClient& client = clients_[order_.top()];
  return slots_[client.levels[next_level(client)].first].waiting.since;
}

WaitingTask SearchQueue::take_first(std::size_t place, std::size_t level_number) {
  OfClient& client = clients_[place];
  Level& level = client.levels[level_number];
  const std::uint32_t slot = level.first;
  level.first = slots_[slot].next;
  if (level.first == kNone) level.last = kNone;
  --level.size;
  --client.size;
  --size_;
  slots_[slot].next = std::exchange(free_, slot);
  return std::exchange(slots_[slot].waiting, {});
}

WaitingTask SearchQueue::pop() {
  const std::uint32_t place = order_.top();
  OfClient& client = clients_[place];
  WaitingTask taken = take_first(place, next_level(client));
  ++client.turn;
  ++running_;
  // Searches of one place may have different weights: ended() has to correct by the same one, or its time ran
  // backwards.
  taken.task.client.weight = client.weight;
  taken.charged_ns = std::max<std::int64_t>(client.weight, client.mean_ns);
  times_.take(order_.top_key());
  order_.erase(place);
  const std::int64_t next = times_.add(place, taken.charged_ns, client.weight);
  if (client.size > 0) order_.push(place, next);
  return taken;
}

void SearchQueue::ended(const Client& of, std::int64_t charged_ns, std::int64_t took_ns) {
  const auto place = static_cast<std::uint32_t>(times_.place_of(of));
  OfClient& client = clients_[place];
  if (charged_ns > 0) --running_;
  client.seen = std::min(client.seen + 1, kMemory);
  client.mean_ns += (took_ns - client.mean_ns) / client.seen;
  const std::int64_t next = times_.add(place, took_ns - charged_ns, std::max<std::uint32_t>(1, of.weight));
  if (client.size == 0) return;
  order_.erase(place);
  order_.push(place, next);
}

void SearchQueue::take_late(Instant now, std::deque<WaitingTask>& to) {
  for (std::size_t place = 0; place < clients_.size(); ++place) {
    OfClient& client = clients_[place];
    if (client.size == 0) continue;
    for (std::size_t number = 0; number < kLevels; ++number)
      for (std::uint32_t left = client.levels[number].size; left > 0; --left) {
        Level& level = client.levels[number];
        if (slots_[level.first].waiting.task.deadline.passed_at(now)) {
          to.push_back(take_first(place, number));
          continue;
        }
        const std::uint32_t kept = level.first;
        level.first = slots_[kept].next;
        if (level.first == kNone) level.last = kNone;
        --level.size;
        link(level, kept);
      }
    if (client.size == 0) order_.erase(static_cast<std::uint32_t>(place));
  }
}

std::size_t SearchQueue::before(const Task& task, double mean_ns) const {
  const OfClient& own = clients_[times_.place_of(task.client)];
  std::size_t of_own = 0;  // that are not heavier
  for (std::size_t level = 0; level <= level_of(task.weight); ++level) of_own += own.levels[level].size;
  if (own.mean_ns == 0 || mean_ns <= 0) return of_own;
  // Each other client has what it waits for, but not more than its share while these run.
  const double work = static_cast<double>(of_own) * static_cast<double>(own.mean_ns);
  const double each = work / static_cast<double>(std::max<std::uint32_t>(1, task.client.weight));
  double all = work;
  for (std::size_t i = 0; i < order_.size(); ++i)
    if (const OfClient& other = clients_[order_.at(i)]; &other != &own)
      all += std::min(static_cast<double>(other.size) * static_cast<double>(other.mean_ns),
                      each * static_cast<double>(other.weight));
  return static_cast<std::size_t>(all / mean_ns);
}

}  // namespace frond::leaf::schedule
