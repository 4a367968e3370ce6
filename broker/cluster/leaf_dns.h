#pragma once
// Keeps a ClusterMap's leaves equal to the addresses that a DNS name gives: a headless service's pods.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "broker/cluster/cluster_map.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

class LeafDns {
 public:
  // Looks `host` up now and then every `interval`. A failed look-up changes nothing and is logged when it begins to
  // fail; an address that cannot be used is tried again with the next.
  LeafDns(boost::asio::io_context& io, ClusterMap& map, Logger& log, std::string host, std::uint16_t port,
          std::chrono::milliseconds interval);
  ~LeafDns();
  bool looking_up() const;  // its thread may take long to end
  LeafDns(const LeafDns&) = delete;
  LeafDns& operator=(const LeafDns&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace frond::broker::cluster
