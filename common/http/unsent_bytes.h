#pragma once
// Bytes of an answer that its client has not taken yet, counted for the connection, the client and the server. This
// bounds the memory held for clients that ask and never read. Internal to this folder. One thread.
#include <atomic>
#include <cstddef>
#include <utility>

#include "common/http/byte_budget.h"

namespace frond::http {

// Gives the bytes back when destroyed. The counters must outlive it.
class UnsentBytes {
 public:
  UnsentBytes() = default;
  UnsentBytes(ByteBudget& budget, std::atomic<std::size_t>& of_client, std::size_t& of_connection, std::size_t bytes)
      : held_(budget, of_client, bytes), of_connection_(&of_connection) {
    of_connection += bytes;
  }
  ~UnsentBytes() {
    if (of_connection_ != nullptr) *of_connection_ -= held_.bytes();
  }
  UnsentBytes(UnsentBytes&& other) noexcept { swap(other); }
  UnsentBytes& operator=(UnsentBytes&& other) noexcept {
    UnsentBytes taken(std::move(other));
    swap(taken);
    return *this;
  }

 private:
  void swap(UnsentBytes& other) noexcept {
    std::swap(held_, other.held_);
    std::swap(of_connection_, other.of_connection_);
  }
  HeldBytes held_;
  std::size_t* of_connection_ = nullptr;
};

}  // namespace frond::http
