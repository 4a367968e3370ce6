#pragma once
// The leaf's socket for brokers: it speaks ZMTP 3, ZeroMQ's protocol, as a ROUTER socket (common/zmtp). Any number of
// brokers connect as DEALER; each request and each reply is one frame, and replies come in any order. Its threads only
// move frames: they hand each request to the receiver and send the replies that workers pass to send().
//
// No peer can end the socket's process, keep others from it or make it use unbounded memory, whatever it sends:
// connections are limited in total and by address (peer_limits.h), each has time limits (common/zmtp/connection.h), and
// what all of them hold is limited in bytes. A reply to a peer that has disconnected or does not read is dropped and
// counted; the broker's deadline covers it (docs/adr/0061-own-zmtp.md).
//
// With CURVE all traffic is encrypted, and only peers whose public key is in a list may connect
// (docs/adr/0008-keys-between-broker-and-leaf.md). Another thread reads the list again every second; requests of a peer
// whose key was removed are ignored. Without CURVE any peer may connect, in plain text.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/liveness.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/wire/curve_keys.h"
#include "common/wire/messages.h"

namespace frond::wire {

// Connections to a leaf's socket since start, by what became of them. Any thread.
enum class PeerOutcome {
  kReady,        // the handshake is done
  kClosed,       // the peer closed it, or the network broke
  kFull,         // refused: --max-peers
  kAddress,      // refused: --max-peers-by-address
  kDescriptors,  // not taken yet: too many files are open; each try counts
  kGaveWay,      // closed for a new one, at one of these limits
  kHandshake,    // closed: no valid handshake, or none in time
  kProtocol,     // closed: what the peer sent after its handshake is no ZMTP, or too large
  kUnused,       // closed: no valid request for some time after the handshake
  kSilent,       // closed: no heartbeats
  kStalled,      // closed: the peer did not read its replies
  kMemory,       // closed: all peers together held too much memory, and this one a large part
};
inline constexpr std::array<std::string_view, 12> kPeerOutcomes = {"ready",       "closed",   "full",      "address",
                                                                   "descriptors", "gave_way", "handshake", "protocol",
                                                                   "unused",      "silent",   "stalled",   "memory"};

class PeerCounts {
 public:
  void add(PeerOutcome outcome) { counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t of(PeerOutcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kPeerOutcomes.size()> counts_{};
};

// The interval of heartbeats, in both directions; a peer that is silent for the timeout after one is disconnected.
inline constexpr std::chrono::milliseconds kHeartbeatInterval{1000};
inline constexpr std::chrono::milliseconds kHeartbeatTimeout{3000};
// Of memory for incomplete requests and replies not taken. One peer may have a reply of any size, behind others.
inline constexpr std::size_t kMaxHeldBytes = 128u << 20;

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
    // "tcp://host:port"; "*" is any address, port 0 picks one. Or "ipc:///path": its file is made, in place of one that
    // a process left behind, and removed at the end. All its peers count as one address, 127.0.0.1.
    std::string listen;
    std::size_t max_request_bytes = kMaxRequestBytes;  // a peer that sends more is disconnected
    unsigned io_threads = 1;                           // 1 .. 16; each serves some of the peers
    std::size_t max_peers = 4096;                      // connections; at least 1
    std::size_t max_peers_by_address = 1024;
    std::chrono::milliseconds handshake_timeout{5000};
    std::chrono::milliseconds unused_timeout{10'000};  // until a connection's first valid request
    std::size_t max_held_bytes = kMaxHeldBytes;        // of all peers, on all threads
    std::size_t max_pending_replies = 65'536;          // that workers have passed to send(), a thread
    std::size_t max_pending_bytes = 256u << 20;
    std::optional<Curve> curve;  // none: no encryption, any peer may connect
    Logger* log = nullptr;       // refused peers, at most a line of each kind in 10 s; null: no log
  };
  // Called on the socket's threads for every request: one call at a time for a peer, several for all of them. Must not
  // block, must not throw. What it sends to the peer meanwhile wakes no thread. `request` is valid during the call and
  // may be unaligned.
  using Receiver = std::function<void(Peer peer, ByteView request)>;

  // Called on the socket's threads when a peer has gone, after its last request; several calls at a time. Must not
  // block, must not throw. Not called for those that stop() disconnects.
  using Gone = std::function<void(const Peer& peer)>;

  // Binds the socket. Errors: kInvalid, not an address; kUnavailable, the address is in use.
  static Result<std::unique_ptr<RouterSocket>> create(Config config);
  virtual ~RouterSocket() = default;

  virtual std::uint16_t port() const = 0;  // 0: of no network
  // Starts the threads. Call it once.
  virtual void start(Receiver receiver, Gone gone = nullptr) = 0;
  // Queues a reply. Any thread, never blocks. False: dropped, because the queue is full or the socket has stopped.
  virtual bool send(const Peer& peer, ByteBuffer reply) = 0;
  // Sends the queued replies, ends the threads, and waits at most `linger` until the network has taken them.
  virtual void stop(std::chrono::milliseconds linger) = 0;
  // Replies dropped since start. Any thread.
  virtual std::uint64_t dropped() const = 0;
  // All 0 without CURVE. Any thread.
  virtual CurveCounters curve() const = 0;
  // Connections: now, and since start by what became of them. Any thread.
  virtual std::size_t peers() const = 0;
  virtual const PeerCounts& peer_counts() const = 0;
  // When each of the socket's loops last turned: the socket's threads (the one that turned first) and, with CURVE, the
  // gate's. Each turns at least once a second from start() to stop(). Any thread.
  virtual std::vector<Loop> loops() const = 0;
};

}  // namespace frond::wire
