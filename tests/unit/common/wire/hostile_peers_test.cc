// What peers may do to a leaf's socket: others are served meanwhile, and the socket outlives it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include "common/wire/codec.h"
#include "common/wire/router_socket.h"
#include "tests/support/raw_peer.h"

namespace frond::wire {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::RawPeer;
using support::zmtp_frame;
using support::zmtp_greeting;
using support::zmtp_ready;

const std::string kHello = [] {
  const ByteBuffer hello = encode(Request(HelloRequest{.request_id = 1}));
  return zmtp_frame(as_text(hello));
}();

class ASocketWithStrangers : public testing::Test {
 protected:
  void start(RouterSocket::Config config = {}, std::size_t reply_bytes = 4) {
    config.listen = "tcp://127.0.0.1:0";
    socket_ = *RouterSocket::create(config);
    socket_->start([this, reply_bytes](const Peer& peer, ByteView) {
      const ByteView word = as_bytes("good");
      ByteBuffer reply(word.begin(), word.end());
      reply.resize(reply_bytes);
      socket_->send(peer, std::move(reply));
    });
  }
  std::uint16_t port() const { return socket_->port(); }
  // Whether somebody who behaves well is served, from an address of its own.
  bool serves() {
    RawPeer polite(port(), "127.0.0.9");
    return polite.greet() && polite.send(kHello) && polite.hears("good");
  }
  bool eventually(PeerOutcome outcome, std::uint64_t count = 1) {
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (socket_->peer_counts().of(outcome) < count && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(milliseconds(5));
    return socket_->peer_counts().of(outcome) >= count;
  }
  // Reads on until so many bytes have come.
  static bool takes(RawPeer& peer, std::size_t bytes) {
    for (std::size_t got = 0; got < bytes;) {
      const std::size_t some = peer.hear_some().size();
      if (some == 0) return false;
      got += some;
    }
    return true;
  }
  std::unique_ptr<RouterSocket> socket_;
};
constexpr std::size_t kLargeReply = 20u << 20;

// libzmq 4.3.4 aborts here: it stops reading at its high-water mark, and an answer comes when the connection is gone.
TEST_F(ASocketWithStrangers, OutlivesFloodsWhoseSendersReadNothingAndClose) {
  start({}, /*reply_bytes=*/1000);
  std::string burst;
  for (int i = 0; i < 400; ++i) burst += kHello;
  for (int round = 0; round < 3; ++round) {
    std::vector<RawPeer> peers;
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(peers.emplace_back(port()).greet());
    const auto end = std::chrono::steady_clock::now() + milliseconds(700);
    while (std::chrono::steady_clock::now() < end)
      for (RawPeer& peer : peers) peer.offer(burst);
    EXPECT_TRUE(serves());
  }
  EXPECT_TRUE(serves());
}
TEST_F(ASocketWithStrangers, ClosesWhoSpeaksSomethingElse) {
  start();
  for (const std::string& wrong :
       {std::string("GET / HTTP/1.1\r\n\r\n"), zmtp_greeting("CURVE"), zmtp_greeting() + zmtp_frame("\5READX", 4),
        zmtp_greeting() + zmtp_ready("PUB"), zmtp_greeting() + zmtp_frame("\5READY"), zmtp_greeting() + "\xf8",
        zmtp_greeting() + zmtp_frame(std::string(5000, 'x'), 4),
        zmtp_greeting() + zmtp_ready() + "\2\xff\xff\xff\xff\xff\xff\xff\xff",
        zmtp_greeting() + zmtp_ready() + zmtp_frame("", 4), zmtp_greeting() + zmtp_ready() + zmtp_frame("\4PING", 4)}) {
    RawPeer peer(port());
    peer.send(wrong);
    EXPECT_TRUE(peer.is_closed()) << wrong;
  }
  EXPECT_TRUE(serves());
}
TEST_F(ASocketWithStrangers, ClosesHandshakesThatDoNotEnd) {
  start({.handshake_timeout = milliseconds(300)});
  const std::string whole = zmtp_greeting() + zmtp_ready();
  std::vector<RawPeer> peers;
  for (const std::size_t bytes : {0, 1, 10, 11, 63, 64, 70, static_cast<int>(whole.size()) - 1})
    EXPECT_TRUE(peers.emplace_back(port()).send(whole.substr(0, bytes)));
  for (RawPeer& peer : peers) EXPECT_TRUE(peer.is_closed());
  // Peers see the end of a connection before it is counted.
  EXPECT_TRUE(eventually(PeerOutcome::kHandshake, peers.size()));
}
TEST_F(ASocketWithStrangers, ClosesWhoNeverAsksAnythingValid) {
  start({.unused_timeout = milliseconds(300)});
  RawPeer silent(port()), nonsense(port()), useful(port());
  EXPECT_TRUE(silent.greet() && nonsense.greet() && useful.greet() && useful.send(kHello));
  EXPECT_TRUE(nonsense.send(zmtp_frame("no request")));
  EXPECT_TRUE(eventually(PeerOutcome::kUnused, 2));
  EXPECT_TRUE(silent.is_closed() && nonsense.is_closed());
  EXPECT_TRUE(useful.send(kHello + zmtp_frame(std::string("\4PING\0\0still", 12), 4)) && useful.hears("still"));
}
TEST_F(ASocketWithStrangers, ClosesWhoHasNoHeartbeat) {
  start();
  RawPeer peer(port());
  EXPECT_TRUE(peer.greet() && peer.send(kHello) && peer.hears("\4PING") && peer.is_closed());
  EXPECT_TRUE(eventually(PeerOutcome::kSilent));
}
TEST_F(ASocketWithStrangers, LimitsConnectionsByAddressAndInTotal) {
  start({.max_peers = 6, .max_peers_by_address = 4});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 4; ++i) {
    RawPeer& peer = peers.emplace_back(port());
    EXPECT_TRUE(peer.greet() && peer.send(kHello) && peer.hears("good"));
  }
  EXPECT_TRUE(RawPeer(port()).is_closed());
  EXPECT_TRUE(eventually(PeerOutcome::kAddress));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(peers.emplace_back(port(), "127.0.0.2").greet());
  EXPECT_TRUE(serves()) << "the address with the most gives way";
  EXPECT_TRUE(eventually(PeerOutcome::kGaveWay));
}
TEST_F(ASocketWithStrangers, BoundsTheMemoryOfIncompleteRequests) {
  start({.max_held_bytes = 8u << 20});
  const std::string most = zmtp_frame(std::string(4u << 20, 'x')).substr(0, 3u << 20);
  std::vector<RawPeer> peers;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(peers.emplace_back(port()).greet());
    peers.back().send(most);
  }
  EXPECT_TRUE(eventually(PeerOutcome::kMemory, 2));
  EXPECT_TRUE(serves());
}
TEST_F(ASocketWithStrangers, KeepsNothingOfEndlessMessagesOfManyFrames) {
  start({.max_held_bytes = 2u << 20});
  RawPeer peer(port());
  EXPECT_TRUE(peer.greet());
  const std::string part = zmtp_frame(std::string(100'000, 'x'), 1);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(peer.send(part));
  EXPECT_TRUE(peer.send(zmtp_frame("end") + kHello) && peer.hears("good"));
  EXPECT_EQ(socket_->peer_counts().of(PeerOutcome::kMemory), 0u);
}
TEST_F(ASocketWithStrangers, DropsTheRepliesOfWhoDoesNotReadAndThenClosesIt) {
  start({}, /*reply_bytes=*/1u << 20);
  RawPeer peer(port());
  EXPECT_TRUE(peer.greet());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(peer.send(kHello));
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (socket_->dropped() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_GT(socket_->dropped(), 0u);
  while (peer.offer(zmtp_frame("\4PONG", 4)) && socket_->peer_counts().of(PeerOutcome::kStalled) == 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(100));
  EXPECT_TRUE(eventually(PeerOutcome::kStalled));
}
TEST_F(ASocketWithStrangers, SendsAWholeReplyBehindOneThatWaits) {
  start({}, kLargeReply);
  RawPeer peer(port());
  EXPECT_TRUE(peer.greet() && peer.send(kHello + kHello));
  EXPECT_TRUE(takes(peer, 2 * kLargeReply));
  EXPECT_EQ(socket_->dropped(), 0u);
}
TEST_F(ASocketWithStrangers, LeavesAPeerTimeForALargeReplyHoweverManyThreadsThereAre) {
  start({.io_threads = 16}, kLargeReply);
  RawPeer peer(port());
  EXPECT_TRUE(peer.greet() && peer.send(kHello));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_TRUE(takes(peer, kLargeReply));
}
TEST_F(ASocketWithStrangers, TakesAConnectionOnceThereIsADescriptorForIt) {
  start();
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const int next = ::dup(0);
  ::close(next);
  const rlimit one_more{static_cast<rlim_t>(next) + 1, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one_more), 0);
  RawPeer peer(port());  // has the last one
  EXPECT_TRUE(eventually(PeerOutcome::kDescriptors));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_TRUE(peer.greet() && peer.send(kHello) && peer.hears("good"));
}
// Bursts of many peers that were all there before somebody's one request.
TEST_F(ASocketWithStrangers, SharesATurnAmongThoseThatSendMuch) {
  constexpr int kPeers = 100, kBurst = 64;
  std::latch entered{1}, open{1};
  std::atomic<int> before{0};
  std::atomic<bool> heard{false};
  socket_ = *RouterSocket::create({.listen = "tcp://127.0.0.1:0"});
  socket_->start([&](const Peer&, ByteView request) {
    if (request.size() == 1) {
      entered.count_down();
      open.wait();
    }
    heard = heard || request.size() == 2;
    if (!heard) ++before;
  });
  std::vector<RawPeer> peers;
  for (int i = 0; i < kPeers + 2; ++i) {
    RawPeer& peer = peers.emplace_back(port());
    EXPECT_TRUE(peer.greet() && peer.hears("READY"));
  }
  EXPECT_TRUE(peers[0].send(zmtp_frame("1")));
  entered.wait();
  std::string burst;
  for (int i = 0; i < kBurst; ++i) burst += kHello;
  for (int i = 1; i <= kPeers; ++i) EXPECT_TRUE(peers[static_cast<std::size_t>(i)].send(burst));
  EXPECT_TRUE(peers.back().send(zmtp_frame("22")));
  for (RawPeer& peer : peers) EXPECT_TRUE(peer.is_delivered());
  open.count_down();
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (!heard && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(heard);
  EXPECT_LT(before, 600) << "a turn of 32 for each makes 3,200";
  socket_->stop(milliseconds(0));
}
TEST_F(ASocketWithStrangers, ServesOverSeveralThreads) {
  start({.io_threads = 3, .max_peers_by_address = 8});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(peers.emplace_back(port()).greet());
  for (RawPeer& peer : peers) EXPECT_TRUE(peer.send(kHello) && peer.hears("good"));
  EXPECT_TRUE(RawPeer(port()).is_closed());
  EXPECT_TRUE(serves());
}

}  // namespace
}  // namespace frond::wire
