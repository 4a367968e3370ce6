// The ZeroMQ client with CURVE keys, and leaves with and without.
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/unit/broker/cluster/zmq_leaf_client_fixture.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

class AZmqLeafClientWithCurve : public AZmqLeafClient {
 protected:
  AZmqLeafClientWithCurve() {
    let_in(broker_);
    clients_let_in_ = *wire::CurveClients::open(file_);
  }
  ~AZmqLeafClientWithCurve() override {
    leaf_.stop();  // before the list of clients ends
  }
  void let_in(const wire::CurveKeyPair& keys) {
    support::write_file(folder_ / "next", keys.public_key.z85 + "\n");
    std::filesystem::rename(folder_ / "next", file_);
  }
  wire::RouterSocket::Curve guarded() { return {leaf_keys_, &*clients_let_in_}; }

  const support::ScratchFolder folder_;
  const std::string file_ = folder_ / "clients";
  const wire::CurveKeyPair leaf_keys_ = wire::generate_curve_keys(), broker_ = wire::generate_curve_keys();
  std::unique_ptr<wire::CurveClients> clients_let_in_;
};

TEST_F(AZmqLeafClientWithCurve, ConnectsAndReconnects) {
  leaf_.start(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_keys_.public_key});
  ASSERT_TRUE(reach());
  leaf_.stop();
  leaf_.start(leaf_.port(), guarded());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, SaysThatItsKeyIsRefusedAndConnectsOnceItIsInTheList) {
  leaf_.start(0, guarded());
  const auto next = wire::generate_curve_keys();
  connect(1024, ZmqLeafClients::Curve{next, leaf_keys_.public_key});
  ASSERT_TRUE(fails_because("does not let this broker's key in"));
  EXPECT_GE(clients_->handshake_failures().key_refused, 1u);
  let_in(next);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, SaysThatItsKeyWasRemovedFromTheList) {
  leaf_.start(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_keys_.public_key});
  ASSERT_TRUE(reach());
  let_in(wire::generate_curve_keys());
  EXPECT_TRUE(fails_because("does not let this broker's key in", milliseconds(200)));
  let_in(broker_);
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, DoesNotTalkToALeafWithAnotherKey) {
  leaf_.start(0, guarded());
  connect(1024, ZmqLeafClients::Curve{broker_, wire::generate_curve_keys().public_key});
  EXPECT_TRUE(fails_because("--curve-leaf-key is not the leaf's key"));
}
TEST_F(AZmqLeafClientWithCurve, NeverTalksWithoutCurveAndReconnectsWhenTheLeafUsesItAgain) {
  leaf_.start();
  connect(1024, ZmqLeafClients::Curve{broker_, leaf_keys_.public_key});
  ASSERT_TRUE(fails_because("the leaf does not use CURVE"));
  EXPECT_EQ(leaf_.asked, 0);
  leaf_.stop();
  leaf_.start(leaf_.port(), guarded());
  EXPECT_TRUE(reach());
}
TEST_F(AZmqLeafClientWithCurve, GetsNothingWithoutKeysAndReconnectsWhenTheLeafUsesCurveNoMore) {
  leaf_.start(0, guarded());
  connect();
  ASSERT_TRUE(fails_because("the leaf uses CURVE"));
  leaf_.stop();
  leaf_.start(leaf_.port());
  EXPECT_TRUE(reach());
}
}  // namespace
}  // namespace frond::broker::cluster
