#include "broker/cluster/leaf_socket.h"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "common/net/address.h"
#include "common/wire/messages.h"
#include "common/wire/router_socket.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using zmtp::End;
using zmtp::Trouble;

namespace {
// Before an attempt: the first time, and then twice as long each time.
constexpr milliseconds kMinWait{100}, kMaxWait{1000};
// A host that is down drops the first packet, and the system repeats it more and more rarely, up to a minute apart.
constexpr milliseconds kConnectTimeout{2000};
constexpr milliseconds kTick{500};
// Hellos in a row without a reply, after which the connection is made anew: a leaf ignores the requests of a key that
// was removed from its list, and only a new handshake tells the broker so.
constexpr unsigned kMaxSilentHellos = 3;
constexpr milliseconds kBetweenAnew{1000};
constexpr std::size_t kMaxUnsentBytes = 32u << 20;

// Of an address without a name; nullopt: it has one, or is none.
std::optional<net::Endpoint> endpoint_of(const std::string& address) {
  if (net::is_local(address)) {
    const auto path = net::parse_local_address(address);
    return path ? std::optional(net::local_endpoint(*path)) : std::nullopt;
  }
  boost::system::error_code not_a_number;
  const auto at = net::parse_tcp_endpoint(address);
  const auto number = at ? asio::ip::make_address(at->host, not_a_number) : asio::ip::address();
  if (!at || not_a_number) return std::nullopt;
  return asio::ip::tcp::endpoint(number, at->port);
}
}  // namespace

LeafSocket::LeafSocket(Shared& shared, std::string endpoint, const std::optional<Keys>& curve)
    : shared_(shared), endpoint_(std::move(endpoint)), address_(shared.io, endpoint_), wait_(kMinWait) {
  if (curve) curve_.emplace(*curve);
}

void LeafSocket::open(std::weak_ptr<Receiver> receiver) {
  receiver_ = std::move(receiver);
  connect();
  look_up();
}

void LeafSocket::close() {
  if (std::exchange(closed_, true)) return;
  disconnect();
}

// Nothing that is under way calls back.
void LeafSocket::disconnect() {
  if (timer_) shared_.timers.cancel(*std::exchange(timer_, std::nullopt));
  boost::system::error_code ignored;
  if (const auto attempt = std::exchange(connecting_, nullptr)) attempt->close(ignored);
  if (const auto connection = std::exchange(connection_, nullptr)) connection->close();
}

void LeafSocket::set_timer(milliseconds wait, void (LeafSocket::*action)()) {
  if (timer_) shared_.timers.cancel(*timer_);
  timer_ = shared_.timers.after(wait, [this, action] {
    const auto alive = receiver_.lock();
    timer_.reset();
    if (alive && !closed_) (this->*action)();
  });
}

void LeafSocket::connect() {
  if (address_.current().empty()) return;  // look_up() connects once there is an address
  const auto at = endpoint_of(address_.current());
  if (!at) {
    why_ = "its address cannot be used";
    return;
  }
  set_timer(kConnectTimeout, &LeafSocket::connect_anew);
  connecting_ = std::make_shared<net::Socket>(shared_.io);
  connecting_->async_connect(*at,
                             [this, held = receiver_, attempt = connecting_](const boost::system::error_code& failed) {
                               const auto alive = held.lock();
                               if (!alive || closed_ || connecting_ != attempt) return;
                               connecting_.reset();
                               if (!failed) return connected(std::move(*attempt));
                               why_ = "nothing answers at its address";
                               connect_again_after(wait_);
                             });
}

// Asio goes on asking the system when a socket that has connected can be written. A new object for the same socket does
// not: each read would otherwise wake the loop once more for nothing.
void LeafSocket::connected(net::Socket attempt) {
  boost::system::error_code ec;
  const auto protocol = attempt.local_endpoint(ec).protocol();
  net::Socket socket(shared_.io);
  socket.assign(protocol, attempt.release(ec), ec);
  auto mechanism = curve_ ? zmtp::curve_dealer(wire::raw_keys(curve_->broker), wire::raw_key(curve_->leaf))
                          : zmtp::null_mechanism(zmtp::Role::kDealer);
  const zmtp::Connection::Limits limits{.max_message_bytes = wire::kMaxMessageBytes,
                                        .max_unsent_bytes = kMaxUnsentBytes,
                                        .heartbeat = wire::kHeartbeatInterval,
                                        .silence = wire::kHeartbeatInterval + wire::kHeartbeatTimeout};
  connection_ = std::make_shared<zmtp::Connection>(std::move(socket), std::move(mechanism), limits, *this,
                                                   shared_.connections, shared_.timers.clock().now());
  set_timer(kTick, &LeafSocket::tick);
  connection_->start();
}

