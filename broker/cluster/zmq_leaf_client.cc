#include "broker/cluster/zmq_leaf_client.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <zmq.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "broker/cluster/leaf_address.h"
#include "common/wire/codec.h"
#include "common/wire/io_pulse.h"
#include "common/wire/limits.h"
#include "common/wire/router_socket.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;

namespace {
class Dealer;

// What all sockets have in common.
struct Shared {
  asio::io_context& io;
  TimerQueue& timers;
  Logger& log;
  ZmqLeafClients::Config config;
  zmq::context_t context{1};
  std::uint64_t sockets = 0;  // made so far
  HandshakeFailures failures{};
  std::uint64_t cancels = 0;  // sent
};
}  // namespace

struct ZmqLeafClients::State {
  // A broker works without a pulse: only its /livez knows less.
  void start_pulse() {
    try {
      pulse.emplace(shared.context, shared.timers.clock());
      step_pulse();
    } catch (const zmq::error_t& error) {
      shared.log.warn("ZeroMQ's thread is not watched", {{"error", error.what()}});
    }
  }
  void step_pulse() {
    pulse->step();
    timer = shared.timers.after(std::chrono::seconds(1), [this] { step_pulse(); });
  }
  void close() {
    if (timer) shared.timers.cancel(*timer);
    timer.reset();
    pulse.reset();
  }

  Shared shared;
  std::vector<std::weak_ptr<Dealer>> dealers;
  std::optional<wire::IoPulse> pulse;
  std::optional<TimerQueue::Id> timer;
};

namespace {

// What a leaf's refusal of a whole request is here. Only one that is ending is as good as gone.
Code code_of(wire::UnsearchedReason reason) {
  switch (reason) {
    case wire::UnsearchedReason::kDeadline:
      return Code::kDeadline;
    case wire::UnsearchedReason::kOverloaded:
      return Code::kOverloaded;
    case wire::UnsearchedReason::kCorrupt:
      return Code::kCorrupt;
    case wire::UnsearchedReason::kUnknownGeneration:
      return Code::kNotFound;
    case wire::UnsearchedReason::kUnavailable:
      break;
  }
  return Code::kUnavailable;
}

// After a handshake that the leaf refused; ZeroMQ's own attempts are this far apart at most, too.
constexpr std::chrono::milliseconds kConnectAgain{1000};
// Hellos in a row without any reply, after which the connection is made anew: a leaf does not hear a key that left its
// list, and says so in the handshake only.
constexpr unsigned kSilentHellos = 3;

// The socket and what waits for it. Shared with Asio's handlers, which may run after the client is gone.
class Dealer : public std::enable_shared_from_this<Dealer> {
 public:
  using Sink = std::variant<Done<wire::SearchReply>, Done<wire::FetchReply>, Done<wire::HelloReply>>;

  Dealer(Shared& of, std::string endpoint, News news)
      : io_(of.io),
        timers_(of.timers),
        log_(of.log),
        cancels_(of.cancels),
        max_in_flight_(of.config.max_in_flight),
        endpoint_(std::move(endpoint)),
        address_(of.io, endpoint_),
        news_(std::move(news)),
        socket_(of.context, zmq::socket_type::dealer),
        monitor_(of.context, socket_, ++of.sockets, of.config.curve.has_value(), of.failures),
        readable_(of.io) {}
  ~Dealer() { detach(); }

