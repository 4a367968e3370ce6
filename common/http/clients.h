#pragma once
// The clients that are connected, by address, and what is held for each; clients with keys, by these. Of an IPv6
// address only the first 64 bits count, since a client chooses the rest itself. Internal to this folder. Thread-safe.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "common/base/mutex.h"
#include "common/http/access.h"
#include "common/http/address_hash.h"
#include "common/http/age_list.h"

namespace frond::http {

struct ClientState {
  explicit ClientState(std::size_t servers) : waiting(std::make_unique<AgeList[]>(servers)) {}

  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> body_bytes{0};    // of requests that are received, or not answered yet
  std::atomic<std::size_t> unsent_bytes{0};  // of answers that it has not taken
  // Under RequestRoom's mutex: requests that wait for room, the bytes that they hold, and in which look none got any.
  std::size_t waiting_bodies = 0, waiting_bytes = 0;
  std::uint64_t passed_over = 0;
  std::size_t users = 0;  // connections, and requests that are counted; under Clients' mutex
  // Its connections that wait for it to send something: a list for each server, which only that server's thread uses.
  const std::unique_ptr<AgeList[]> waiting;
};

class Clients {
 public:
  using Key = ClientAddress;
  using Entry = std::pair<const Key, ClientState>;

  // `servers`: how many share the clients.
  explicit Clients(std::size_t servers = 1) : servers_(servers) {}

  // Counts a connection. The entry is valid until all that use it have left.
  Entry& enter(const boost::asio::ip::address& address);
  // To be called once nothing is held for the connection any more.
  void leave(Entry& entry);
  // The same of what is not a connection, for a client with a key or without.
  Entry& use(const ClientId& client);
  void end_use(Entry& entry);
  std::size_t size() const;
  // Connections of the address that has the most. Takes time in proportion to the number of addresses.
  std::size_t most_connections() const;

 private:
  const std::size_t servers_;
  mutable Mutex mutex_;
  std::unordered_map<Key, ClientState, AddressHash> clients_
      FROND_GUARDED_BY(mutex_);  // at most one for each connection
};

}  // namespace frond::http
