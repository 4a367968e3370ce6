// A socket's threads that now and then get no memory: something is lost, but they go on.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "common/wire/codec.h"
#include "common/wire/router_socket.h"
#include "tests/support/memory/failing_allocations.h"
#include "tests/support/raw_peer.h"

namespace frond::wire {
namespace {
using std::chrono::milliseconds;

class ASocketWithoutMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!support::kAllocationsCanFail) GTEST_SKIP() << "ThreadSanitizer has its own operator new";
    socket_ = *RouterSocket::create({.listen = "tcp://127.0.0.1:0"});
    socket_->start([this](const Peer& peer, ByteView) { socket_->send(peer, good_); });
  }
  bool asks(support::RawPeer& peer) {
    static const ByteBuffer kHello = encode(Request(HelloRequest{.request_id = 1}));
    return peer.send(support::zmtp_frame(as_text(kHello)));
  }
  bool serves() {
    support::RawPeer peer(socket_->port());
    return peer.greet() && asks(peer) && peer.hears("good");
  }
  // Whether its timer runs.
  bool turns() {
    const Instant now = SteadyClock().now();
    for (int i = 0; i < 200 && socket_->loops()[0].turned <= now; ++i) std::this_thread::sleep_for(milliseconds(10));
    return socket_->loops()[0].turned > now;
  }
  const ByteBuffer good_{as_bytes("good").begin(), as_bytes("good").end()};
  std::unique_ptr<RouterSocket> socket_;
};

TEST_F(ASocketWithoutMemory, TurnsOnAfterATurnThatFailed) {
  support::RawPeer peer(socket_->port());
  ASSERT_TRUE(peer.greet() && asks(peer) && peer.hears("good"));
  for (int round = 0; round < 3; ++round) {
    support::fail_allocation_elsewhere(1);
    for (int i = 0; i < 200 && support::allocation_will_fail_elsewhere(); ++i)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_FALSE(support::allocation_will_fail_elsewhere());
    EXPECT_TRUE(turns());
  }
}
TEST_F(ASocketWithoutMemory, ServesAfterAnyAllocationThatFailed) {
  for (unsigned count = 1; count <= 60; ++count) {
    support::fail_allocation_elsewhere(count);
    support::RawPeer peer(socket_->port());
    (void)(peer.greet() && asks(peer) && asks(peer));
    std::this_thread::sleep_for(milliseconds(5));
    support::fail_allocation_elsewhere(0);
  }
  for (int i = 0; i < 1000 && socket_->peers() > 0; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(socket_->peers(), 0u) << "all have left";
  EXPECT_TRUE(serves());
  EXPECT_TRUE(turns());
}

}  // namespace
}  // namespace frond::wire