  // Throws zmq::error_t for a bad address.
  void connect(const std::optional<ZmqLeafClients::Curve>& curve) {
    if (curve) {
      socket_.set(zmq::sockopt::curve_serverkey, curve->leaf.z85);
      socket_.set(zmq::sockopt::curve_publickey, curve->keys.public_key.z85);
      socket_.set(zmq::sockopt::curve_secretkey, curve->keys.secret_z85);
    }
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::immediate, 1);  // nothing is queued for a peer that is not there
    socket_.set(zmq::sockopt::heartbeat_ivl, static_cast<int>(wire::kHeartbeatInterval.count()));
    socket_.set(zmq::sockopt::heartbeat_timeout, static_cast<int>(wire::kHeartbeatTimeout.count()));
    // Packets to a host that is away vanish; the system would repeat the first ever more rarely, up to a minute apart.
    socket_.set(zmq::sockopt::connect_timeout, 2000);
    socket_.set(zmq::sockopt::reconnect_ivl, 100);
    socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
    socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessageBytes));
    // Room for every request and for its cancellation, twice over: a full pipe is taken for a lost connection.
    socket_.set(zmq::sockopt::sndhwm, static_cast<int>(4 * max_in_flight_ + 16));
    socket_.set(zmq::sockopt::rcvhwm, static_cast<int>(4 * max_in_flight_ + 16));
    socket_.set(zmq::sockopt::ipv6, true);
    if (!address_.current().empty()) socket_.connect(address_.current());
    readable_.assign(socket_.get(zmq::sockopt::fd));
    wait();
    pump_soon();
    look_up();
  }
  void close() {
    if (std::exchange(closed_, true)) return;
    detach();
    fail_all(Code::kUnavailable, "the broker let go of it");
    monitor_.close();
    socket_.close();
  }
  std::size_t in_flight() const { return pending_.size(); }
  bool looking_up() const { return address_.looking_up(); }

  template <class Message, class Reply>
  RequestId ask(Message message, Deadline deadline, Done<Reply> done) {
    constexpr bool kIsHello = std::is_same_v<Message, wire::HelloRequest>;
    message.request_id = next_id_++;
    if constexpr (requires { message.budget; }) message.budget = deadline.left(timers_.clock());
    const RequestId id = message.request_id;
    if (closed_) return refuse(id, std::move(done), Code::kUnavailable, "the broker ends");
    if constexpr (kIsHello) look_after_connection();
    // Hellos are counted apart: a leaf must not be taken for dead because it has much to do.
    if ((kIsHello ? hellos_ : pending_.size() - hellos_) >= max_in_flight_)
      return refuse(id, std::move(done), Code::kOverloaded, "too many requests in flight");
    if (deadline.passed(timers_.clock())) return refuse(id, std::move(done), Code::kDeadline, "no time left");
    const auto sent = send(wire::encode(wire::Request(std::move(message))));
    if (!sent) return refuse(id, std::move(done), Code::kUnavailable, why_not_connected());
    const auto timer = timers_.at(deadline.when(), [this, id] { expire(id); });
    pending_.emplace(id, Pending{std::move(done), timer});
    hellos_ += kIsHello;
    // The descriptor is edge-triggered: sending may have swallowed the edge of a reply.
    pump_soon();
    return id;
  }
  void cancel(RequestId id) {
    refused_.erase(id);
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;
    const Pending let_go = take(at);
    tell_to_stop(id);
  }

 private:
  struct Pending {
    Sink done;
    TimerQueue::Id timer;
  };

  void detach() {
    if (readable_.is_open()) readable_.release();  // the descriptor is ZeroMQ's: never close it
  }
  template <class Reply>
  RequestId refuse(RequestId id, Done<Reply> done, Code code, std::string_view why) {
    refused_.emplace(id, std::move(done));
    asio::post(io_,
               [self = shared_from_this(), id, error = Error(code, endpoint_ + ": " + std::string(why))]() mutable {
                 const auto refused = self->refused_.extract(id);
                 if (!refused.empty()) std::get<Done<Reply>>(refused.mapped())(std::move(error));
               });
    return id;
  }
  void tell_to_stop(RequestId id) {
    if (closed_ || !send(wire::encode(wire::Request(wire::CancelRequest{id})))) return;
    ++cancels_;
    pump_soon();
  }
  bool send(const ByteBuffer& bytes) {
    try {
      return socket_.send(zmq::const_buffer(bytes.data(), bytes.size()), zmq::send_flags::dontwait).has_value();
    } catch (const zmq::error_t& error) {
      log_.warn("cannot send to leaf", {{"leaf", endpoint_}, {"error", error.what()}});
      return false;
    }
  }
  // What ZeroMQ has to tell waits in a queue: a hello comes at least every second, whatever state the leaf is in.
  void look_after_connection() {
    monitor_.take();
    const Instant now = timers_.clock().now();
    if (!connected()) look_up();
    if ((!monitor_.gave_up() && silent_hellos_ < kSilentHellos) || now < connect_again_) return;
    connect_again(address_.current());
  }
  // From `before`, if it was connected anywhere, to what its address is now.
  void connect_again(const std::string& before) {
    if (closed_) return;
    connect_again_ = timers_.clock().now() + kConnectAgain;
    silent_hellos_ = 0;
    monitor_.connecting();
    try {
      if (!before.empty()) socket_.disconnect(before);
    } catch (const zmq::error_t&) {  // it forgot about the endpoint with the connection
    }
    try {
      if (!address_.current().empty()) socket_.connect(address_.current());
    } catch (const zmq::error_t& error) {
      log_.warn("cannot connect to leaf", {{"leaf", endpoint_}, {"error", error.what()}});
    }
    pump_soon();
  }
  // For a leaf given by name, whose address may be another now.
  void look_up() {
    address_.look_up(timers_.clock().now(), [held = weak_from_this()](const std::string& before) {
      if (const auto self = held.lock()) self->connect_again(before);
    });
  }
  bool connected() const { return (socket_.get(zmq::sockopt::events) & ZMQ_POLLOUT) != 0; }
  std::string why_not_connected() const {
    if (!address_.why_none().empty()) return "not connected: " + address_.why_none();
    return monitor_.why().empty() ? "not connected" : "not connected: " + monitor_.why();
  }
  void wait() {
    readable_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& ec) {
                           if (ec || self->closed_) return;
                           self->pump();
                           self->wait();
                         });
  }
  void pump_soon() {
    if (std::exchange(pump_posted_, true)) return;
    asio::post(io_, [self = shared_from_this()] {
      self->pump_posted_ = false;
      if (!self->closed_) self->pump();
    });
  }
  // Takes every reply that is there, then looks whether the peer still is.
  void pump() {
    try {
      for (;;) {
        const int events = socket_.get(zmq::sockopt::events);  // also lets ZeroMQ process what happened
        if ((events & ZMQ_POLLIN) == 0) {
          // With one peer and room below the high-water mark, "cannot send" means that the connection is gone.
          if ((events & ZMQ_POLLOUT) == 0 && !pending_.empty()) fail_all(Code::kUnavailable, "the connection was lost");
          return;
        }
        zmq::message_t message;
        if (!socket_.recv(message, zmq::recv_flags::dontwait)) continue;
        bool more = message.more();
        for (zmq::message_t part; more; more = part.more())
          if (!socket_.recv(part, zmq::recv_flags::dontwait)) break;
        receive({static_cast<const std::byte*>(message.data()), message.size()});
        if (closed_) return;
      }
    } catch (const zmq::error_t& error) {
      log_.warn("cannot receive from leaf", {{"leaf", endpoint_}, {"error", error.what()}});
    }
  }
  void receive(ByteView bytes) {
    silent_hellos_ = 0;
    auto reply = wire::decode_reply(bytes);
    if (!reply) return receive_garbled(bytes, reply.error().message());
    garbled_ = false;
    const RequestId id = std::visit([](const auto& message) { return message.request_id; }, *reply);
    if (id == 0) return unasked(*std::move(reply));
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;  // late: its deadline has answered
    Pending pending = take(at);
    std::visit([&](auto& done) { deliver(done, *std::move(reply)); }, pending.done);
  }
  // Numbers of requests begin with 1.
  void unasked(wire::Reply reply) {
    auto* const hello = std::get_if<wire::HelloReply>(&reply);
    if (hello != nullptr && news_) news_(std::move(*hello));
  }
  // Frames come whole, so it is the reply of one request; whose it is may be told all the same.
  void receive_garbled(ByteView bytes, const std::string& why) {
    if (!std::exchange(garbled_, true))  // told once: such a leaf may send thousands
      log_.warn("a leaf's reply cannot be read", {{"leaf", endpoint_}, {"error", why}});
    const auto id = wire::request_id_of(bytes);
    if (!id) return fail_all(Code::kCorrupt, why);
    const auto at = pending_.find(*id);
    if (at == pending_.end()) return;
    Pending pending = take(at);
    fail(pending, Code::kCorrupt, why);
  }
  template <class Reply>
  void deliver(const Done<Reply>& done, wire::Reply&& reply) {
    if (auto* const right = std::get_if<Reply>(&reply)) return done(std::move(*right));
    if (const auto* const error = std::get_if<wire::ErrorReply>(&reply))
      return done(Error(code_of(error->reason), endpoint_ + " refused: " + error->message));
    done(Error(Code::kCorrupt, endpoint_ + ": a reply of another kind than was asked for"));
  }
  using Pendings = std::unordered_map<std::uint64_t, Pending>;
  Pending take(Pendings::iterator at) {
    Pending taken = std::move(at->second);
    timers_.cancel(taken.timer);
    pending_.erase(at);
    hellos_ -= is_hello(taken);
    return taken;
  }
  static bool is_hello(const Pending& pending) { return std::holds_alternative<Done<wire::HelloReply>>(pending.done); }
  void fail(Pending& pending, Code code, std::string_view why) {
    std::visit([&](auto& done) { done(Error(code, endpoint_ + ": " + std::string(why))); }, pending.done);
  }
  void expire(std::uint64_t id) {
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;
    Pending pending = take(at);
    if (is_hello(pending))
      ++silent_hellos_;
    else
      tell_to_stop(id);
    fail(pending, Code::kDeadline, "no reply in time");
  }
  void fail_all(Code code, std::string_view why) {
    Pendings pending = std::exchange(pending_, {});
    hellos_ = 0;
    for (auto& [id, one] : pending) timers_.cancel(one.timer);
    for (auto& [id, one] : pending) fail(one, code, why);
  }

  asio::io_context& io_;
  TimerQueue& timers_;
  Logger& log_;
  std::uint64_t& cancels_;  // of all leaves
  std::size_t max_in_flight_;
  std::string endpoint_;
  LeafAddress address_;
  News news_;
  zmq::socket_t socket_;
  ConnectionMonitor monitor_;
  Instant connect_again_{};  // not before
  unsigned silent_hellos_ = 0;
  asio::posix::stream_descriptor readable_;
  Pendings pending_;
  std::size_t hellos_ = 0;                       // of pending_
  std::unordered_map<RequestId, Sink> refused_;  // to be told so by a handler of their own
  RequestId next_id_ = 1;
  bool pump_posted_ = false, closed_ = false;
  bool garbled_ = false;  // the last reply could not be read
};

