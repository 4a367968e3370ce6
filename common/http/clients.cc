#include "common/http/clients.h"

#include <algorithm>

#include "common/net/client_address.h"

namespace frond::http {

Clients::Entry& Clients::enter(const boost::asio::ip::address& address) {
  Entry& entry = use(net::client_address(address));
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
