#pragma once
// The clients that are connected, by address, and what is held for each. Of an IPv6 address only the first 64 bits
// count, since a client chooses the rest itself. Internal to this folder. One thread.
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "common/http/age_list.h"

namespace frond::http {

struct ClientState {
  std::size_t connections = 0;
  std::size_t body_bytes = 0;    // of requests that are being received
  std::size_t unsent_bytes = 0;  // of answers that it has not taken
  AgeList waiting;               // its connections that wait for it to send something
};

class Clients {
 public:
  using Key = std::array<std::uint8_t, 16>;
  static Key key_of(const boost::asio::ip::address& address);

  using Entry = std::pair<const Key, ClientState>;

  // Counts a connection. The entry is valid until each connection that entered has left.
  Entry& enter(const boost::asio::ip::address& address) {
    Entry& entry = *clients_.try_emplace(key_of(address)).first;
    ++entry.second.connections;
    return entry;
  }
  // To be called once nothing is held for the connection any more.
  void leave(Entry& entry) {
    if (--entry.second.connections == 0) clients_.erase(clients_.find(entry.first));
  }
  std::size_t size() const { return clients_.size(); }
  // Connections of the address that has the most. Takes time in proportion to the number of addresses.
  std::size_t most_connections() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, ClientState, Hash> clients_;  // at most one for each connection
};

}  // namespace frond::http
