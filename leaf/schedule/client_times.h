#pragma once
// Virtual times of clients, by which they share a processor (start-time fair queueing, Goyal et al. 1996): what begins
// earliest in virtual time is next, and moves its client's time on by what it takes, divided by the client's weight.
//
// A client that asks after a while begins at the present: before those that have had more, but with nothing saved from
// the time in which it asked for nothing. A client alone has all.
//
// Where what work takes is told afterwards, too much may be charged first and be given back: the present does not go
// back with it. A client alone whose work becomes light may so run before newcomers, for about what one of its earlier
// ones took.
//
// Clients are hashed to kPlaces. Two that fall together share as one client. Because of the secret nobody can choose
// that two different ids do, but equal ids do everywhere. Not thread-safe.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace frond::leaf::schedule {

// Who asks.
struct Client {
  std::uint32_t id = 0;      // 0: not told
  std::uint32_t weight = 1;  // its share beside others; at least 1
};

class ClientTimes {
 public:
  static constexpr std::size_t kPlaces = 256;
  static constexpr std::uint32_t kUsualSecret = 0x9e3779b9;  // for tests

  explicit ClientTimes(std::uint32_t secret) : factor_(secret | 1) {}

  std::size_t place_of(const Client& client) const { return (client.id * factor_) >> 24; }
  // When work that comes now begins, of a client of which nothing waits, or behind what waits.
  std::int64_t arrive(std::size_t place) { return times_[place] = std::max(now_, times_[place]); }
  // Work of a client takes so long, or less than was added before: what is behind it begins then, which is returned.
  std::int64_t add(std::size_t place, std::int64_t cost, std::uint32_t weight) {
    times_[place] += cost / static_cast<std::int64_t>(weight);
    latest_ = std::max(latest_, times_[place]);
    return times_[place];
  }
  // Work that was to begin then begins.
  void take(std::int64_t begin) { now_ = std::max(now_, begin); }
  // Nothing waits: what clients had before counts no more.
  void forget() { now_ = latest_; }

 private:
  const std::uint32_t factor_;
  std::int64_t now_ = 0, latest_ = 0;
  std::array<std::int64_t, kPlaces> times_{};
};

}  // namespace frond::leaf::schedule
