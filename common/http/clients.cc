#include "common/http/clients.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace frond::http {

Clients::Key Clients::key_of(const boost::asio::ip::address& address) {
  Key key{};
  if (address.is_v4() || address.to_v6().is_v4_mapped()) {
    const auto v4 = address.is_v4() ? address.to_v4()
                                    : boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
    const auto bytes = v4.to_bytes();
    key[10] = key[11] = 0xff;  // as IPv6 writes it
    std::copy(bytes.begin(), bytes.end(), key.begin() + 12);
    return key;
  }
  const auto bytes = address.to_v6().to_bytes();
  std::copy_n(bytes.begin(), 8, key.begin());
  return key;
}

std::size_t Clients::Hash::operator()(const Key& key) const {
  // Keyed, so that nobody can choose addresses that fall together.
  static const std::uint64_t kSecret = (std::uint64_t{std::random_device()()} << 32) | std::random_device()() | 1;
  std::uint64_t high = 0, low = 0;
  std::memcpy(&high, key.data(), 8);
  std::memcpy(&low, key.data() + 8, 8);
  std::uint64_t hash = (high ^ kSecret) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ low) * kSecret;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

Clients::Entry& Clients::enter(const boost::asio::ip::address& address) {
  const Key key = key_of(address);
  const MutexLock lock(mutex_);
  Entry& entry = *clients_.try_emplace(key, servers_).first;
  ++entry.second.connections;
  return entry;
}

void Clients::leave(Entry& entry) {
  const MutexLock lock(mutex_);
  if (--entry.second.connections == 0) clients_.erase(clients_.find(entry.first));
}

std::size_t Clients::size() const {
  const MutexLock lock(mutex_);
  return clients_.size();
}

std::size_t Clients::most_connections() const {
  const MutexLock lock(mutex_);
  std::size_t most = 0;
  for (const auto& [key, client] : clients_) most = std::max(most, client.connections.load());
  return most;
}

}  // namespace frond::http
