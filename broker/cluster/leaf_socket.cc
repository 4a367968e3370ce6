#include "broker/cluster/leaf_socket.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "common/wire/limits.h"
#include "common/wire/router_socket.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;

namespace {
// The interval of attempts after a handshake that the leaf refused. ZeroMQ's own attempts are at most as far apart.
constexpr std::chrono::milliseconds kConnectAgain{1000};
// Hellos in a row without a reply, after which the connection is made anew: a leaf ignores the requests of a key that
// was removed from its list, and only a new handshake tells the broker so.
constexpr unsigned kMaxSilentHellos = 3;
}  // namespace

LeafSocket::LeafSocket(Shared& shared, std::string endpoint, bool curve)
    : io_(shared.io),
      timers_(shared.timers),
      log_(shared.log),
      endpoint_(std::move(endpoint)),
      address_(shared.io, endpoint_),
      socket_(shared.context, zmq::socket_type::dealer),
      monitor_(shared.context, socket_, ++shared.sockets, curve, shared.failures),
      readable_(shared.io) {}

void LeafSocket::open(std::weak_ptr<Receiver> receiver, std::size_t max_frames, const std::optional<Keys>& curve) {
  receiver_ = std::move(receiver);
  if (curve) {
    socket_.set(zmq::sockopt::curve_serverkey, curve->leaf.z85);
    socket_.set(zmq::sockopt::curve_publickey, curve->broker.public_key.z85);
    socket_.set(zmq::sockopt::curve_secretkey, curve->broker.secret_z85);
  }
  socket_.set(zmq::sockopt::linger, 0);
  socket_.set(zmq::sockopt::immediate, 1);  // nothing is queued for a peer that is not connected
  socket_.set(zmq::sockopt::heartbeat_ivl, static_cast<int>(wire::kHeartbeatInterval.count()));
  socket_.set(zmq::sockopt::heartbeat_timeout, static_cast<int>(wire::kHeartbeatTimeout.count()));
  // A host that is down drops the first packet, and the system repeats it more and more rarely, up to a minute apart.
  socket_.set(zmq::sockopt::connect_timeout, 2000);
  socket_.set(zmq::sockopt::reconnect_ivl, 100);
  socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
  socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessageBytes));
  socket_.set(zmq::sockopt::sndhwm, static_cast<int>(max_frames));
  socket_.set(zmq::sockopt::rcvhwm, static_cast<int>(max_frames));
  socket_.set(zmq::sockopt::ipv6, true);
  if (!address_.current().empty()) socket_.connect(address_.current());
  readable_.assign(socket_.get(zmq::sockopt::fd));
  wait();
  pump_soon();
  look_up();
}

void LeafSocket::close() {
  if (std::exchange(closed_, true)) return;
  detach();
  monitor_.close();
  socket_.close();
}

void LeafSocket::detach() {
  if (readable_.is_open()) readable_.release();  // the descriptor is ZeroMQ's: never close it
}

bool LeafSocket::send(const ByteBuffer& frame) {
  try {
    if (!socket_.send(zmq::const_buffer(frame.data(), frame.size()), zmq::send_flags::dontwait).has_value())
      return false;
  } catch (const zmq::error_t& error) {
    log_.warn("cannot send to leaf", {{"leaf", endpoint_}, {"error", error.what()}});
    return false;
  }
  pump_soon();  // the descriptor is edge-triggered: sending may have consumed the edge of a reply
  return true;
}

void LeafSocket::look_after() {
  monitor_.take();
  const Instant now = timers_.clock().now();
  if (!connected()) look_up();
  if ((!monitor_.gave_up() && silent_hellos_ < kMaxSilentHellos) || now < connect_again_) return;
  connect_again(address_.current());
}

// Leaves `before`, if the socket was connected anywhere, for the leaf's present address.
void LeafSocket::connect_again(const std::string& before) {
  if (closed_) return;
  connect_again_ = timers_.clock().now() + kConnectAgain;
  silent_hellos_ = 0;
  monitor_.connecting();
  try {
    if (!before.empty()) socket_.disconnect(before);
  } catch (const zmq::error_t&) {  // ZeroMQ has dropped the endpoint along with the connection
  }
  try {
    if (!address_.current().empty()) socket_.connect(address_.current());
  } catch (const zmq::error_t& error) {
    log_.warn("cannot connect to leaf", {{"leaf", endpoint_}, {"error", error.what()}});
  }
  pump_soon();
}

// For a leaf given by name: its address may have changed.
void LeafSocket::look_up() {
  address_.look_up(timers_.clock().now(), [this, held = receiver_](const std::string& before) {
    if (const auto alive = held.lock()) connect_again(before);
  });
}

std::string LeafSocket::why_not_connected() const {
  if (!address_.why_none().empty()) return "not connected: " + address_.why_none();
  return monitor_.why().empty() ? "not connected" : "not connected: " + monitor_.why();
}

void LeafSocket::wait() {
  readable_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this, alive = receiver_.lock()](const boost::system::error_code& ec) {
                         if (ec || closed_) return;
                         pump();
                         wait();
                       });
}

void LeafSocket::pump_soon() {
  if (std::exchange(pump_posted_, true)) return;
  asio::post(io_, [this, alive = receiver_.lock()] {
    pump_posted_ = false;
    if (!closed_) pump();
  });
}

// Receives every frame that is there, then checks whether the peer is still connected.
void LeafSocket::pump() {
  const auto receiver = receiver_.lock();
  if (!receiver) return;
  try {
    for (;;) {
      zmq::message_t message;
      if (!socket_.recv(message, zmq::recv_flags::dontwait)) {
        // Asked once, not for each frame, because it takes two system calls. It lets ZeroMQ process what happened, so
        // there may be frames again.
        const int events = socket_.get(zmq::sockopt::events);
        if ((events & ZMQ_POLLIN) != 0) continue;
        // There is one peer, and room for more frames: "cannot send" means that the connection is lost.
        if ((events & ZMQ_POLLOUT) == 0) receiver->on_lost();
        return;
      }
      bool more = message.more();
      for (zmq::message_t part; more; more = part.more())
        if (!socket_.recv(part, zmq::recv_flags::dontwait)) break;
      silent_hellos_ = 0;
      receiver->on_frame({static_cast<const std::byte*>(message.data()), message.size()});
      if (closed_) return;
    }
  } catch (const zmq::error_t& error) {
    log_.warn("cannot receive from leaf", {{"leaf", endpoint_}, {"error", error.what()}});
  }
}

}  // namespace frond::broker::cluster
