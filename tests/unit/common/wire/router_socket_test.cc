// The leaf's socket with ordinary DEALERs on loopback.
#include "common/wire/router_socket.h"

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::wire {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<RouterSocket> listening(RouterSocket::Config config = {}) {
  config.listen = "tcp://127.0.0.1:0";
  auto socket = RouterSocket::create(config);
  EXPECT_TRUE(socket);
  return std::move(socket).value();
}

class Dealer {
 public:
  explicit Dealer(std::uint16_t port) : Dealer("tcp://127.0.0.1:" + std::to_string(port)) {}
  explicit Dealer(const std::string& endpoint) : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 10'000);
    socket_.connect(endpoint);
  }
  void send(const std::string& text) { socket_.send(zmq::buffer(text)); }
  std::string receive() {
    zmq::message_t message;
    return socket_.recv(message) ? message.to_string() : "(nothing)";
  }
  zmq::socket_t& socket() { return socket_; }

 private:
  zmq::context_t context_{1};
  zmq::socket_t socket_;
};

ByteBuffer copy_of(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

TEST(RouterSocket, AnswersEachPeerItsOwnRequests) {
  const auto router = listening();
  router->start([&](const Peer& peer, ByteView request) { router->send(peer, copy_of(request)); });
  Dealer one(router->port()), two(router->port());
  for (int i = 0; i < 1000; ++i) {
    one.send("one " + std::to_string(i));
    two.send("two " + std::to_string(i));
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(one.receive(), "one " + std::to_string(i));
    ASSERT_EQ(two.receive(), "two " + std::to_string(i));
  }
  router->stop(milliseconds(0));
  EXPECT_EQ(router->dropped(), 0u);
}

// Each reply is made while its request is read, or from another peer's.
TEST(RouterSocket, SendsWhatAReceiverAnswersToItsPeerAndToOthers) {
  const auto router = listening();
  std::vector<Peer> known;
  router->start([&](const Peer& peer, ByteView request) {
    if (std::find(known.begin(), known.end(), peer) == known.end()) known.push_back(peer);
    for (const Peer& one : known) router->send(one, copy_of(request));
  });
  Dealer one(router->port());
  one.send("1");
  EXPECT_EQ(one.receive(), "1");
  Dealer two(router->port());
  two.send("2");
  EXPECT_EQ(two.receive(), "2");
  EXPECT_EQ(one.receive(), "2");
  router->stop(milliseconds(0));
  EXPECT_EQ(router->dropped(), 0u);
}

TEST(RouterSocket, ServesProcessesOfItsMachineAtAFile) {
  const support::ScratchFolder folder;
  const std::string endpoint = "ipc://" + (folder / "leaf").string();
  for (int i = 0; i < 2; ++i) {
    auto router = RouterSocket::create({.listen = endpoint, .io_threads = 2});
    ASSERT_TRUE(router) << router.error().message();
    EXPECT_EQ((*router)->port(), 0);
    EXPECT_FALSE(RouterSocket::create({.listen = endpoint})) << "it is in use";
    (*router)->start([&](const Peer& peer, ByteView request) { (*router)->send(peer, copy_of(request)); });
    const std::string large(1 << 20, 'x');
    Dealer one(endpoint), two(endpoint);
    one.send("one");
    two.send(large);
    EXPECT_EQ(one.receive(), "one");
    EXPECT_EQ(two.receive(), large);
    (*router)->stop(milliseconds(0));
    EXPECT_FALSE(std::filesystem::exists(folder / "leaf"));
  }
}
TEST(RouterSocket, LeavesTheFileOfAnotherThatHasItsPlace) {
  const support::ScratchFolder folder;
  const std::string endpoint = "ipc://" + (folder / "leaf").string();
  auto first = RouterSocket::create({.listen = endpoint});
  ASSERT_TRUE(first) << first.error().message();
  std::filesystem::remove(folder / "leaf");
  auto second = RouterSocket::create({.listen = endpoint});
  ASSERT_TRUE(second) << second.error().message();
  (*second)->start([&](const Peer& peer, ByteView request) { (*second)->send(peer, copy_of(request)); });
  (*first)->stop(milliseconds(0));
  Dealer one(endpoint);
  one.send("one");
  EXPECT_EQ(one.receive(), "one");
  (*second)->stop(milliseconds(0));
  EXPECT_FALSE(std::filesystem::exists(folder / "leaf"));
}
TEST(RouterSocket, TakesThePlaceOfAFileThatAProcessLeftBehind) {
  const support::ScratchFolder folder;
  const std::string file = (folder / "leaf").string();
  const pid_t killed = ::fork();
  if (killed == 0) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    file.copy(at.sun_path, sizeof at.sun_path - 1);
    ::_exit(::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at));
  }
  int status = 1;
  ASSERT_EQ(::waitpid(killed, &status, 0), killed);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::is_socket(file));
  EXPECT_TRUE(RouterSocket::create({.listen = "ipc://" + file}));
  std::ofstream(file) << "not a socket";
  EXPECT_FALSE(RouterSocket::create({.listen = "ipc://" + file}));
  EXPECT_TRUE(std::filesystem::exists(file)) << "it is somebody else's";
}

