#include "common/http/address_hash.h"

#include <cstdint>
#include <cstring>
#include <random>

namespace frond::http {

std::size_t AddressHash::operator()(const ClientAddress& address) const {
  static const std::uint64_t kSecret = (std::uint64_t{std::random_device()()} << 32) | std::random_device()() | 1;
  std::uint64_t high = 0, low = 0;
  std::memcpy(&high, address.data(), 8);
  std::memcpy(&low, address.data() + 8, 8);
  std::uint64_t hash = (high ^ kSecret) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ low) * kSecret;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

}  // namespace frond::http
