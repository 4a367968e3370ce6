#include "broker/cluster/zmq_leaf_client.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "common/net/local_address.h"
#include "common/wire/codec.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;

namespace {

using AnyDone = std::variant<Done<wire::SearchReply>, Done<wire::FetchReply>, Done<wire::HelloReply>>;
constexpr std::size_t kLargeFrame = 64 << 10;
bool is_hello(const AnyDone& done) { return std::holds_alternative<Done<wire::HelloReply>>(done); }
void fail(const AnyDone& done, const Error& error) {
  std::visit([&](const auto& call) { call(error); }, done);
}

// The requests of one leaf client that have no reply yet, each with its callback and a timer at its deadline. Its
// loop's thread only.
class OpenRequests {
 public:
  // Called when a request's deadline passes; the request is not open any more.
  using Expired = std::function<void(RequestId, const AnyDone&)>;

  // Open requests are counted in `load`, too.
  OpenRequests(TimerQueue& timers, std::shared_ptr<LeafLoad> load, Expired expired)
      : timers_(timers), load_(std::move(load)), expired_(std::move(expired)) {}
  ~OpenRequests() { take_all(); }
  OpenRequests(const OpenRequests&) = delete;
  OpenRequests& operator=(const OpenRequests&) = delete;

  // `id` is not open.
  void add(RequestId id, AnyDone done, Deadline deadline) {
    count(done, 1);
    const auto timer = timers_.at(deadline.when(), [this, id] {
      if (const auto late = take(id)) expired_(id, *late);
    });
    open_.emplace(id, Open{std::move(done), timer});
  }
  // The request is not open any more; none: it was not.
  std::optional<AnyDone> take(RequestId id) {
    auto open = open_.extract(id);
    if (open.empty()) return {};
    close(open.mapped());
    return std::move(open.mapped().done);
  }
  // Calls the `done` of every open request with an error; none is open any more when the first is called.
  void fail_all(const Error& error) {
    for (const auto& [id, one] : take_all()) fail(one.done, error);
  }

  bool has(RequestId id) const { return open_.contains(id); }
  std::size_t size() const { return open_.size(); }
  std::size_t hellos() const { return hellos_; }
  const LeafLoad& load() const { return *load_; }

 private:
  struct Open {
    AnyDone done;
    TimerQueue::Id timer;
  };

  // A change of -1 is that modulo 2^64.
  void count(const AnyDone& done, std::size_t change) {
    const bool hello = is_hello(done);
    if (hello) hellos_ += change;
    (hello ? load_->hellos : load_->searches_and_fetches).fetch_add(change, std::memory_order_relaxed);
  }
  void close(const Open& one) {
    timers_.cancel(one.timer);
    count(one.done, -std::size_t{1});
  }
  std::unordered_map<RequestId, Open> take_all() {
    auto all = std::exchange(open_, {});
    for (const auto& [id, one] : all) close(one);
    return all;
  }

  TimerQueue& timers_;
  const std::shared_ptr<LeafLoad> load_;
  const Expired expired_;
  std::unordered_map<RequestId, Open> open_;
  std::size_t hellos_ = 0;
};

// The code of a request that a leaf refuses as a whole. Only kUnavailable takes the leaf out of service.
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
    case wire::UnsearchedReason::kInvalidQuery:
      return Code::kInvalid;
    case wire::UnsearchedReason::kUnavailable:
      break;
  }
  return Code::kUnavailable;
}

std::unique_ptr<LeafConnection> make_connection(LeafSocket::Shared& shared, const ZmqLeafClients::Config& config,
                                                const std::string& endpoint) {
  if (config.connect) return config.connect(endpoint);
  std::optional<LeafSocket::Keys> keys;
  if (config.curve) keys.emplace(LeafSocket::Keys{config.curve->keys, config.curve->leaf});
  return std::make_unique<LeafSocket>(shared, endpoint, keys);
}

