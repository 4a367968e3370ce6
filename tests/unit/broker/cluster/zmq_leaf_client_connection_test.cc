// How the ZeroMQ client connects, and connects again.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/unit/broker/cluster/zmq_leaf_client_fixture.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

TEST_F(AZmqLeafClient, FailsAtOnceIfNoLeafListens) {
  leaf_.start();
  leaf_.stop();
  connect();
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kUnavailable) << "not kDeadline";
}
TEST_F(AZmqLeafClient, FailsOpenRequestsWhenTheLeafDies) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kNothing;
  const int before = leaf_.asked;
  std::optional<Result<wire::HelloReply>> got;
  client_->hello({}, in_20_s(), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
  ASSERT_TRUE(run_until([&] { return leaf_.asked > before; }));
  leaf_.stop();
  ASSERT_TRUE(run_until([&] { return got.has_value(); }));
  EXPECT_EQ(*got, Code::kUnavailable) << "not kDeadline";
}
TEST_F(AZmqLeafClient, ReconnectsByItself) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.stop();
  leaf_.start(leaf_.port());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClient, ReachesALeafAtAFileOfItsMachine) {
  const support::ScratchFolder folder;
  const std::string endpoint = "ipc://" + (folder / "leaf").string();
  leaf_.start_at(endpoint);
  connect();
  EXPECT_TRUE(reach());
  leaf_.stop();
  EXPECT_TRUE(fails_because("nothing answers at its address"));
  leaf_.start_at(endpoint);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClient, FindsALeafByItsName) {
  leaf_.start();
  connect();
  client_ = *clients_->create("tcp://localhost:" + std::to_string(leaf_.port()));  // also [::1], where no leaf listens
  ASSERT_TRUE(reach());
  leaf_.stop();
  leaf_.start(leaf_.port());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClient, SaysThatANameHasNoAddress) {
  leaf_.start();
  connect();
  client_ = *clients_->create("tcp://no-such-leaf.invalid:" + std::to_string(leaf_.port()));
  EXPECT_TRUE(fails_because("cannot look 'no-such-leaf.invalid' up"));
}
TEST_F(AZmqLeafClient, RefusesAnAddressThatIsNone) {
  leaf_.start();
  connect();
  EXPECT_EQ(clients_->create("nonsense"), Code::kInvalid);
}

// A port whose backlog is full: a connect neither succeeds nor is refused, as with a host that is down.
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

// ZeroMQ reports a connect that ends with its socket to the monitor; without a reader its one thread hung.
TEST_F(AZmqLeafClient, ReachesOtherLeavesAfterAnAddressThatNeverAnswered) {
  ASSERT_TRUE(connect_to_leaf());
  const DeafPort deaf;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<LeafClient>> others;
    others.reserve(12);
    for (int i = 0; i < 12; ++i) others.push_back(*clients_->create(deaf.endpoint()));
    io_.restart();
    io_.run_for(milliseconds(100));  // the connects are under way
    others.clear();
    client_ = *clients_->create(leaf_.endpoint());
    ASSERT_TRUE(reach()) << "round " << round;
  }
}
}  // namespace
}  // namespace frond::broker::cluster
