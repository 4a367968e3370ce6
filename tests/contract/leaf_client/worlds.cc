#include "tests/contract/leaf_client/worlds.h"

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "broker/cluster/timer_queue.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/loopback_leaf.h"
#include "tests/support/scripted_leaf.h"

namespace frond::broker::cluster {

bool World::run_until(const std::function<bool()>& done) {
  const Instant end = clock().now() + std::chrono::seconds(20);
  while (!done() && clock().now() < end) step();
  return done();
}

namespace {

// The ZeroMQ client and a router socket on loopback.
class ZmqWorld final : public World {
 public:
  ZmqWorld() {
    leaf_.searches = support::LoopbackLeaf::Does::kAnswer;
    leaf_.start();
    client_ = *clients_.create(leaf_.endpoint(), [this](wire::HelloReply hello) { news.push_back(std::move(hello)); });
    reach();
  }
  ~ZmqWorld() override {
    client_.reset();
    clients_.close();
    io_.restart();
    io_.poll();
  }
  LeafClient& client() override { return *client_; }
  void destroy_client() override { client_.reset(); }
  const Clock& clock() const override { return clock_; }

  void set_leaf(LeafDoes what, wire::UnsearchedReason refusal) override {
    using Does = support::LoopbackLeaf::Does;
    constexpr Does kDoes[] = {Does::kAnswer, Does::kNothing, Does::kRefuse, Does::kAnswerOfAnotherKind};
    leaf_.refusal = refusal;
    leaf_.hellos = leaf_.searches = kDoes[static_cast<std::size_t>(what)];
  }
  void lose_leaf() override { leaf_.stop(); }
  void bring_leaf_back() override {
    leaf_.start(leaf_.port());
    reach();
  }
  void say_goodbye() override {
    leaf_.says_goodbye = true;
    client_->hello({}, Deadline::after(clock_, std::chrono::seconds(20)), [](const Result<wire::HelloReply>&) {});
    run_until([&] { return !news.empty(); });
  }
  wire::SearchRequest last_search() override { return leaf_.last_search(); }
  RequestId last_searched() override { return leaf_.searched; }
  RequestId last_cancelled() override { return leaf_.cancelled; }

 private:
  void step() override {
    io_.restart();
    io_.run_one_for(std::chrono::milliseconds(10));
  }
  void reach() {
    bool reached = false;
    run_until([&] {
      bool answered = false;
      client_->hello({}, Deadline::after(clock_, std::chrono::seconds(5)), [&](const Result<wire::HelloReply>& reply) {
        answered = true;
        reached = reply.has_value();
      });
      while (!answered) step();
      return reached;
    });
  }

  boost::asio::io_context io_{1};
  const SteadyClock clock_;
  Logger log_{"test", LogLevel::kError};
  TimerQueue timers_{clock_};
  TimerDriver driver_{io_, timers_};
  support::LoopbackLeaf leaf_;
  ZmqLeafClients clients_{io_, timers_, log_, {.max_in_flight = kMaxInFlight}};
  std::unique_ptr<LeafClient> client_;
};

// The scripted client, whose time this world moves.
class ScriptedWorld final : public World {
 public:
  ScriptedWorld() {
    client_->max_in_flight = kMaxInFlight;
    client_->fails_open_requests_at_its_end = true;
  }
  LeafClient& client() override { return *client_; }
  void destroy_client() override { client_.reset(); }
  const Clock& clock() const override { return clock_; }

  void set_leaf(LeafDoes what, wire::UnsearchedReason refusal) override {
    does_ = what;
    refusal_ = refusal;
  }
  void lose_leaf() override { client_->lose(); }
  void bring_leaf_back() override { client_->come_back(); }
  void say_goodbye() override {
    wire::HelloReply goodbye;
    goodbye.draining = true;
    client_->news(std::move(goodbye));
  }
  wire::SearchRequest last_search() override { return client_->searches.last(); }
  RequestId last_searched() override { return client_->searches.asked.empty() ? 0 : client_->searches.asked.back().id; }
  RequestId last_cancelled() override { return client_->last_cancelled; }

 private:
  void step() override {
    clock_.advance(std::chrono::milliseconds(1));
    timers_.run_due();
    if (!client_) return;
    play(client_->searches, wire::SearchReply());
    play(client_->fetches, wire::FetchReply());
    play(client_->hellos, wire::HelloReply());
  }
  template <class Script, class Reply>
  void play(Script& script, const Reply& reply) {
    if (does_ == LeafDoes::kNothing) return;
    while (script.open() > 0) script.answer(does_ == LeafDoes::kAnswer ? Result<Reply>(reply) : failure());
  }
  Error failure() const {
    if (does_ == LeafDoes::kAnswerOfAnotherKind) return {Code::kCorrupt, "scripted"};
    switch (refusal_) {
      case wire::UnsearchedReason::kDeadline:
        return {Code::kDeadline, "scripted"};
      case wire::UnsearchedReason::kOverloaded:
        return {Code::kOverloaded, "scripted"};
      case wire::UnsearchedReason::kCorrupt:
        return {Code::kCorrupt, "scripted"};
      case wire::UnsearchedReason::kUnknownGeneration:
        return {Code::kNotFound, "scripted"};
      case wire::UnsearchedReason::kInvalidQuery:
        return {Code::kInvalid, "scripted"};
      case wire::UnsearchedReason::kUnavailable:
        break;
    }
    return {Code::kUnavailable, "scripted"};
  }

  support::ManualClock clock_;
  TimerQueue timers_{clock_};
  LeafDoes does_ = LeafDoes::kAnswer;
  wire::UnsearchedReason refusal_{};
  std::unique_ptr<support::ScriptedLeaf> client_ = std::make_unique<support::ScriptedLeaf>(
      timers_, [this](wire::HelloReply hello) { news.push_back(std::move(hello)); });
};

template <class Which>
std::unique_ptr<World> make() {
  return std::make_unique<Which>();
}

}  // namespace

const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> kAll = {{"zmq", make<ZmqWorld>}, {"scripted", make<ScriptedWorld>}};
  return kAll;
}

}  // namespace frond::broker::cluster
