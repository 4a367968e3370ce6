// The ZeroMQ client against a real router socket on loopback.
#include "broker/cluster/zmq_leaf_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "broker/cluster/timer_driver.h"
#include "common/wire/codec.h"
#include "common/wire/router_socket.h"
#include "tests/support/scratch_folder.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

class AZmqLeafClient : public testing::Test {
 protected:
  // A leaf that answers as told, on its own thread. Port 0 picks one; the same port may be taken again later.
  void start_leaf(std::uint16_t port = 0, std::optional<wire::RouterSocket::Curve> curve = {}) {
    socket_ = *wire::RouterSocket::create({.listen = "tcp://127.0.0.1:" + std::to_string(port), .curve = curve});
    port_ = socket_->port();
    socket_->start([this](wire::Peer peer, ByteView bytes) {
      ++asked_;
      if (mute_) return;
      const auto request = wire::decode_request(bytes);
      ASSERT_TRUE(request);
      const auto id = std::visit([](const auto& one) { return one.request_id; }, *request);
      if (std::holds_alternative<wire::CancelRequest>(*request)) {
        cancelled_ = id;
        return;
      }
      if (std::holds_alternative<wire::SearchRequest>(*request)) {
        searched_ = id;
        return;  // it takes its time
      }
      if (goodbye_) {
        wire::HelloReply goodbye;
        goodbye.draining = true;
        socket_->send(peer, wire::encode(wire::Reply(goodbye)));
        socket_->send(peer, wire::encode(wire::Reply(wire::ErrorReply{0, "nobody's"})));
      }
      if (garble_ != 0) {  // 1: whose reply it is can be read; 2: not even that
        std::vector<std::uint64_t> words{0x0000000400000000, 0x0001000200000000, id, 9, 0};
        if (garble_ == 2) words.pop_back();
        const ByteView garbled = std::as_bytes(std::span(words));
        socket_->send(peer, ByteBuffer(garbled.begin(), garbled.end()));
        return;
      }
      if (refuse_) {
        socket_->send(peer, wire::encode(wire::Reply(wire::ErrorReply{id, "no", refusal_})));
        return;
      }
      if (lie_) {
        wire::FetchReply wrong;
        wrong.request_id = id;
        socket_->send(peer, wire::encode(wire::Reply(wrong)));
        return;
      }
      wire::HelloReply reply;
      reply.request_id = id;
      reply.collection = "c";
      socket_->send(peer, wire::encode(wire::Reply(reply)));
    });
  }
  void stop_leaf() {
    socket_->stop(milliseconds(0));
    socket_.reset();
  }
  void connect(std::size_t max_in_flight = 1024, std::optional<ZmqLeafClients::Curve> curve = {}) {
    clients_.emplace(io_, timers_, log_, ZmqLeafClients::Config{.max_in_flight = max_in_flight, .curve = curve});
    client_ = *clients_->create("tcp://127.0.0.1:" + std::to_string(port_),
                                [this](wire::HelloReply news) { news_.push_back(std::move(news)); });
  }
  ~AZmqLeafClient() override {
    client_.reset();
    if (clients_) clients_->close();
    io_.restart();
    io_.poll();
    if (socket_) stop_leaf();
  }
  // Runs the loop until `done`, at most 20 s.
  template <class Done>
  bool run_until(Done done) {
    const auto end = clock_.now() + std::chrono::seconds(20);
    while (!done() && clock_.now() < end) {
      io_.restart();
      io_.run_one_for(milliseconds(50));
    }
    return done();
  }
  Result<wire::HelloReply> ask(milliseconds time = milliseconds(5000)) {
    std::optional<Result<wire::HelloReply>> got;
    client_->hello({}, Deadline::after(clock_, time), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
    EXPECT_FALSE(got) << "never from inside the call";
    if (!run_until([&] { return got.has_value(); })) return Error(Code::kDevice, "was never answered");
    return *std::move(got);
  }
  bool reach() {
    for (int i = 0; i < 2000; ++i) {
      if (ask()) return true;
      io_.restart();
      io_.run_for(milliseconds(5));
    }
    return false;
  }

  // Whether a refusal comes to say `why`.
  bool is_told(const std::string& why, milliseconds time = milliseconds(5000)) {
    std::string message;
    for (int i = 0; i < 2000 && message.find(why) == std::string::npos; ++i) {
      const auto reply = ask(time);
      message = reply ? "(an answer)" : reply.error().message();
      io_.restart();
      io_.run_for(milliseconds(5));
    }
    EXPECT_NE(message.find(why), std::string::npos) << message;
    return message.find(why) != std::string::npos;
  }

  boost::asio::io_context io_{1};
  SteadyClock clock_;
  Logger log_{"test", LogLevel::kError};
  TimerQueue timers_{clock_};
  TimerDriver driver_{io_, timers_};
  std::atomic<int> asked_{0};
  std::atomic<bool> mute_{false}, lie_{false};
  std::atomic<bool> refuse_{false}, goodbye_{false};
  std::vector<wire::HelloReply> news_;
  std::atomic<int> garble_{0};
  std::atomic<std::uint64_t> searched_{0}, cancelled_{0};  // the last of each
  std::atomic<wire::UnsearchedReason> refusal_{};          // with refuse_
  std::unique_ptr<wire::RouterSocket> socket_;
  std::uint16_t port_ = 0;
  std::optional<ZmqLeafClients> clients_;
  std::unique_ptr<LeafClient> client_;
};

TEST_F(AZmqLeafClient, MatchesManyRepliesToTheirRequests) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  int answered = 0;
  for (int i = 0; i < 1000; ++i)
    client_->hello({}, Deadline::after(clock_, std::chrono::seconds(20)), [&](Result<wire::HelloReply> reply) {
      EXPECT_TRUE(reply) << reply.error().message();
      ++answered;
    });
  EXPECT_EQ(client_->in_flight(), 1000u);
  EXPECT_TRUE(run_until([&] { return answered == 1000; }));
  EXPECT_EQ(client_->in_flight(), 0u);
}
TEST_F(AZmqLeafClient, AnswersAtOnceWhereNobodyListens) {
  start_leaf();
  stop_leaf();
  connect();
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kUnavailable) << "not kDeadline";
}
TEST_F(AZmqLeafClient, FailsWhatIsPendingWhenTheLeafDies) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  mute_ = true;
  const int before = asked_;
  std::optional<Result<wire::HelloReply>> got;
  client_->hello({}, Deadline::after(clock_, std::chrono::seconds(20)),
                 [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
  ASSERT_TRUE(run_until([&] { return asked_ > before; }));
  stop_leaf();
  ASSERT_TRUE(run_until([&] { return got.has_value(); }));
  EXPECT_EQ(*got, Code::kUnavailable) << "not kDeadline";
}
TEST_F(AZmqLeafClient, ReconnectsByItself) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  stop_leaf();
  start_leaf(port_);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClient, GivesUpAtTheDeadlineAndDropsTheLateReply) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  mute_ = true;
  EXPECT_EQ(ask(milliseconds(50)), Code::kDeadline);
  EXPECT_EQ(client_->in_flight(), 0u);
}
TEST_F(AZmqLeafClient, ShedsPastItsLimit) {
  start_leaf();
  connect(2);
  ASSERT_TRUE(reach());
  mute_ = true;
  for (int i = 0; i < 2; ++i)
    client_->hello({}, Deadline::after(clock_, milliseconds(300)), [](Result<wire::HelloReply>) {});
  EXPECT_EQ(ask(), Code::kOverloaded);
}
// How much a leaf has to do says nothing about whether it lives.
TEST_F(AZmqLeafClient, SaysHelloPastItsLimit) {
  start_leaf();
  connect(2);
  ASSERT_TRUE(reach());
  const auto failed = std::make_shared<int>(0);  // two are answered when the client ends
  const auto count = [failed](const Result<wire::SearchReply>& reply) { *failed += reply == Code::kOverloaded; };
  for (int i = 0; i < 3; ++i) client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)), count);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(run_until([&] { return *failed == 1; }));
  EXPECT_EQ(client_->in_flight(), 2u);
}
TEST_F(AZmqLeafClient, TellsTheLeafToStopWhatIsCancelled) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  const RequestId id = client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)),
                                       [](const Result<wire::SearchReply>&) { ADD_FAILURE() << "nobody waits"; });
  EXPECT_EQ(client_->in_flight(), 1u);
  client_->cancel(id);
  EXPECT_EQ(client_->in_flight(), 0u);
  client_->cancel(id);
  EXPECT_TRUE(run_until([&] { return cancelled_ != 0; }));
  EXPECT_EQ(cancelled_, searched_);
  EXPECT_EQ(clients_->cancels_sent(), 1u);
}
TEST_F(AZmqLeafClient, TellsTheLeafToStopWhatIsLate) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  std::optional<Result<wire::SearchReply>> got;
  client_->search({}, Deadline::after(clock_, milliseconds(30)), [&](Result<wire::SearchReply> reply) { got = reply; });
  EXPECT_TRUE(run_until([&] { return cancelled_ != 0; }));
  EXPECT_EQ(*got, Code::kDeadline);
  EXPECT_EQ(cancelled_, searched_);
}
TEST_F(AZmqLeafClient, DoesNotTellOfARefusalThatWasCancelled) {
  start_leaf();
  connect(1);
  ASSERT_TRUE(reach());
  client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)), [](const Result<wire::SearchReply>&) {});
  const RequestId refused = client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)),
                                            [](const Result<wire::SearchReply>&) { ADD_FAILURE() << "nobody waits"; });
  client_->cancel(refused);
  EXPECT_TRUE(ask());
  EXPECT_EQ(clients_->cancels_sent(), 0u);
}
// It would wait for its deadline else.
TEST_F(AZmqLeafClient, FailsTheRequestOfAReplyThatCannotBeRead) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  garble_ = 1;
  client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)), [](const Result<wire::SearchReply>&) {});
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kCorrupt);
  EXPECT_EQ(client_->in_flight(), 1u) << "the other one's reply may be good";
}
TEST_F(AZmqLeafClient, FailsAllThatIsPendingWhereNobodyKnowsWhoseReplyItWas) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  garble_ = 2;
  std::optional<Result<wire::SearchReply>> got;
  client_->search({}, Deadline::after(clock_, std::chrono::seconds(20)),
                  [&](Result<wire::SearchReply> reply) { got = std::move(reply); });
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kCorrupt);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, Code::kCorrupt);
  garble_ = 0;
  EXPECT_TRUE(ask());
}
TEST_F(AZmqLeafClient, CallsAReplyOfAnotherKindCorrupt) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  lie_ = true;
  EXPECT_EQ(ask(), Code::kCorrupt);
}
// A leaf at its limit is not a leaf that is gone: only kUnavailable takes it out of service.
TEST_F(AZmqLeafClient, TellsWhyALeafRefuses) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  refuse_ = true;
  refusal_ = wire::UnsearchedReason::kOverloaded;
  EXPECT_EQ(ask(), Code::kOverloaded);
  refusal_ = wire::UnsearchedReason::kDeadline;
  EXPECT_EQ(ask(), Code::kDeadline);
  refusal_ = wire::UnsearchedReason::kUnknownGeneration;
  EXPECT_EQ(ask(), Code::kNotFound);
  refusal_ = wire::UnsearchedReason::kCorrupt;
  EXPECT_EQ(ask(), Code::kCorrupt);
  refusal_ = wire::UnsearchedReason::kUnavailable;
  EXPECT_EQ(ask(), Code::kUnavailable);
}
TEST_F(AZmqLeafClient, AnswersWhatIsPendingWhenItIsLetGo) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  mute_ = true;
  std::optional<Result<wire::HelloReply>> got;
  client_->hello({}, Deadline::after(clock_, std::chrono::seconds(20)),
                 [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
  client_.reset();
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, Code::kUnavailable);
}
TEST_F(AZmqLeafClient, HandsOverWhatALeafSaysUnasked) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  EXPECT_TRUE(news_.empty());
  goodbye_ = true;
  ASSERT_TRUE(ask());
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_TRUE(news_[0].draining);
}
TEST_F(AZmqLeafClient, FindsALeafByItsName) {
  start_leaf();
  connect();
  client_ = *clients_->create("tcp://localhost:" + std::to_string(port_));  // also [::1], where nobody listens
  ASSERT_TRUE(reach());
  stop_leaf();
  start_leaf(port_);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClient, SaysThatANameHasNoAddress) {
  start_leaf();
  connect();
  client_ = *clients_->create("tcp://no-such-leaf.invalid:" + std::to_string(port_));
  EXPECT_TRUE(is_told("cannot look 'no-such-leaf.invalid' up"));
}
TEST_F(AZmqLeafClient, RefusesAnAddressThatIsNone) {
  start_leaf();
  connect();
  EXPECT_EQ(clients_->create("nonsense"), Code::kInvalid);
}

