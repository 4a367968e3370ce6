#pragma once
// SHA-256, its HMAC, a comparison that takes the same time whatever differs, and random bytes; by OpenSSL. Any thread.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/result.h"

namespace frond::tls {

using Sha256 = std::array<std::uint8_t, 32>;

// Allocates; throws std::bad_alloc.
Sha256 sha256(std::string_view text);

Sha256 hmac_sha256(std::string_view key, std::string_view text);

// Takes the same time for all pairs.
bool equal_in_constant_time(const Sha256& one, const Sha256& other);

// Fills `to` with bytes that nobody can predict. kUnavailable: the system has none.
Result<void> fill_random(std::span<std::uint8_t> to);

}  // namespace frond::tls