class ZmqLeafClient final : public LeafClient {
 public:
  explicit ZmqLeafClient(std::shared_ptr<Dealer> dealer) : dealer_(std::move(dealer)) {}
  ~ZmqLeafClient() override { dealer_->close(); }
  RequestId search(wire::SearchRequest request, Deadline deadline, Done<wire::SearchReply> done) override {
    return dealer_->ask(std::move(request), deadline, std::move(done));
  }
  RequestId fetch(wire::FetchRequest request, Deadline deadline, Done<wire::FetchReply> done) override {
    return dealer_->ask(std::move(request), deadline, std::move(done));
  }
  void hello(wire::HelloRequest request, Deadline deadline, Done<wire::HelloReply> done) override {
    dealer_->ask(std::move(request), deadline, std::move(done));
  }
  void cancel(RequestId request) override { dealer_->cancel(request); }
  std::size_t in_flight() const override { return dealer_->in_flight(); }

 private:
  std::shared_ptr<Dealer> dealer_;
};

}  // namespace

ZmqLeafClients::ZmqLeafClients(asio::io_context& io, TimerQueue& timers, Logger& log, Config config)
    : state_(new State{.shared = {.io = io, .timers = timers, .log = log, .config = std::move(config)}}) {
  state_->start_pulse();
}
ZmqLeafClients::~ZmqLeafClients() { state_->close(); }