// A port whose backlog is full: a connect neither succeeds nor is refused, as with an address that went away.
class DeafPort {
 public:
  DeafPort() {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(sockets_[0], any, size), 0);
    EXPECT_EQ(::listen(sockets_[0], 0), 0);
    EXPECT_EQ(::getsockname(sockets_[0], any, &size), 0);
    port_ = ntohs(address.sin_port);
    for (int i = 0; i < 4; ++i) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      (void)::connect(sockets_.back(), any, size);  // done, or under way for ever
    }
  }
  ~DeafPort() {
    for (const int socket : sockets_) ::close(socket);
  }
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

 private:
  std::vector<int> sockets_;
  std::uint16_t port_ = 0;
};

// ZeroMQ tells the monitor of a connect that ends with its socket; with nobody to read that, its one thread hung.
TEST_F(AZmqLeafClient, ReachesOthersOnceAnAddressThatNeverAnsweredIsLetGo) {
  start_leaf();
  connect();
  ASSERT_TRUE(reach());
  const DeafPort deaf;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<LeafClient>> others;
    for (int i = 0; i < 12; ++i) others.push_back(*clients_->create(deaf.endpoint()));
    io_.restart();
    io_.run_for(milliseconds(100));  // the connects are under way
    others.clear();
    client_ = *clients_->create("tcp://127.0.0.1:" + std::to_string(port_));
    ASSERT_TRUE(reach()) << "round " << round;
  }
}

