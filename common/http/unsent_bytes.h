#pragma once
// Bytes of answers that their clients have not taken yet, counted for one connection and for the whole server: what
// bounds the memory that clients who ask and never read can hold. Internal to this folder. One thread.
#include <cstddef>
#include <utility>

namespace frond::http {

// A share of the two counts; given back when it ends. The counts outlive it.
class UnsentBytes {
 public:
  UnsentBytes() = default;
  UnsentBytes(std::size_t& of_server, std::size_t& of_connection, std::size_t bytes)
      : of_server_(&of_server), of_connection_(&of_connection), bytes_(bytes) {
    of_server += bytes;
    of_connection += bytes;
  }
  ~UnsentBytes() {
    if (of_server_ == nullptr) return;
    *of_server_ -= bytes_;
    *of_connection_ -= bytes_;
  }
  UnsentBytes(UnsentBytes&& other) noexcept { swap(other); }
  UnsentBytes& operator=(UnsentBytes&& other) noexcept {
    UnsentBytes taken(std::move(other));
    swap(taken);
    return *this;
  }

 private:
  void swap(UnsentBytes& other) noexcept {
    std::swap(of_server_, other.of_server_);
    std::swap(of_connection_, other.of_connection_);
    std::swap(bytes_, other.bytes_);
  }
  std::size_t* of_server_ = nullptr;
  std::size_t* of_connection_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace frond::http