void ZmqLeafClients::close() {
  for (const auto& dealer : std::exchange(state_->dealers, {}))
    if (const auto alive = dealer.lock()) alive->close();
  state_->close();
}

bool ZmqLeafClients::looking_up() const {
  return std::any_of(state_->dealers.begin(), state_->dealers.end(), [](const auto& dealer) {
    const auto alive = dealer.lock();
    return alive && alive->looking_up();
  });
}

std::vector<Loop> ZmqLeafClients::loops() {
  if (!state_->pulse) return {};
  state_->pulse->step();  // what came back while this thread was busy counts
  return {{"zeromq", state_->pulse->turned()}};
}

const HandshakeFailures& ZmqLeafClients::handshake_failures() const { return state_->shared.failures; }
std::uint64_t ZmqLeafClients::cancels_sent() const { return state_->shared.cancels; }

Result<std::unique_ptr<LeafClient>> ZmqLeafClients::create(const std::string& endpoint, News news) {
  try {
    auto dealer = std::make_shared<Dealer>(state_->shared, endpoint, std::move(news));
    dealer->connect(state_->shared.config.curve);
    std::erase_if(state_->dealers, [](const auto& other) { return other.expired(); });
    state_->dealers.push_back(dealer);
    return std::unique_ptr<LeafClient>(std::make_unique<ZmqLeafClient>(std::move(dealer)));
  } catch (const std::exception& error) {
    return Error(Code::kInvalid, "leaf address '" + endpoint + "': " + error.what());
  }
}

}  // namespace frond::broker::cluster
