#pragma once
// A limit on the bytes that a server holds for its clients, shared so that a client holds no more than is left for all
// others: one alone gets half of the budget, two get a third each, and there is always room for a client that holds
// little. Internal to this folder. Thread-safe.
//
// Asking and holding are two steps: of threads that ask at the same time each may be admitted, so that the limit may be
// exceeded by what one request or answer of each further thread holds.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace frond::http {

class ByteBudget {
 public:
  static constexpr std::size_t kSmall = 64 << 10;  // a client may hold this much while there is room at all

  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

  // Whether a client that holds `held` bytes may hold `more`.
  bool has_room(std::size_t held, std::size_t more) const { return has_room_beside(used(), held, more); }
  // The same if `used` bytes were held in all.
  bool has_room_beside(std::size_t used, std::size_t held, std::size_t more) const {
    const std::size_t then = held + more, all = used + more;
    return all <= limit_ && (then <= kSmall || then <= limit_ - all);
  }
  void count_refusal() { refusals_.fetch_add(1, std::memory_order_relaxed); }
  // The same as has_room(). Counts what it refuses.
  bool admits(std::size_t held, std::size_t more) {
    const bool admitted = has_room(held, more);
    if (!admitted) count_refusal();
    return admitted;
  }

 private:
  friend class HeldBytes;
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refusals_{0};
};

// Bytes counted in a budget and for a client; given back when destroyed. Both must outlive it. One thread.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(ByteBudget& budget, std::atomic<std::size_t>& of_client, std::size_t bytes)
      : budget_(&budget), of_client_(&of_client) {
    grow(bytes);
  }
  ~HeldBytes() {
    if (budget_ != nullptr) grow(-bytes_);  // modulo 2^64
  }
  HeldBytes(HeldBytes&& other) noexcept { swap(other); }
  HeldBytes& operator=(HeldBytes&& other) noexcept {
    HeldBytes taken(std::move(other));
    swap(taken);
    return *this;
  }
  std::size_t bytes() const { return bytes_; }
  void grow(std::size_t more) {
    bytes_ += more;
    budget_->used_.fetch_add(more, std::memory_order_relaxed);
    of_client_->fetch_add(more, std::memory_order_relaxed);
  }

 private:
  void swap(HeldBytes& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(of_client_, other.of_client_);
    std::swap(bytes_, other.bytes_);
  }
  ByteBudget* budget_ = nullptr;
  std::atomic<std::size_t>* of_client_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace frond::http