class AZmqLeafClientWithCurve : public AZmqLeafClient {
 protected:
  AZmqLeafClientWithCurve() {
    let_in(broker_);
    clients_let_in_ = *wire::CurveClients::open(file_);
  }
  ~AZmqLeafClientWithCurve() override {
    if (socket_) stop_leaf();  // before the list of clients goes
  }
  void let_in(const wire::CurveKeyPair& keys) {
    support::write_file(folder_ / "next", keys.public_key.z85 + "\n");
    std::filesystem::rename(folder_ / "next", file_);
  }
  wire::RouterSocket::Curve guarded() { return {leaf_, &*clients_let_in_}; }

  const support::ScratchFolder folder_;
  const std::string file_ = folder_ / "clients";
  const wire::CurveKeyPair leaf_ = *wire::generate_curve_keys(), broker_ = *wire::generate_curve_keys();
  std::unique_ptr<wire::CurveClients> clients_let_in_;
};

TEST_F(AZmqLeafClientWithCurve, AsksAsWithoutAndReconnects) {
  start_leaf(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_.public_key});
  ASSERT_TRUE(reach());
  stop_leaf();
  start_leaf(port_, guarded());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, SaysThatItsKeyIsRefusedAndComesInOnceItIsNot) {
  start_leaf(0, guarded());
  const auto next = *wire::generate_curve_keys();
  connect(1024, ZmqLeafClients::Curve{next, leaf_.public_key});
  ASSERT_TRUE(is_told("does not let this broker's key in"));
  EXPECT_GE(clients_->handshake_failures().key_refused, 1u);
  let_in(next);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, IsToldWhenItsKeyLeftTheList) {
  start_leaf(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_.public_key});
  ASSERT_TRUE(reach());
  let_in(*wire::generate_curve_keys());
  EXPECT_TRUE(is_told("does not let this broker's key in", milliseconds(200)));
  let_in(broker_);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, DoesNotTakeAnotherForTheLeaf) {
  start_leaf(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, wire::generate_curve_keys()->public_key});
  EXPECT_TRUE(is_told("--curve-leaf-key is not the leaf's key"));
}
TEST_F(AZmqLeafClientWithCurve, NeverTalksPlainAndReturnsWhenTheLeafIsGuardedAgain) {
  start_leaf();
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_.public_key});
  ASSERT_TRUE(is_told("the leaf does not use CURVE"));
  EXPECT_EQ(asked_, 0);
  stop_leaf();
  start_leaf(port_, guarded());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, GetsNothingWithoutKeysAndReturnsWhenTheLeafIsPlainAgain) {
  start_leaf(0, guarded());
  connect();
  ASSERT_TRUE(is_told("the leaf uses CURVE"));
  stop_leaf();
  start_leaf(port_);
  EXPECT_TRUE(reach());
}
}  // namespace
}  // namespace frond::broker::cluster
