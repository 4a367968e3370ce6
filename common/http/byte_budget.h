#pragma once
// A limit on the bytes that a server holds for its clients, shared so that a client holds no more than is left for all
// others: one alone gets half of the budget, two get a third each, and there is always room for a client that holds
// little. Internal to this folder. One thread.
#include <cstddef>
#include <cstdint>
#include <utility>

namespace frond::http {

class ByteBudget {
 public:
  static constexpr std::size_t kSmall = 64 << 10;  // a client may hold this much while there is room at all

  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_; }
  std::uint64_t refusals() const { return refusals_; }

  // Whether a client that holds `held` bytes may hold `more`. Counts what it refuses.
  bool admits(std::size_t held, std::size_t more) {
    const std::size_t then = held + more, all = used_ + more;
    const bool admitted = all <= limit_ && (then <= kSmall || then <= limit_ - all);
    refusals_ += admitted ? 0 : 1;
    return admitted;
  }

 private:
  friend class HeldBytes;
  std::size_t limit_, used_ = 0;
  std::uint64_t refusals_ = 0;
};

// Bytes counted in a budget and for a client; given back when destroyed. Both must outlive it.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(ByteBudget& budget, std::size_t& of_client, std::size_t bytes) : budget_(&budget), of_client_(&of_client) {
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
    budget_->used_ += more;
    *of_client_ += more;
  }

 private:
  void swap(HeldBytes& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(of_client_, other.of_client_);
    std::swap(bytes_, other.bytes_);
  }
  ByteBudget* budget_ = nullptr;
  std::size_t* of_client_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace frond::http