// One leaf's requests and the socket that carries them. Asio's handlers share it: they may run after the client's end.
class Dealer final : public LeafConnection::Receiver, public std::enable_shared_from_this<Dealer> {
 public:
  Dealer(LeafSocket::Shared& shared, const ZmqLeafClients::Config& config, std::uint64_t& cancels, std::string endpoint,
         News news)
      : io_(shared.io),
        timers_(shared.timers),
        log_(shared.log),
        config_(config),
        cancels_(cancels),
        endpoint_(std::move(endpoint)),
        news_(std::move(news)),
        socket_(make_connection(shared, config, endpoint_)),
        open_(shared.timers, config.loads->of(endpoint_),
              [this](RequestId id, const AnyDone& done) { expire(id, done); }) {}

  void connect() { socket_->open(weak_from_this()); }
  void close() {
    if (std::exchange(closed_, true)) return;
    open_.fail_all(error(Code::kUnavailable, "the broker has closed its connection"));
    socket_->close();
  }
  std::size_t in_flight() const { return open_.load().all(); }
  bool looking_up() const { return socket_->looking_up(); }

  template <class Message, class Reply>
  RequestId ask(Message message, Deadline deadline, Done<Reply> done) {
    constexpr bool kIsHello = std::is_same_v<Message, wire::HelloRequest>;
    message.request_id = next_id_++;
    if constexpr (requires { message.budget; }) message.budget = deadline.left(timers_.clock());
    const RequestId id = message.request_id;
    if (closed_) return refuse(id, std::move(done), Code::kUnavailable, "the broker is ending");
    if constexpr (kIsHello) {
      socket_->look_after();
      frames_at_hello_ = frames_;
    }
    // Hellos have a limit of their own: a busy leaf must not be taken for a dead one.
    if ((kIsHello ? open_.hellos() : open_.load().searches_and_fetches.load()) >= config_.max_in_flight)
      return refuse(id, std::move(done), Code::kOverloaded, "too many requests in flight");
    if (deadline.passed(timers_.clock())) return refuse(id, std::move(done), Code::kDeadline, "no time left");
    if (!socket_->send(wire::encode(wire::Request(std::move(message)))))
      return refuse(id, std::move(done), Code::kUnavailable, socket_->why_not_connected());
    open_.add(id, std::move(done), deadline);
    return id;
  }
  void cancel(RequestId id) {
    refused_.erase(id);
    if (const auto cancelled = open_.take(id)) send_cancel(id);
  }

  void on_frame(ByteView frame) override {
    ++frames_;
    if (frame.size() > kLargeFrame) {  // not read in vain: it takes milliseconds
      const auto late = wire::request_id_of(frame);
      if (late && *late != 0 && !open_.has(*late)) return;
    }
    auto reply = wire::decode_reply(frame);
    if (!reply) return on_garbled(frame, reply.error().message());
    garbled_ = false;
    const RequestId id = std::visit([](const auto& message) { return message.request_id; }, *reply);
    if (id == 0) return on_news(*std::move(reply));
    const auto done = open_.take(id);
    if (!done) return;  // late: the request has failed at its deadline
    std::visit([&](const auto& call) { deliver(call, *std::move(reply)); }, *done);
  }
  void on_lost() override {
    if (open_.size() > 0) open_.fail_all(error(Code::kUnavailable, "the connection was lost"));
  }

 private:
  Error error(Code code, std::string_view why) const { return {code, endpoint_ + ": " + std::string(why)}; }

