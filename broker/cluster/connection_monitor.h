#pragma once
// Why a leaf is not reachable, from what ZeroMQ tells of its socket's connection attempts. Broker's thread only;
// nothing is called back: take() is asked often enough, as every hello does.
//
// ZeroMQ's one I/O thread writes what it tells into a pipe, and waits for ever where that pipe is full or has no reader
// any more: every connection of the process would hang. So the pipe has no limit but the rate of connection attempts
// (some 20 events a second of 200 bytes; the broker's loop reads them, or /livez tells that it does not turn), and
// the monitor is stopped before its reader goes.
//
// ZeroMQ connects again by itself after a lost connection, but not after a handshake that ended in a refusal or made no
// sense: then gave_up() is true until a handshake succeeds, and the socket's owner has to connect again.
#include <cstdint>
#include <memory>
#include <string>

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace frond::broker::cluster {

// Handshakes that failed, by what ended them.
struct HandshakeFailures {
  std::uint64_t key_refused = 0;  // the leaf does not let this broker's key in
  std::uint64_t mechanism = 0;    // one side uses CURVE, the other does not; if we noticed before the leaf did
  std::uint64_t closed = 0;       // the leaf broke it off: because of that, or its key is not the one that we know
  std::uint64_t protocol = 0;     // what came is no handshake
};

class ConnectionMonitor {
 public:
  // Watches `socket`, which outlives this or the call to close(), from now on; before it connects. `number` is unique
  // in the context. `failures` is counted up. Throws zmq::error_t.
  ConnectionMonitor(zmq::context_t& context, zmq::socket_t& socket, std::uint64_t number, bool curve,
                    HandshakeFailures& failures);
  ~ConnectionMonitor();
  ConnectionMonitor(const ConnectionMonitor&) = delete;
  ConnectionMonitor& operator=(const ConnectionMonitor&) = delete;

  // Takes what happened since the last call.
  void take();
  // Why the last attempt failed; empty when nothing is known, or it did not.
  const std::string& why() const { return why_; }
  bool gave_up() const { return gave_up_; }
  // The owner connects again.
  void connecting() { gave_up_ = false; }
  // Ends the watch. Before the socket is closed: it may still tell of a connect that was under way.
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
