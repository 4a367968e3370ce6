#pragma once
// SHA-256, its HMAC, a comparison that takes the same time whatever differs, and random bytes; by OpenSSL. Any thread.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::tls {

using Sha256 = std::array<std::uint8_t, 32>;

// Allocates; throws std::bad_alloc.
Sha256 sha256(std::string_view text);

std::string hex_of(const Sha256& digest);  // 64 digits

// The same of bytes that come in pieces. One thread; throws std::bad_alloc.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;
  void update(ByteView bytes);
  Sha256 finish();  // once, last

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

Sha256 hmac_sha256(std::string_view key, std::string_view text);

// Takes the same time for all pairs.
bool equal_in_constant_time(const Sha256& one, const Sha256& other);

// Fills `to` with bytes that nobody can predict. kUnavailable: the system has none.
Result<void> fill_random(std::span<std::uint8_t> to);

}  // namespace frond::tls