  // Answers a request that is not sent. `done` is called by a handler of its own, never from inside ask().
  template <class Reply>
  RequestId refuse(RequestId id, Done<Reply> done, Code code, std::string_view why) {
    refused_.emplace(id, std::move(done));
    asio::post(io_, [self = shared_from_this(), id, refusal = error(code, why)] {
      const auto refused = self->refused_.extract(id);
      if (!refused.empty()) fail(refused.mapped(), refusal);
    });
    return id;
  }
  void send_cancel(RequestId id) {
    if (!closed_ && socket_->send(wire::encode(wire::Request(wire::CancelRequest{id})))) ++cancels_;
  }
  // Ids of requests begin with 1.
  void on_news(wire::Reply reply) {
    auto* const hello = std::get_if<wire::HelloReply>(&reply);
    if (hello != nullptr && news_) news_(std::move(*hello));
  }
  // A frame is whole, so it is the reply of one request; often its id can still be read.
  void on_garbled(ByteView frame, const std::string& why) {
    if (!std::exchange(garbled_, true))  // logged once: such a leaf may send thousands
      log_.warn("a leaf's reply cannot be read", {{"leaf", endpoint_}, {"error", why}});
    const auto id = wire::request_id_of(frame);
    if (!id) return open_.fail_all(error(Code::kCorrupt, why));
    if (const auto done = open_.take(*id)) fail(*done, error(Code::kCorrupt, why));
  }
  template <class Reply>
  void deliver(const Done<Reply>& done, wire::Reply&& reply) const {
    if (auto* const right = std::get_if<Reply>(&reply)) return done(std::move(*right));
    if (const auto* const refusal = std::get_if<wire::ErrorReply>(&reply))
      return done(Error(code_of(refusal->reason), endpoint_ + " refused: " + refusal->message));
    done(error(Code::kCorrupt, "a reply of another kind than the request"));
  }
  void expire(RequestId id, const AnyDone& done) {
    if (is_hello(done) && frames_ != frames_at_hello_)
      return fail(done, error(Code::kOverloaded, "no reply in time, but to other requests"));
    if (is_hello(done))
      socket_->count_silent_hello();
    else
      send_cancel(id);
    fail(done, error(Code::kDeadline, "no reply in time"));
  }

  asio::io_context& io_;
  TimerQueue& timers_;
  Logger& log_;
  const ZmqLeafClients::Config& config_;
  std::uint64_t& cancels_;  // sent to all leaves
  const std::string endpoint_;
  const News news_;
  const std::unique_ptr<LeafConnection> socket_;
  OpenRequests open_;
  std::unordered_map<RequestId, AnyDone> refused_;  // their handlers have not run yet
  RequestId next_id_ = 1;
  std::uint64_t frames_ = 0, frames_at_hello_ = 0;  // received, until now and until the last hello
  bool closed_ = false;
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

struct ZmqLeafClients::State {
  LeafSocket::Shared shared;
  Config config;
  std::uint64_t cancels = 0;  // sent
  std::vector<std::weak_ptr<Dealer>> dealers{};
};

ZmqLeafClients::ZmqLeafClients(asio::io_context& io, TimerQueue& timers, Logger& log, Config config)
    : state_(new State{.shared = {.io = io, .timers = timers, .log = log}, .config = std::move(config)}) {
  if (!state_->config.loads) state_->config.loads = std::make_shared<LeafLoads>();
}
ZmqLeafClients::~ZmqLeafClients() = default;

void ZmqLeafClients::close() {
  for (const auto& dealer : std::exchange(state_->dealers, {}))
    if (const auto alive = dealer.lock()) alive->close();
}

bool ZmqLeafClients::looking_up() const {
  return std::any_of(state_->dealers.begin(), state_->dealers.end(), [](const auto& dealer) {
    const auto alive = dealer.lock();
    return alive && alive->looking_up();
  });
}

const HandshakeFailures& ZmqLeafClients::handshake_failures() const { return state_->shared.failures; }
std::uint64_t ZmqLeafClients::cancels_sent() const { return state_->cancels; }

Result<std::unique_ptr<LeafClient>> ZmqLeafClients::create(const std::string& endpoint, News news) {
  if (auto taken = net::expect_leaf_endpoint(endpoint); !taken)
    return Error(Code::kInvalid, "leaf address '" + endpoint + "': " + taken.error().message());
  auto dealer = std::make_shared<Dealer>(state_->shared, state_->config, state_->cancels, endpoint, std::move(news));
  dealer->connect();
  std::erase_if(state_->dealers, [](const auto& other) { return other.expired(); });
  state_->dealers.push_back(dealer);
  return std::unique_ptr<LeafClient>(std::make_unique<ZmqLeafClient>(std::move(dealer)));
}

}  // namespace frond::broker::cluster
