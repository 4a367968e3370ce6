#pragma once
// Finds out why a leaf cannot be reached, from ZeroMQ's events about the socket's connection attempts. Its loop's
// thread only. There are no callbacks: the owner calls take() with every hello.
//
// ZeroMQ's one I/O thread writes the events into a pipe, and blocks for ever if the pipe is full or has no reader:
// every connection of the process would hang. So the pipe has no size limit (connection attempts make about 20 events
// of 200 bytes a second, and /livez fails if the broker's loop does not read them), and the monitor is stopped before
// its reader is closed.
//
// ZeroMQ connects again by itself after a lost connection, but not after a handshake that was refused or invalid: then
// gave_up() is true until a handshake succeeds, and the socket's owner has to connect again.
#include <cstdint>
#include <memory>
#include <string>

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace frond::broker::cluster {

// Failed handshakes since start, by cause.
struct HandshakeFailures {
  std::uint64_t key_refused = 0;  // the leaf refused this broker's key
  std::uint64_t mechanism = 0;    // only one side uses CURVE, and this side noticed it first
  std::uint64_t closed = 0;       // the leaf closed the connection: only one side uses CURVE, or its key is another one
  std::uint64_t protocol = 0;     // the peer did not send a ZeroMQ handshake
};

class ConnectionMonitor {
 public:
  // Watches `socket` from now on. Make the monitor before the socket connects, and destroy or close() it before the
  // socket. `number` is unique in the context. Failed handshakes are added to `failures`. Throws zmq::error_t.
  ConnectionMonitor(zmq::context_t& context, zmq::socket_t& socket, std::uint64_t number, bool curve,
                    HandshakeFailures& failures);
  ~ConnectionMonitor();
  ConnectionMonitor(const ConnectionMonitor&) = delete;
  ConnectionMonitor& operator=(const ConnectionMonitor&) = delete;

  // Reads the events since the last call.
  void take();
  // Why the last attempt failed; empty: it did not, or the reason is unknown.
  const std::string& why() const { return why_; }
  bool gave_up() const { return gave_up_; }
  // Call it when the owner connects again.
  void connecting() { gave_up_ = false; }
  // Stops watching. Call it before the socket is closed, which may still cause events.
  void close();

 private:
  void happened(unsigned event, std::uint32_t value);

  const bool curve_;
  HandshakeFailures& failures_;
  void* const watched_;  // libzmq's handle of the socket
  std::unique_ptr<zmq::socket_t> events_;
  std::string why_;
  bool gave_up_ = false;
};

}  // namespace frond::broker::cluster
