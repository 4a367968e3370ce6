#pragma once
// A LeafClient over ZeroMQ: one DEALER socket a leaf on the broker's Asio loop, one frame a message (common/wire).
//
// A lost connection fails what is pending at once, so that another replica can be asked inside the same deadline;
// it is made again in the background, for ever, where the leaf's name leads then (leaf_address.h). Requests are matched
// to replies by id; late and unknown replies are dropped. A reply that can't be read fails its request as kCorrupt; if
// not even its id can, all that is pending there. A leaf is told to stop work that was cancelled here, and work whose
// deadline has passed. With CURVE keys nothing is ever sent in the clear, and only to a leaf that has the key which
// belongs to the public one given here. Why there is no connection is part of a refusal's message.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/connection_monitor.h"
#include "broker/cluster/leaf_client.h"
#include "broker/cluster/timer_queue.h"
#include "common/base/liveness.h"
#include "common/base/log.h"
#include "common/wire/curve_keys.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

// The process's ZeroMQ context: one background thread. Outlives the clients that it made.
class ZmqLeafClients {
 public:
  struct Curve {
    wire::CurveKeyPair keys;    // this broker's
    wire::CurvePublicKey leaf;  // every leaf's
  };
  struct Config {
    // Searches and fetches a leaf; more are answered kOverloaded at once. Hellos may be as many again.
    std::size_t max_in_flight = 2048;
    std::optional<Curve> curve;  // none: in the clear
  };
  ZmqLeafClients(boost::asio::io_context& io, TimerQueue& timers, Logger& log, Config config);
  ~ZmqLeafClients();
  ZmqLeafClients(const ZmqLeafClients&) = delete;
  ZmqLeafClients& operator=(const ZmqLeafClients&) = delete;

  // Starts to connect to "tcp://host:port" in the background. `news` may be empty. kInvalid: not an address.
  Result<std::unique_ptr<LeafClient>> create(const std::string& endpoint, News news = {});
  // The end: answers everything pending with kUnavailable, from inside this call, and everything asked later too.
  void close();
  // Whether a leaf's name is being looked up: the thread that does it may take long to end.
  bool looking_up() const;
  // Of all leaves, since start.
  const HandshakeFailures& handshake_failures() const;
  // When ZeroMQ's thread last turned, as far as this call can tell. It is tried every second.
  std::vector<Loop> loops();
  std::uint64_t cancels_sent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond::broker::cluster
