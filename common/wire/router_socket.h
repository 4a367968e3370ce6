#pragma once
// The leaf's end of the wire: one ZeroMQ ROUTER socket and the thread that owns it. A broker's DEALER sends one frame a
// request and gets one frame a reply, in any order; any number of brokers connect. The thread only moves frames: it
// hands each request to the receiver, and sends what workers give to send().
//
// Nothing here grows with load: requests wait in ZeroMQ up to its high-water mark, replies in a queue bounded in number
// and bytes. A reply to a peer that is gone or does not read is dropped and counted; the peer's deadline deals with it.
//
// With CURVE the socket has a key pair, everything is encrypted, and only peers whose public key is in a list are let
// in (docs/adr/0008-keys-between-broker-and-leaf.md). A second thread decides that, and reads the list again every
// second; a connection whose key has left the list gets no answer any more. Without, anybody may connect, in the clear.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/liveness.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/wire/curve_clients.h"
#include "common/wire/curve_keys.h"
#include "common/wire/limits.h"

namespace frond::wire {

// How often both ends make sure that the other is there; a peer that was silent for the timeout is disconnected.
inline constexpr std::chrono::milliseconds kHeartbeatInterval{1000};
inline constexpr std::chrono::milliseconds kHeartbeatTimeout{3000};

// Names a connected broker: opaque bytes, valid while it stays connected.
using Peer = std::string;

// Handshakes since start, by what came of them, and requests that were not looked at.
struct CurveCounters {
  std::uint64_t accepted = 0;  // the peer's key is in the list
  std::uint64_t refused = 0;   // … is not
  std::uint64_t failed = 0;    // never came to the key: plain peers, and peers that know another leaf's key
  std::uint64_t revoked = 0;   // requests of connections whose key has left the list since
};

class RouterSocket {
 public:
  struct Curve {
    CurveKeyPair keys;      // the leaf's own
    CurveClients* clients;  // who may connect; read again by the socket, whose threads outlive no call to stop()
  };
  struct Config {
    std::string listen;                                // "tcp://host:port"; "*" is any address, port 0 picks one
    std::size_t max_request_bytes = kMaxRequestBytes;  // a peer that sends more is disconnected
    int high_water_mark = 4096;                        // messages a peer, each way
    std::size_t max_pending_replies = 65'536;
    std::size_t max_pending_bytes = 256u << 20;
    std::optional<Curve> curve;  // none: no encryption, anybody may connect
    Logger* log = nullptr;       // of whom CURVE kept out, a line in ten seconds at most; and what is not watched
  };
  // Called on the socket's thread for every request; must not block, must not throw. `request` is valid during the
  // call, at any alignment.
  using Receiver = std::function<void(Peer peer, ByteView request)>;

  // Binds. kInvalid: the address; kUnavailable: it is taken, or libzmq has no CURVE.
  static Result<std::unique_ptr<RouterSocket>> create(Config config);
  virtual ~RouterSocket() = default;

  virtual std::uint16_t port() const = 0;
  // Starts the thread; once.
  virtual void start(Receiver receiver) = 0;
  // Hands a reply over. Any thread, never blocks. False: dropped, the queue is full or the socket stopped.
  virtual bool send(const Peer& peer, ByteBuffer reply) = 0;
  // Sends what is queued, ends the thread, and waits at most `linger` for the network to take it.
  virtual void stop(std::chrono::milliseconds linger) = 0;
  // Replies that no peer took, since start.
  virtual std::uint64_t dropped() const = 0;
  // All 0 without CURVE. Any thread.
  virtual CurveCounters curve() const = 0;
  // When each loop behind this last turned: ZeroMQ's own, the socket's thread, with CURVE the gate's. They turn every
  // second at least, from start() to stop(). Any thread.
  virtual std::vector<Loop> loops() const = 0;
};

}  // namespace frond::wire
