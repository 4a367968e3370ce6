// What a leaf, or what is taken for one, may do to a broker: requests fail with the reason, and other leaves are
// reached.
#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "tests/support/raw_peer.h"
#include "tests/unit/broker/cluster/zmq_leaf_client_fixture.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;
using support::zmtp_frame;
using support::zmtp_greeting;
using support::zmtp_ready;

// A port whose every connection gets the same treatment, one after the other, and is then closed.
class HostileLeaf {
 public:
  using Treatment = std::function<void(int socket, const std::atomic<bool>& over)>;
  explicit HostileLeaf(Treatment treatment) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this, treat = std::move(treatment)] {
      while (!over_) {
        const int peer = ::accept(listener_, nullptr, nullptr);
        if (peer < 0) return;
        treat(peer, over_);
        ::close(peer);
      }
    });
  }
  ~HostileLeaf() {
    over_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  HostileLeaf(const HostileLeaf&) = delete;
  HostileLeaf& operator=(const HostileLeaf&) = delete;
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

 private:
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

bool send_all(int socket, std::string_view bytes, const std::atomic<bool>& over) {
  while (!bytes.empty() && !over) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent < 0) std::this_thread::yield();
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return !over;
}
void stay(const std::atomic<bool>& over) {
  while (!over) std::this_thread::sleep_for(milliseconds(5));
}
const std::string kWelcome = zmtp_greeting() + zmtp_ready("ROUTER");

class ABroker : public AZmqLeafClient {
 protected:
  // A client of a hostile leaf and of a good one, on one loop.
  void meet(const HostileLeaf& hostile) {
    leaf_.start();
    connect();
    hostile_ = *clients_->create(hostile.endpoint());
  }
  // Asks the hostile one until its error says `why`, and the good one meanwhile.
  bool learns(const std::string& why, milliseconds patience = milliseconds(1000)) {
    std::string last;
    const auto end = clock_.now() + std::chrono::seconds(20);
    while (last.find(why) == std::string::npos && clock_.now() < end) {
      std::optional<Result<wire::HelloReply>> got;
      hostile_->hello({}, in(patience), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
      if (!run_until([&] { return got.has_value(); })) return false;
      last = *got ? "(an answer)" : got->error().message();
    }
    EXPECT_NE(last.find(why), std::string::npos) << last;
    return last.find(why) != std::string::npos && reach();
  }
  ~ABroker() override { hostile_.reset(); }
  std::unique_ptr<LeafClient> hostile_;
};

TEST_F(ABroker, OutlivesALeafThatFloodsItAndReadsNothing) {
  const std::string flood = [] {
    std::string many;
    for (int i = 0; i < 300; ++i) many += zmtp_frame(std::string(1000, 'x'));
    return many;
  }();
  const HostileLeaf hostile([&](int socket, const std::atomic<bool>& over) {
    if (!send_all(socket, kWelcome, over)) return;
    for (int i = 0; i < 30 && send_all(socket, flood, over); ++i) {
    }
  });
  meet(hostile);
  for (int i = 0; i < 20; ++i) {
    hostile_->hello({}, in_20_s(), [](const Result<wire::HelloReply>&) {});
    ASSERT_TRUE(reach()) << i;
    io_.run_for(milliseconds(20));
  }
}
TEST_F(ABroker, ClosesAConnectionWithEndlessFrames) {
  const HostileLeaf hostile([&](int socket, const std::atomic<bool>& over) {
    send_all(socket, kWelcome, over);
    const std::string part = zmtp_frame(std::string(60'000, 'x'), 1);
    for (int i = 0; i < 300 && send_all(socket, part, over); ++i) {
    }
    send_all(socket, "\2\x7f\xff\xff\xff\xff\xff\xff\xff", over);
    stay(over);
  });
  meet(hostile);
  EXPECT_TRUE(learns("does not speak ZeroMQ as a leaf does"));
}
TEST_F(ABroker, SaysThatTheProcessSpeaksSomethingElse) {
  const HostileLeaf hostile([](int socket, const std::atomic<bool>& over) {
    send_all(socket, "HTTP/1.1 400 Bad Request\r\n\r\n", over);
    stay(over);
  });
  meet(hostile);
  EXPECT_TRUE(learns("does not speak ZeroMQ as a leaf does"));
  EXPECT_GE(clients_->handshake_failures().protocol, 1u);
}
TEST_F(ABroker, SaysThatTheConnectionIsClosed) {
  const HostileLeaf hostile([](int, const std::atomic<bool>&) {});
  meet(hostile);
  EXPECT_TRUE(learns("the leaf ended the handshake"));
  EXPECT_GE(clients_->handshake_failures().closed, 1u);
}
TEST_F(ABroker, GivesUpAHandshakeThatDoesNotEnd) {
  const HostileLeaf hostile([](int, const std::atomic<bool>& over) { stay(over); });
  meet(hostile);
  EXPECT_TRUE(learns("does not finish the handshake"));
}
TEST_F(ABroker, LosesALeafThatIsSilent) {
  const HostileLeaf hostile([](int socket, const std::atomic<bool>& over) {
    send_all(socket, kWelcome, over);
    stay(over);
  });
  meet(hostile);
  EXPECT_TRUE(learns("the connection was lost", std::chrono::seconds(10)));
}

}  // namespace
}  // namespace frond::broker::cluster
