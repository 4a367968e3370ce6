#pragma once
// Searches that wait for a worker, and which is next. Clients share the workers by their weights (client_times.h): the
// next search is one of the client that has had least of their time. So a client with one search waits for about one
// search of another, however many of that one wait. Of one client light searches are next, but every
// kOldestFirstEvery-th is the one that has waited longest.
//
// What a search takes is not known before. A client is charged with the mean of its last ones when its search is taken,
// and with the difference when it has ended.
//
// A data structure without threads and clock; its owner holds a lock. Push and pop take O(log kPlaces), before() the
// number of clients of which searches wait.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "leaf/schedule/client_times.h"
#include "leaf/schedule/indexed_heap.h"
#include "leaf/schedule/scheduler.h"

namespace frond::leaf::schedule {

struct WaitingTask {
  Task task;
  Instant since;
  std::int64_t charged_ns = -1;  // a search that was taken from its queue: what its client was charged with
};

class SearchQueue {
 public:
  static constexpr unsigned kOldestFirstEvery = 8;
  static constexpr std::chrono::nanoseconds kLittle = std::chrono::milliseconds(1);

  explicit SearchQueue(std::uint32_t secret) : times_(secret), clients_(ClientTimes::kPlaces) {}

  std::size_t size() const { return size_; }
  // Of which searches wait.
  std::size_t clients() const { return order_.size(); }
  // Of the client.
  std::size_t size(const Client& client) const { return clients_[times_.place_of(client)].size; }

  void push(Task&& task, Instant now);
  // Whether a search of the client that comes now would be the next one.
  bool would_be_next(const Client& client);
  // REQUIRES: size() > 0, of both. When the next one came, and it itself, whose end is told to ended(), with the client
  // that its task has now.
  Instant next_since() const;
  // Whether others wait beside the client of the next one, and its last ones took less than kLittle.
  bool next_is_little() const;
  WaitingTask pop();
  // `charged_ns`: 0 for a search that was not in the queue.
  void ended(const Client& client, std::int64_t charged_ns, std::int64_t took_ns);
  // Moves those that are past their deadline or cancelled.
  void take_late(Instant now, std::deque<WaitingTask>& to);
  // How many tasks of the mean time of all run before one that came now, about, and not more; of a client of which
  // nothing is known as many as it has.
  std::size_t before(const Task& task, double mean_ns) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Searches of a client by Task::weight, the lightest first. The first level takes weights below 16,384 postings; each
  // further limit is four times as high.
  static constexpr std::size_t kLevels = 8;
  static constexpr std::uint64_t kFirstLevel = 1 << 14;
  static constexpr std::int64_t kMemory = 32;  // of a client's mean
  struct Slot {
    WaitingTask waiting;
    std::uint32_t next = kNone;
  };
  struct Level {
    std::uint32_t first = kNone, last = kNone, size = 0;
  };
  struct OfClient {
    std::array<Level, kLevels> levels;
    std::size_t size = 0;
    std::uint32_t weight = 1, turn = 0;
    std::int64_t seen = 0, mean_ns = 0;
  };
  static std::size_t level_of(std::uint64_t weight);
  std::size_t next_level(const OfClient& client) const;
  WaitingTask take_first(std::size_t place, std::size_t level);
  void link(Level& level, std::uint32_t slot);

  ClientTimes times_;
  std::vector<OfClient> clients_;            // by place
  IndexedHeap order_{ClientTimes::kPlaces};  // of places with searches, by their times
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNone;          // of slots_, a list
  std::size_t size_ = 0, running_ = 0;  // running_: taken, and not ended
};

}  // namespace frond::leaf::schedule
