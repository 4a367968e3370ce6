#pragma once
// The leaf's socket for brokers: one ZeroMQ ROUTER socket and the thread that owns it. Any number of brokers connect
// with DEALER sockets; each request and each reply is one frame, and replies come in any order. The thread only moves
// frames: it hands each request to the receiver and sends the replies that workers pass to send(). ZeroMQ's own threads
// read and write the connections, and encrypt.
//
// Memory is bounded: requests wait in ZeroMQ up to its high-water mark, replies in a queue limited in number and bytes.
// A reply to a peer that has disconnected or does not read is dropped and counted; the broker's deadline covers it.
//
// With CURVE all traffic is encrypted, and only peers whose public key is in a list may connect
// (docs/adr/0008-keys-between-broker-and-leaf.md). A second thread checks the keys and reads the list again every
// second; requests of a peer whose key was removed are ignored. Without CURVE any peer may connect, in plain text.
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

// The interval of ZeroMQ's heartbeats, in both directions; a peer that is silent for the timeout is disconnected.
inline constexpr std::chrono::milliseconds kHeartbeatInterval{1000};
inline constexpr std::chrono::milliseconds kHeartbeatTimeout{3000};

// Identifies a connected broker: opaque bytes, valid while it stays connected.
using Peer = std::string;

// Handshakes since start, by outcome, and ignored requests.
struct CurveCounters {
  std::uint64_t accepted = 0;  // the peer's key is in the list
  std::uint64_t refused = 0;   // the peer's key is not in the list
  std::uint64_t failed = 0;    // ended before the key was checked: the peer uses no CURVE, or another leaf's public key
  std::uint64_t revoked = 0;   // requests ignored because the peer's key was removed from the list after it connected
};

class RouterSocket {
 public:
  struct Curve {
    CurveKeyPair keys;      // the leaf's
    CurveClients* clients;  // the keys that may connect; used by the socket's threads until stop() returns
  };
  struct Config {
    std::string listen;                                // "tcp://host:port"; "*" is any address, port 0 picks one
    std::size_t max_request_bytes = kMaxRequestBytes;  // a peer that sends more is disconnected
    int high_water_mark = 4096;                        // messages a peer, each way
    unsigned io_threads = 1;                           // of ZeroMQ, 1 .. 16; each serves some of the peers
    std::size_t max_pending_replies = 65'536;
    std::size_t max_pending_bytes = 256u << 20;
    std::optional<Curve> curve;  // none: no encryption, any peer may connect
    Logger* log = nullptr;       // peers that CURVE refused, at most a line of each kind in 10 s; null: no log
  };
  // Called on the socket's thread for every request; must not block, must not throw. `request` is valid during the
  // call and may be unaligned.
  using Receiver = std::function<void(Peer peer, ByteView request)>;

  // Binds the socket. Errors: kInvalid, not an address; kUnavailable, the address is in use, or libzmq has no CURVE.
  static Result<std::unique_ptr<RouterSocket>> create(Config config);
  virtual ~RouterSocket() = default;

  virtual std::uint16_t port() const = 0;
  // Starts the thread. Call it once.
  virtual void start(Receiver receiver) = 0;
  // Queues a reply. Any thread, never blocks. False: dropped, because the queue is full or the socket has stopped.
  virtual bool send(const Peer& peer, ByteBuffer reply) = 0;
  // Sends the queued replies, ends the thread, and waits at most `linger` until the network has taken them.
  virtual void stop(std::chrono::milliseconds linger) = 0;
  // Replies dropped since start. Any thread.
  virtual std::uint64_t dropped() const = 0;
  // All 0 without CURVE. Any thread.
  virtual CurveCounters curve() const = 0;
  // When each of the socket's loops last turned: ZeroMQ's own (the one that turned first), the socket's thread and,
  // with CURVE, the gate's. Each turns at least once a second from start() to stop(). Any thread.
  virtual std::vector<Loop> loops() const = 0;
};

}  // namespace frond::wire
