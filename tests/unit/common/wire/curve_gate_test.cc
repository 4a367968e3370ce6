// The leaf's socket with CURVE, and DEALERs with correct keys, wrong keys and none.
#include "common/wire/router_socket.h"

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/support/scratch_folder.h"

namespace frond::wire {
namespace {
using std::chrono::milliseconds;

constexpr int kPatienceMs = 20'000;  // max wait for an expected message
constexpr int kSilenceMs = 300;      // wait for a message that must not come; a slow machine may miss one

class AGuardedSocket : public testing::Test {
 protected:
  AGuardedSocket() {
    let_in({broker_.public_key.z85});
    clients_ = *CurveClients::open(file_);
    router_ = *RouterSocket::create({.listen = "tcp://127.0.0.1:0", .curve = RouterSocket::Curve{leaf_, &*clients_}});
    router_->start([this](const Peer& peer, ByteView request) {
      router_->send(peer, {request.begin(), request.end()});
    });
  }
  // Replaces the file by a rename: a half-written list would be refused.
  void let_in(const CurvePublicKeys& keys) {
    std::string text;
    for (const auto& key : keys) text += key + "\n";
    support::write_file(folder_ / "next", text);
    std::filesystem::rename(folder_ / "next", file_);
  }
  zmq::socket_t dealer(const std::optional<CurveKeyPair>& keys, const CurvePublicKey& leaf) {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    if (keys) {
      socket.set(zmq::sockopt::curve_serverkey, leaf.z85);
      socket.set(zmq::sockopt::curve_publickey, keys->public_key.z85);
      socket.set(zmq::sockopt::curve_secretkey, keys->secret_z85);
    }
    socket.connect("tcp://127.0.0.1:" + std::to_string(router_->port()));
    return socket;
  }
  bool answered(zmq::socket_t& socket, int timeout_ms = kPatienceMs) {
    socket.set(zmq::sockopt::rcvtimeo, timeout_ms);
    // Without waiting: a DEALER whose only peer broke the handshake off has nobody to send to, perhaps for ever.
    zmq::message_t reply;
    return socket.send(zmq::str_buffer("request"), zmq::send_flags::dontwait) && socket.recv(reply).has_value() &&
           reply.to_string() == "request";
  }
  template <class Condition>
  bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + milliseconds(kPatienceMs);
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(10));
    return condition();
  }

  const support::ScratchFolder folder_;
  const std::string file_ = folder_ / "clients";
  const CurveKeyPair leaf_ = generate_curve_keys(), broker_ = generate_curve_keys();
  std::unique_ptr<CurveClients> clients_;
  std::unique_ptr<RouterSocket> router_;
  zmq::context_t context_{1};
};

TEST_F(AGuardedSocket, AnswersWhoIsInTheList) {
  auto socket = dealer(broker_, leaf_.public_key);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(answered(socket));
  EXPECT_GE(router_->curve().accepted, 1u);
  EXPECT_EQ(router_->curve().revoked, 0u);
}

TEST_F(AGuardedSocket, RefusesAKeyThatIsNot) {
  auto socket = dealer(generate_curve_keys(), leaf_.public_key);
  EXPECT_FALSE(answered(socket, kSilenceMs));
  EXPECT_TRUE(eventually([&] { return router_->curve().refused > 0; }));
  EXPECT_EQ(router_->curve().accepted, 0u);
}

TEST_F(AGuardedSocket, RefusesPlainPeers) {
  auto socket = dealer(std::nullopt, {});
  EXPECT_FALSE(answered(socket, kSilenceMs));
  EXPECT_TRUE(eventually([&] { return router_->curve().failed > 0; }));
}

TEST_F(AGuardedSocket, IsNotTakenForAnotherLeaf) {
  auto socket = dealer(broker_, generate_curve_keys().public_key);
  EXPECT_FALSE(answered(socket, kSilenceMs));
  EXPECT_TRUE(eventually([&] { return router_->curve().failed > 0; }));
  EXPECT_EQ(router_->curve().accepted, 0u);
}

TEST_F(AGuardedSocket, LetsANewKeyInWithoutARestart) {
  const CurveKeyPair next = generate_curve_keys();
  auto early = dealer(next, leaf_.public_key);
  EXPECT_FALSE(answered(early, kSilenceMs));
  let_in({broker_.public_key.z85, next.public_key.z85});
  ASSERT_TRUE(eventually([&] { return clients_->keys()->size() == 2; }));
  auto socket = dealer(next, leaf_.public_key);
  EXPECT_TRUE(answered(socket));
}

TEST_F(AGuardedSocket, NoLongerHearsAKeyThatLeftTheList) {
  auto socket = dealer(broker_, leaf_.public_key);
  ASSERT_TRUE(answered(socket));
  let_in({generate_curve_keys().public_key.z85});
  ASSERT_TRUE(eventually([&] { return !clients_->keys()->contains(broker_.public_key.z85); }));
  EXPECT_FALSE(answered(socket, kSilenceMs));
  EXPECT_TRUE(eventually([&] { return router_->curve().revoked == 1; }));
  let_in({broker_.public_key.z85});
  ASSERT_TRUE(eventually([&] { return clients_->keys()->contains(broker_.public_key.z85); }));
  EXPECT_TRUE(answered(socket));
}

TEST_F(AGuardedSocket, EndsWhilePeersKnock) {
  auto socket = dealer(generate_curve_keys(), leaf_.public_key), plain = dealer(std::nullopt, {});
  router_->stop(milliseconds(0));
  EXPECT_FALSE(answered(socket, 0));
}

TEST(AGuardedSocketsAddress, MayBeTakenAndNothingHangs) {
  const auto taken = *RouterSocket::create({.listen = "tcp://127.0.0.1:0"});
  const support::ScratchFolder folder;
  support::write_file(folder / "clients", generate_curve_keys().public_key.z85);
  const auto clients = *CurveClients::open(folder / "clients");
  EXPECT_EQ(RouterSocket::create({.listen = "tcp://127.0.0.1:" + std::to_string(taken->port()),
                                  .curve = RouterSocket::Curve{generate_curve_keys(), &*clients}}),
            Code::kUnavailable);
}

}  // namespace
}  // namespace frond::wire
