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

namespace frond::broker {
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
Code code_of(wire::Unsearched reason) {
  switch (reason) {
    case wire::Unsearched::kDeadline:
      return Code::kDeadline;
    case wire::Unsearched::kOverloaded:
      return Code::kOverloaded;
    case wire::Unsearched::kCorrupt:
      return Code::kCorrupt;
    case wire::Unsearched::kUnknownGeneration:
      return Code::kNotFound;
    case wire::Unsearched::kUnavailable:
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
    socket_.set(zmq::sockopt::sndhwm, static_cast<int>(2 * max_in_flight_ + 16));
    socket_.set(zmq::sockopt::rcvhwm, static_cast<int>(2 * max_in_flight_ + 16));
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
    fail_all("the broker let go of it");
    monitor_.close();
    socket_.close();
  }
  std::size_t in_flight() const { return pending_.size(); }
  bool looking_up() const { return address_.looking_up(); }

  template <class Message, class Reply>
  void ask(Message message, Deadline deadline, Done<Reply> done) {
    message.request_id = next_id_++;
    if constexpr (requires { message.budget; }) message.budget = deadline.left(timers_.clock());
    const std::uint64_t id = message.request_id;
    if (closed_) return refuse(std::move(done), Code::kUnavailable, "the broker ends");
    if constexpr (std::is_same_v<Message, wire::HelloRequest>) look_after_connection();
    if (pending_.size() >= max_in_flight_)
      return refuse(std::move(done), Code::kOverloaded, "too many requests in flight");
    if (deadline.passed(timers_.clock())) return refuse(std::move(done), Code::kDeadline, "no time left");
    const auto sent = send(wire::encode(wire::Request(std::move(message))));
    if (!sent) return refuse(std::move(done), Code::kUnavailable, why_not_connected());
    const auto timer = timers_.at(deadline.when(), [this, id] { expire(id); });
    pending_.emplace(id, Pending{std::move(done), timer});
    // The descriptor is edge-triggered: sending may have swallowed the edge of a reply.
    pump_soon();
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
  void refuse(Done<Reply> done, Code code, std::string_view why) {
    asio::post(io_, [done = std::move(done), error = Error(code, endpoint_ + ": " + std::string(why))]() mutable {
      done(std::move(error));
    });
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
          if ((events & ZMQ_POLLOUT) == 0 && !pending_.empty()) fail_all("the connection was lost");
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
    if (!reply) {  // told once: such a leaf may send thousands
      if (!std::exchange(garbled_, true))
        log_.warn("a leaf's reply cannot be read", {{"leaf", endpoint_}, {"error", reply.error().message()}});
      return;
    }
    garbled_ = false;
    const std::uint64_t id = std::visit([](const auto& message) { return message.request_id; }, *reply);
    if (id == 0) return unasked(*std::move(reply));
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;  // late: its deadline has answered
    Pending pending = std::move(at->second);
    forget(at);
    std::visit([&](auto& done) { deliver(done, *std::move(reply)); }, pending.done);
  }
  // Numbers of requests begin with 1.
  void unasked(wire::Reply reply) {
    auto* const hello = std::get_if<wire::HelloReply>(&reply);
    if (hello != nullptr && news_) news_(std::move(*hello));
  }
  template <class Reply>
  void deliver(const Done<Reply>& done, wire::Reply&& reply) {
    if (auto* const right = std::get_if<Reply>(&reply)) return done(std::move(*right));
    if (const auto* const error = std::get_if<wire::ErrorReply>(&reply))
      return done(Error(code_of(error->reason), endpoint_ + " refused: " + error->message));
    done(Error(Code::kCorrupt, endpoint_ + ": a reply of another kind than was asked for"));
  }
  using Pendings = std::unordered_map<std::uint64_t, Pending>;
  void forget(Pendings::iterator at) {
    timers_.cancel(at->second.timer);
    pending_.erase(at);
  }
  void fail(Pending& pending, Code code, std::string_view why) {
    std::visit([&](auto& done) { done(Error(code, endpoint_ + ": " + std::string(why))); }, pending.done);
  }
  void expire(std::uint64_t id) {
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;
    Pending pending = std::move(at->second);
    pending_.erase(at);
    if (std::holds_alternative<Done<wire::HelloReply>>(pending.done)) ++silent_hellos_;
    fail(pending, Code::kDeadline, "no reply in time");
  }
  void fail_all(std::string_view why) {
    Pendings pending = std::exchange(pending_, {});
    for (auto& [id, one] : pending) timers_.cancel(one.timer);
    for (auto& [id, one] : pending) fail(one, Code::kUnavailable, why);
  }

  asio::io_context& io_;
  TimerQueue& timers_;
  Logger& log_;
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
  std::uint64_t next_id_ = 1;
  bool pump_posted_ = false, closed_ = false;
  bool garbled_ = false;  // the last reply could not be read
};

class ZmqLeafClient final : public LeafClient {
 public:
  explicit ZmqLeafClient(std::shared_ptr<Dealer> dealer) : dealer_(std::move(dealer)) {}
  ~ZmqLeafClient() override { dealer_->close(); }
  void search(wire::SearchRequest request, Deadline deadline, Done<wire::SearchReply> done) override {
    dealer_->ask(std::move(request), deadline, std::move(done));
  }
  void fetch(wire::FetchRequest request, Deadline deadline, Done<wire::FetchReply> done) override {
    dealer_->ask(std::move(request), deadline, std::move(done));
  }
  void hello(wire::HelloRequest request, Deadline deadline, Done<wire::HelloReply> done) override {
    dealer_->ask(std::move(request), deadline, std::move(done));
  }
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

}  // namespace frond::broker
