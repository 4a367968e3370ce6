#include "broker/cluster/connection_monitor.h"

#include <zmq.hpp>

#include "common/base/bytes.h"

namespace frond::broker::cluster {

ConnectionMonitor::ConnectionMonitor(zmq::context_t& context, zmq::socket_t& socket, std::uint64_t number, bool curve,
                                     HandshakeFailures& failures)
    : curve_(curve),
      failures_(failures),
      watched_(socket.handle()),
      events_(std::make_unique<zmq::socket_t>(context, zmq::socket_type::pair)) {
  const std::string address = "inproc://frond-connection-" + std::to_string(number);
  constexpr int kWatched = ZMQ_EVENT_CLOSED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                           ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
  events_->set(zmq::sockopt::linger, 0);
  events_->set(zmq::sockopt::rcvhwm, 0);  // no limit: ZeroMQ's I/O thread blocks if the pipe is full
  if (zmq_socket_monitor(watched_, address.c_str(), kWatched) != 0) throw zmq::error_t();
  try {
    events_->connect(address);
  } catch (const zmq::error_t&) {
    zmq_socket_monitor(watched_, nullptr, 0);
    throw;
  }
}

ConnectionMonitor::~ConnectionMonitor() { close(); }
void ConnectionMonitor::close() {
  if (!events_) return;
  zmq_socket_monitor(watched_, nullptr, 0);  // stops it
  events_.reset();
}

// An event is two frames: its kind (16 bits) and value (32 bits), and the address.
void ConnectionMonitor::take() {
  zmq::message_t event, address;
  while (events_ && events_->recv(event, zmq::recv_flags::dontwait)) {
    const ByteView bytes(static_cast<const std::byte*>(event.data()), event.size());
    if (event.more() && !events_->recv(address, zmq::recv_flags::dontwait)) return;
    if (bytes.size() != sizeof(std::uint16_t) + sizeof(std::uint32_t)) continue;
    happened(load_le<std::uint16_t>(bytes.data()), load_le<std::uint32_t>(bytes.data() + sizeof(std::uint16_t)));
  }
}

void ConnectionMonitor::happened(unsigned event, std::uint32_t value) {
  if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
    why_.clear();
    gave_up_ = false;
  } else if (event == ZMQ_EVENT_CLOSED) {
    why_ = "nothing answers at its address";
  } else if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
    ++failures_.key_refused;
    why_ = "the leaf does not let this broker's key in (its --curve-clients)";
    gave_up_ = true;
  } else if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL && value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
    ++failures_.mechanism;
    why_ = curve_ ? "the leaf does not use CURVE, this broker does" : "the leaf uses CURVE, this broker does not";
    gave_up_ = true;
  } else if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) {
    ++failures_.protocol;
    why_ = "the process at its address does not speak ZeroMQ as a leaf does";
    gave_up_ = true;
  } else if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) {
    ++failures_.closed;
    why_ = curve_
               ? "the leaf ended the handshake: --curve-leaf-key is not the leaf's key, or the leaf does not use CURVE"
               : "the leaf ended the handshake: perhaps the leaf uses CURVE, this broker does not";
  }
}

}  // namespace frond::broker::cluster
