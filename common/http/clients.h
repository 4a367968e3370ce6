#pragma once
// Who is connected, by address, and what each address holds. An address is all of an IPv4 address, and the first 64
// bits of an IPv6 address: the rest is the client's own choice. Internal to this folder. One thread.
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
  std::size_t body_bytes = 0;    // of requests that are on their way in
  std::size_t unsent_bytes = 0;  // of answers that it has not taken
  AgeList waiting;               // its connections that wait for it to say something
};

class Clients {
 public:
  using Key = std::array<std::uint8_t, 16>;
  static Key key_of(const boost::asio::ip::address& address);

  using Entry = std::pair<const Key, ClientState>;

  // Counts a connection. Valid until as many have left.
  Entry& enter(const boost::asio::ip::address& address) {
    Entry& entry = *clients_.try_emplace(key_of(address)).first;
    ++entry.second.connections;
    return entry;
  }
  // Nothing of the connection is held any more.
  void leave(Entry& entry) {
    if (--entry.second.connections == 0) clients_.erase(clients_.find(entry.first));
  }
  std::size_t size() const { return clients_.size(); }
  // Of the address that has most. Looks at all.
  std::size_t most_connections() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, ClientState, Hash> clients_;  // no more than connections
};

}  // namespace frond::http
