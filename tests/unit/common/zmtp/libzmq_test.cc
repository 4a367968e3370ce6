// Connections with libzmq's sockets at the other end: brokers and leaves of versions before this code have those.
// libzmq as DEALER is in tests/unit/common/wire; here it is ROUTER.
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/wire/curve_keys.h"
#include "common/zmtp/connection.h"
#include "common/zmtp/curve.h"

namespace frond::zmtp {
namespace {
using boost::asio::ip::tcp;
using std::chrono::milliseconds;

class AZmqRouter : public testing::TestWithParam<bool>, public Connection::Owner {
 protected:
  void bind() {
    router_.set(zmq::sockopt::linger, 0);
    router_.set(zmq::sockopt::rcvtimeo, 20'000);
    router_.set(zmq::sockopt::heartbeat_ivl, 100);
    router_.set(zmq::sockopt::heartbeat_timeout, 1000);
    router_.set(zmq::sockopt::heartbeat_ttl, 1000);
    if (GetParam()) {
      router_.set(zmq::sockopt::curve_server, true);
      router_.set(zmq::sockopt::curve_secretkey, leaf_.secret_z85);
    }
    router_.bind("tcp://127.0.0.1:*");
  }
  void connect() {
    const std::string bound = router_.get(zmq::sockopt::last_endpoint);
    tcp::socket socket(io_);
    socket.connect({boost::asio::ip::address_v4::loopback(),
                    static_cast<std::uint16_t>(std::stoul(bound.substr(bound.rfind(':') + 1)))});
    auto mechanism = GetParam() ? curve_dealer(wire::raw_keys(broker_), wire::raw_key(leaf_.public_key))
                                : null_mechanism(Role::kDealer);
    connection_ = std::make_shared<Connection>(
        std::move(socket), std::move(mechanism),
        Connection::Limits{.max_message_bytes = 1 << 20, .max_unsent_bytes = 1 << 20, .heartbeat = milliseconds(50)},
        *this, shared_, clock_.now());
    connection_->start();
  }
  template <class Done>
  bool run_until(Done done) {
    const auto end = clock_.now() + std::chrono::seconds(20);
    while (!done() && clock_.now() < end) {
      io_.restart();
      io_.run_one_for(milliseconds(10));
      connection_->tick(clock_.now());
    }
    return done();
  }
  void on_ready(Connection&) override { ready_ = true; }
  void on_message(Connection&, ByteView message) override { got_.emplace_back(as_text(message)); }
  void on_end(Connection&, End, Trouble) override { ended_ = true; }

  const wire::CurveKeyPair leaf_ = wire::generate_curve_keys(), broker_ = wire::generate_curve_keys();
  const SteadyClock clock_{};
  zmq::context_t context_{1};
  zmq::socket_t router_{context_, zmq::socket_type::router};
  Connection::Shared shared_;
  boost::asio::io_context io_{1};
  std::shared_ptr<Connection> connection_;
  std::vector<std::string> got_;
  bool ready_ = false, ended_ = false;
};

TEST_P(AZmqRouter, ExchangesMessagesOfAllSizesWithUs) {
  bind();
  connect();
  ASSERT_TRUE(run_until([&] { return ready_; }));
  std::vector<std::string> sent;
  for (const std::size_t size : {0, 1, 222, 255, 256, 8191, 500'000}) sent.emplace_back(size, 'x');
  for (const std::string& message : sent) {
    ASSERT_TRUE(connection_->send(as_bytes(message)));
    connection_->flush();
    std::thread echo([&] {
      zmq::message_t peer, request;
      if (!router_.recv(peer) || !router_.recv(request)) return;
      EXPECT_EQ(request.to_string(), message);
      router_.send(peer, zmq::send_flags::sndmore);
      router_.send(request, zmq::send_flags::none);
    });
    EXPECT_TRUE(run_until([&] { return !got_.empty(); }));
    echo.join();
    EXPECT_EQ(got_, std::vector{message});
    got_.clear();
  }
}
TEST_P(AZmqRouter, StaysConnectedByHeartbeatsOfBothSides) {
  bind();
  connect();
  ASSERT_TRUE(run_until([&] { return ready_; }));
  const Instant since = clock_.now();
  run_until([&] { return clock_.now() > since + milliseconds(3500); });
  EXPECT_FALSE(ended_);
  ASSERT_TRUE(connection_->send(as_bytes("still here")));
  connection_->flush();
  zmq::message_t peer, request;
  ASSERT_TRUE(router_.recv(peer) && router_.recv(request));
  EXPECT_EQ(request.to_string(), "still here");
}
INSTANTIATE_TEST_SUITE_P(Registry, AZmqRouter, testing::Values(false, true),
                         [](const auto& one) { return std::string(one.param ? "CURVE" : "NULL"); });

}  // namespace
}  // namespace frond::zmtp
