#include "common/net/client_address.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace frond::net {
namespace asio_ip = boost::asio::ip;

ClientAddress client_address(const asio_ip::address& address) {
  const asio_ip::address_v6 wide =
      address.is_v4() ? asio_ip::make_address_v6(asio_ip::v4_mapped, address.to_v4()) : address.to_v6();
  ClientAddress client = wide.to_bytes();
  if (!wide.is_v4_mapped()) std::fill(client.begin() + 8, client.end(), 0);
  return client;
}

std::size_t AddressHash::operator()(const ClientAddress& address) const {
  static const std::uint64_t kSecret = (std::uint64_t{std::random_device()()} << 32) | std::random_device()() | 1;
  std::uint64_t high = 0, low = 0;
  std::memcpy(&high, address.data(), 8);
  std::memcpy(&low, address.data() + 8, 8);
  std::uint64_t hash = (high ^ kSecret) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ low) * kSecret;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

}  // namespace frond::net
