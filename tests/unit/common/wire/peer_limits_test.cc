// Which connections are accepted, and which give way.
#include "common/wire/peer_limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace frond::wire {
namespace {
using std::chrono::seconds;
using Refusal = PeerLimits::Refusal;

class PeerLimitsOf6And3ByAddress : public testing::Test {
 protected:
  PeerLimits::Admission knock(const std::string& address) {
    return limits_.admit(boost::asio::ip::make_address(address), now_);
  }
  std::shared_ptr<PeerLimits::Place> enter(const std::string& address) {
    auto admission = knock(address);
    EXPECT_NE(admission.place, nullptr) << address;
    EXPECT_FALSE(admission.gives_way) << address;
    return admission.place;
  }
  Instant now_ = Instant() + std::chrono::hours(1);
  PeerLimits limits_{6, 3};
};

TEST_F(PeerLimitsOf6And3ByAddress, RefuseTheFourthOfAnAddressButTakeOthers) {
  for (int i = 0; i < 3; ++i) enter("192.0.2.1");
  const auto fourth = knock("192.0.2.1");
  EXPECT_EQ(fourth.place, nullptr);
  EXPECT_EQ(fourth.refusal, Refusal::kAddress);
  enter("192.0.2.2");
  EXPECT_EQ(limits_.size(), 4u);
}
TEST_F(PeerLimitsOf6And3ByAddress, GiveTheQuietestOfTheAddressUpOnceItIsQuiet) {
  const auto other = enter("192.0.2.2"), loud = enter("192.0.2.1"), quiet = enter("192.0.2.1"),
             quieter = enter("192.0.2.1");
  now_ += PeerLimits::kMinQuiet - seconds(1);
  quiet->hear(now_);
  EXPECT_EQ(knock("192.0.2.1").place, nullptr);
  now_ += seconds(1);
  loud->hear(now_);
  const auto next = knock("192.0.2.1");
  ASSERT_NE(next.place, nullptr);
  EXPECT_EQ(next.gives_way, quieter->id);
  EXPECT_EQ(limits_.size(), 4u);
  limits_.leave(*quieter);  // has left
  EXPECT_EQ(limits_.size(), 4u);
}
TEST_F(PeerLimitsOf6And3ByAddress, GiveUpOneThatAnswersHeartbeatsButAsksForNothing) {
  std::vector<std::shared_ptr<PeerLimits::Place>> all;
  for (int i = 0; i < 3; ++i) all.push_back(enter("192.0.2.1"));
  for (int second = 0; second < 3; ++second) {
    EXPECT_EQ(knock("192.0.2.1").place, nullptr);
    now_ += seconds(1);
    for (const auto& one : all) one->hear(now_);
    all[0]->ask(now_);
  }
  all[1]->ask(now_ - seconds(3) + std::chrono::milliseconds(1));
  all[1]->hear(now_);
  EXPECT_EQ(knock("192.0.2.1").gives_way, all[2]->id);
  EXPECT_EQ(knock("192.0.2.1").place, nullptr) << "the others have asked";
}
TEST_F(PeerLimitsOf6And3ByAddress, GiveUpSuchAOneOfAnyAddressWhenAllAreFull) {
  std::vector<std::shared_ptr<PeerLimits::Place>> all;
  for (int i = 0; i < 6; ++i) all.push_back(enter("192.0.2." + std::to_string(i)));
  now_ += PeerLimits::kMinQuiet;
  for (const auto& one : all) one->hear(now_);
  for (const int i : {0, 1, 2, 4, 5}) all[static_cast<std::size_t>(i)]->ask(now_);
  EXPECT_EQ(knock("192.0.2.9").gives_way, all[3]->id);
  EXPECT_EQ(knock("192.0.2.10").place, nullptr);
}
TEST_F(PeerLimitsOf6And3ByAddress, TakeAllOfAnIpv6NetworkForOneAddress) {
  enter("2001:db8::1");
  enter("2001:db8::2");
  enter("2001:db8::ffff:1");
  EXPECT_EQ(knock("2001:db8::3").refusal, Refusal::kAddress);
  enter("2001:db8:0:1::1");
  for (int i = 0; i < 2; ++i) enter("192.0.2.1");
}
TEST_F(PeerLimitsOf6And3ByAddress, TakeAMappedAddressForThePlainOne) {
  for (int i = 0; i < 3; ++i) enter(i % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1");
  EXPECT_EQ(knock("::ffff:192.0.2.1").place, nullptr);
  enter("::ffff:192.0.2.2");
}
TEST_F(PeerLimitsOf6And3ByAddress, TakeNoNetworkForAnAddressOfTheSameLetters) {
  for (int i = 0; i < 3; ++i) enter("10.0.0.1");
  enter("3130:2e30:2e30:2e31::1");  // its first 8 bytes are "10.0.0.1"
}
TEST_F(PeerLimitsOf6And3ByAddress, TakeFromTheAddressWithTheMostWhenAllAreBusy) {
  std::vector<std::shared_ptr<PeerLimits::Place>> first;
  for (int i = 0; i < 3; ++i) first.push_back(enter("192.0.2.1"));
  for (int i = 0; i < 2; ++i) enter("192.0.2.2");
  enter("192.0.2.3");
  const auto next = knock("192.0.2.4");
  ASSERT_NE(next.place, nullptr);
  EXPECT_EQ(next.gives_way, first[0]->id);
  const auto twice = knock("192.0.2.4");  // now the most are two, as it would have
  EXPECT_EQ(twice.place, nullptr);
  EXPECT_EQ(twice.refusal, Refusal::kFull);
}
TEST_F(PeerLimitsOf6And3ByAddress, PreferAQuietOneOfAnyAddress) {
  const auto quiet = enter("192.0.2.3");
  now_ += PeerLimits::kMinQuiet;
  for (int i = 0; i < 3; ++i) enter("192.0.2.1");
  for (int i = 0; i < 2; ++i) enter("192.0.2.2");
  EXPECT_EQ(knock("192.0.2.4").gives_way, quiet->id);
}
TEST_F(PeerLimitsOf6And3ByAddress, ShedTheLargestOfTheAddressThatHoldsTheMostUntilAllHoldLittleEnough) {
  const auto one = enter("192.0.2.1"), small = enter("192.0.2.1"), large = enter("192.0.2.1"),
             single = enter("192.0.2.2"), idle = enter("192.0.2.3");
  EXPECT_EQ(limits_.hold(*one, 100), 100u);
  EXPECT_EQ(limits_.hold(*one, 30), 30u);
  limits_.hold(*small, 20);
  limits_.hold(*large, 40);
  EXPECT_EQ(limits_.hold(*single, 60), 150u);
  EXPECT_TRUE(limits_.shed(150).empty());
  EXPECT_EQ(limits_.shed(100), (std::vector{large->id, single->id})) << "90 against 60, then 60 against 50";
  EXPECT_EQ(limits_.size(), 3u);
  EXPECT_EQ(limits_.hold(*large, 7), 57u) << "until it is closed";
  EXPECT_EQ(limits_.hold(*large, 0), 50u);
  EXPECT_EQ(limits_.shed(0), (std::vector{one->id, small->id}));
  EXPECT_EQ(limits_.size(), 1u);
}
TEST(PeerLimits, ShedThousandsInOnePass) {
  constexpr unsigned kPeers = 60'000;
  PeerLimits limits(kPeers, kPeers);
  std::vector<std::shared_ptr<PeerLimits::Place>> places;
  for (unsigned i = 0; i < kPeers; ++i) {
    const auto address = boost::asio::ip::make_address_v4((10u << 24) + i / 2);
    places.push_back(limits.admit(address, Instant()).place);
    limits.hold(*places.back(), 1000 + i % 7);
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(limits.shed(0).size(), kPeers);
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(5)) << "a pass for each takes minutes";
}
TEST_F(PeerLimitsOf6And3ByAddress, ForgetWhoHasLeft) {
  std::vector<std::shared_ptr<PeerLimits::Place>> all;
  for (int i = 0; i < 3; ++i) all.push_back(enter("192.0.2.1"));
  limits_.leave(*all[1]);
  limits_.leave(*all[1]);
  enter("192.0.2.1");
  EXPECT_EQ(knock("192.0.2.1").place, nullptr);
}

}  // namespace
}  // namespace frond::wire
