#include "common/http/clients.h"

#include <algorithm>

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

Clients::Entry& Clients::enter(const boost::asio::ip::address& address) {
  Entry& entry = use(key_of(address));
  ++entry.second.connections;
  return entry;
}

void Clients::leave(Entry& entry) {
  --entry.second.connections;
  end_use(entry);
}

Clients::Entry& Clients::use(const ClientId& client) {
  const MutexLock lock(mutex_);
  Entry& entry = *clients_.try_emplace(client, servers_).first;
  ++entry.second.users;
  return entry;
}

void Clients::end_use(Entry& entry) {
  const MutexLock lock(mutex_);
  if (--entry.second.users == 0) clients_.erase(clients_.find(entry.first));
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