TEST(RouterSocket, TakesRepliesFromAnyThread) {
  const auto router = listening();
  std::vector<std::thread> workers;
  router->start([&](const Peer& peer, ByteView request) {
    workers.emplace_back([&, peer, reply = copy_of(request)] { router->send(peer, reply); });
  });
  Dealer dealer(router->port());
  for (int i = 0; i < 50; ++i) dealer.send("x");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(dealer.receive(), "x");
  router->stop(milliseconds(0));
  for (auto& worker : workers) worker.join();
}

TEST(RouterSocket, CountsRepliesToPeersThatAreGone) {
  const auto router = listening();
  router->start([&](const Peer& peer, ByteView request) { router->send(peer, copy_of(request)); });
  EXPECT_TRUE(router->send("nobody", ByteBuffer(8)));
  Dealer dealer(router->port());
  dealer.send("after");
  EXPECT_EQ(dealer.receive(), "after");  // by now the socket's thread has handled the first message
  EXPECT_EQ(router->dropped(), 1u);
}

TEST(RouterSocket, RefusesRepliesPastItsBounds) {
  RouterSocket::Config config;
  config.max_pending_replies = 2;
  config.max_pending_bytes = 100;
  const auto router = listening(config);  // not started, so replies stay in its queue
  EXPECT_FALSE(router->send("peer", ByteBuffer(101)));
  EXPECT_TRUE(router->send("peer", ByteBuffer(50)));
  EXPECT_FALSE(router->send("peer", ByteBuffer(51)));
  EXPECT_TRUE(router->send("peer", ByteBuffer(50)));
  EXPECT_FALSE(router->send("peer", ByteBuffer()));
  EXPECT_EQ(router->dropped(), 3u);
}

TEST(RouterSocket, DropsMessagesOfAnotherShapeAndGoesOn) {
  const auto router = listening();
  router->start([&](const Peer& peer, ByteView request) { router->send(peer, copy_of(request)); });
  Dealer dealer(router->port());
  dealer.socket().send(zmq::str_buffer("a"), zmq::send_flags::sndmore);
  dealer.socket().send(zmq::str_buffer("b"), zmq::send_flags::sndmore);
  dealer.socket().send(zmq::str_buffer("c"));
  dealer.send("whole");
  EXPECT_EQ(dealer.receive(), "whole");
}

TEST(RouterSocket, SendsWhatIsQueuedBeforeItStops) {
  const auto router = listening();
  std::atomic<int> seen{0};
  Peer known;
  router->start([&](const Peer& peer, ByteView) {
    known = peer;
    seen.store(1);
    seen.notify_one();
  });
  Dealer dealer(router->port());
  dealer.send("hello");
  seen.wait(0);
  EXPECT_TRUE(router->send(known, copy_of(as_bytes("bye"))));
  router->stop(milliseconds(5000));
  EXPECT_EQ(dealer.receive(), "bye");
  EXPECT_FALSE(router->send(known, ByteBuffer()));
}

TEST(RouterSocket, TellsWhoHasGone) {
  const auto router = listening();
  Peer known, lost;
  std::atomic<bool> gone{false};
  router->start(
      [&](const Peer& peer, ByteView request) {
        known = peer;
        router->send(peer, copy_of(request));
      },
      [&](const Peer& peer) {
        lost = peer;
        gone = true;
        gone.notify_one();
      });
  {
    Dealer dealer(router->port());
    dealer.send("x");
    EXPECT_EQ(dealer.receive(), "x");
    EXPECT_FALSE(gone);
  }
  gone.wait(false);
  router->stop(milliseconds(0));
  EXPECT_EQ(lost, known);
}

TEST(RouterSocket, SaysWhatIsWrongWithAnAddress) {
  const auto router = listening();
  EXPECT_EQ(RouterSocket::create({.listen = "tcp://127.0.0.1:" + std::to_string(router->port())}), Code::kUnavailable);
  EXPECT_EQ(RouterSocket::create({.listen = "inproc://somewhere"}), Code::kInvalid);
  EXPECT_EQ(RouterSocket::create({.listen = "ipc://"}), Code::kInvalid);
  EXPECT_EQ(RouterSocket::create({.listen = "ipc:///nowhere/leaf.sock"}), Code::kUnavailable);
  EXPECT_EQ(RouterSocket::create({.listen = "tcp://127.0.0.1"}), Code::kInvalid);
  EXPECT_EQ(RouterSocket::create({.listen = "tcp://127.0.0.1:http?"}), Code::kInvalid);
  // Host names are resolved, if the machine can resolve any.
  const addrinfo wanted{.ai_family = AF_INET};
  addrinfo* found = nullptr;
  const bool known = getaddrinfo("localhost", nullptr, &wanted, &found) == 0;
  if (known) freeaddrinfo(found);
  EXPECT_EQ(RouterSocket::create({.listen = "tcp://localhost:0"}).has_value(), known);
}

}  // namespace
}  // namespace frond::wire
