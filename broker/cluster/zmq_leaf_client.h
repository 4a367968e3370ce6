#pragma once
// LeafClient over ZeroMQ's protocol: one connection per leaf on the broker's Asio loop, one frame per message
// (common/wire).
//
// When the connection is lost, all open requests fail at once, so that another replica can be asked inside the same
// deadline; the client connects again in the background for as long as it lives, looking the leaf's name up again
// (leaf_dns.h). Replies are matched to requests by id; late and unknown replies are dropped. A reply that cannot be
// read fails its request as kCorrupt, or all open requests if its id cannot be read either. The leaf is told to stop
// requests that are cancelled or whose deadline has passed. With CURVE keys everything is encrypted, and only a leaf
// with the secret key of the given public key is talked to. The message of kUnavailable says why there is no
// connection.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "broker/cluster/leaf_client.h"
#include "broker/cluster/leaf_socket.h"
#include "broker/cluster/timer_queue.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/wire/curve_keys.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

// The requests that each leaf has not answered yet, of all threads of the broker: each thread has a client of its own
// for a leaf, and their limit and the choice of replicas are about all of them. Thread-safe.
struct LeafLoad {
  std::atomic<std::size_t> searches_and_fetches{0}, hellos{0};
  std::size_t all() const { return searches_and_fetches + hellos; }
};

class LeafLoads {
 public:
  // The one object for all clients of an endpoint (common/net/local_address.h).
  std::shared_ptr<LeafLoad> of(const std::string& endpoint) {
    const MutexLock lock(mutex_);
    std::erase_if(loads_, [](const auto& load) { return load.second.expired(); });
    auto& known = loads_[endpoint];
    auto load = known.lock();
    if (!load) known = load = std::make_shared<LeafLoad>();
    return load;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<LeafLoad>> loads_ FROND_GUARDED_BY(mutex_);
};

// Makes clients, for one thread of the broker. Outlives the clients.
class ZmqLeafClients {
 public:
  struct Curve {
    wire::CurveKeyPair keys;    // of this broker
    wire::CurvePublicKey leaf;  // of all leaves
  };
  struct Config {
    // Searches and fetches per leaf, of all ZmqLeafClients with the same `loads`, and as many hellos of each; more fail
    // as kOverloaded.
    std::size_t max_in_flight = 2048;
    std::shared_ptr<LeafLoads> loads = {};  // null: one of its own
    std::optional<Curve> curve;             // none: no encryption
    // Makes the connection to an endpoint; empty: a LeafSocket.
    std::function<std::unique_ptr<LeafConnection>(const std::string& endpoint)> connect = {};
  };
  ZmqLeafClients(boost::asio::io_context& io, TimerQueue& timers, Logger& log, Config config);
  ~ZmqLeafClients();
  ZmqLeafClients(const ZmqLeafClients&) = delete;
  ZmqLeafClients& operator=(const ZmqLeafClients&) = delete;

  // Begins to connect to an endpoint (common/net/local_address.h) in the background. `news` may be empty. kInvalid: not
  // an address.
  Result<std::unique_ptr<LeafClient>> create(const std::string& endpoint, News news = {});
  // Closes all clients: fails their open requests as kUnavailable from inside this call, and all later ones.
  void close();
  // Whether a leaf's name is being looked up. The thread that does it may take long to end.
  bool looking_up() const;
  // Failed handshakes with all leaves since start.
  const HandshakeFailures& handshake_failures() const;
  // Requests that leaves were told to stop, since start.
  std::uint64_t cancels_sent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond::broker::cluster