void LeafSocket::tick() {
  set_timer(kTick, &LeafSocket::tick);
  if (const auto connection = connection_) connection->tick(shared_.timers.clock().now());
}

void LeafSocket::connect_again_after(milliseconds wait) {
  wait_ = std::min(2 * wait, kMaxWait);
  set_timer(wait, &LeafSocket::connect);
}

// Gives the present connection or attempt up for a new one, perhaps to another address. Never calls the receiver.
void LeafSocket::connect_anew() {
  if (closed_) return;
  if (connecting_) why_ = "nothing answers at its address";
  const bool was_ready = is_connected();
  silent_hellos_ = 0;
  anew_from_ = shared_.timers.clock().now() + kBetweenAnew;
  disconnect();
  connect();
  if (!was_ready) return;
  asio::post(shared_.io, [this, held = receiver_] {
    const auto alive = held.lock();
    if (alive && !closed_) alive->on_lost();
  });
}

void LeafSocket::on_ready(zmtp::Connection&) {
  why_.clear();
  wait_ = kMinWait;
}

void LeafSocket::on_message(zmtp::Connection&, ByteView message) {
  const auto receiver = receiver_.lock();
  if (!receiver) return;
  silent_hellos_ = 0;
  receiver->on_frame(message);
}

void LeafSocket::on_end(zmtp::Connection& connection, End end, Trouble trouble) {
  const auto receiver = receiver_.lock();
  const bool was_ready = connection.was_ready();
  connection_.reset();
  if (was_ready)
    why_ = end == End::kTrouble ? "the process at its address does not speak ZeroMQ as a leaf does"
                                : "the connection was lost";
  else
    count_failure(end, trouble);
  connect_again_after(end == End::kTrouble ? kMaxWait : wait_);
  if (was_ready && receiver) receiver->on_lost();
}

void LeafSocket::count_failure(End end, Trouble trouble) {
  const bool curve = curve_.has_value();
  if (trouble == Trouble::kRefused) {
    ++shared_.failures.key_refused;
    why_ = "the leaf does not let this broker's key in (its --curve-clients)";
  } else if (trouble == Trouble::kMechanism) {
    ++shared_.failures.mechanism;
    why_ = curve ? "the leaf does not use CURVE, this broker does" : "the leaf uses CURVE, this broker does not";
  } else if (end == End::kLost) {
    ++shared_.failures.closed;
    why_ = curve
               ? "the leaf ended the handshake: --curve-leaf-key is not the leaf's key, or the leaf takes no more peers"
               : "the leaf ended the handshake: it takes no more peers, or is not a leaf";
  } else {
    ++shared_.failures.protocol;
    why_ = end == End::kHandshake ? "the process at its address does not finish the handshake"
                                  : "the process at its address does not speak ZeroMQ as a leaf does";
  }
}

bool LeafSocket::send(ByteView frame) {
  if (!is_connected() || !connection_->send(frame)) return false;
  // Once for all frames of this turn of the loop.
  if (flush_posted_) return true;
  asio::post(shared_.io, [this, held = receiver_] {
    const auto alive = held.lock();
    if (!alive) return;
    flush_posted_ = false;
    if (const auto connection = connection_) connection->flush();
  });
  flush_posted_ = true;
  return true;
}

void LeafSocket::look_after() {
  if (!is_connected()) look_up();
  if (silent_hellos_ >= kMaxSilentHellos && shared_.timers.clock().now() >= anew_from_) connect_anew();
}

// For a leaf given by name: its address may have changed.
void LeafSocket::look_up() {
  address_.look_up(shared_.timers.clock().now(), [this, held = receiver_] {
    if (const auto alive = held.lock()) connect_anew();
  });
}

std::string LeafSocket::why_not_connected() const {
  if (!address_.why_none().empty()) return "not connected: " + address_.why_none();
  if (is_connected()) return "the leaf does not read what it is sent";
  return why_.empty() ? "not connected" : "not connected: " + why_;
}

}  // namespace frond::broker::cluster
