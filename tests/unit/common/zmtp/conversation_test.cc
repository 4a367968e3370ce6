// Two conversations that get each other's bytes, and peers that send anything.
#include "common/zmtp/conversation.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/zmtp/curve.h"

namespace frond::zmtp {
namespace {

constexpr std::size_t kMaxMessage = 1u << 20;

struct Side {
  explicit Side(std::unique_ptr<Mechanism> mechanism) : talk(std::move(mechanism), kMaxMessage) {}
  Trouble take(ByteView bytes) {
    return talk.take(bytes, 1 << 20, [this](ByteView message) {
      messages.emplace_back(as_text(message));
      return true;
    });
  }
  Conversation talk;
  std::vector<std::string> messages;
};

// Passes what one side has to send to the other, `step` bytes at a time, until neither has any.
Trouble exchange(Side& one, Side& two, std::size_t step = 1u << 20) {
  for (;;) {
    bool moved = false;
    for (auto [from, to] : {std::pair(&one, &two), std::pair(&two, &one)}) {
      const ByteView unsent = from->talk.unsent();
      const ByteBuffer bytes(unsent.begin(),
                             unsent.begin() + static_cast<std::ptrdiff_t>(std::min(step, unsent.size())));
      if (bytes.empty()) continue;
      moved = true;
      from->talk.sent(bytes.size());
      if (const Trouble trouble = to->take(bytes); trouble != Trouble::kNone) return trouble;
    }
    if (!moved) return Trouble::kNone;
  }
}

struct Keys {
  CurvePair router = make_curve_pair(), dealer = make_curve_pair();
};
std::unique_ptr<Mechanism> router(const Keys& keys, std::optional<CurveKey> only = {}) {
  return curve_router(keys.router, [=](const CurveKey& key) { return key == only.value_or(keys.dealer.public_key); });
}
std::unique_ptr<Mechanism> dealer(const Keys& keys) { return curve_dealer(keys.dealer, keys.router.public_key); }

class EveryMechanism : public testing::TestWithParam<bool> {
 protected:
  const Keys keys_{};
  Side router_{GetParam() ? router(keys_) : null_mechanism(Role::kRouter)};
  Side dealer_{GetParam() ? dealer(keys_) : null_mechanism(Role::kDealer)};
};

TEST_P(EveryMechanism, CarriesMessagesBothWaysHoweverTheBytesAreCut) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
    Side router_side(GetParam() ? router(keys_) : null_mechanism(Role::kRouter));
    Side dealer_side(GetParam() ? dealer(keys_) : null_mechanism(Role::kDealer));
    ASSERT_EQ(exchange(router_side, dealer_side, step), Trouble::kNone);
    ASSERT_TRUE(router_side.talk.ready() && dealer_side.talk.ready());
    std::vector<std::string> sent;
    for (const std::size_t size : {0, 1, 100, 222, 223, 255, 256, 5000, 300'000}) sent.emplace_back(size, 'x');
    for (const std::string& message : sent) {
      router_side.talk.put_message(as_bytes(message));
      dealer_side.talk.put_message(as_bytes(message));
      dealer_side.talk.put_ping();
    }
    ASSERT_EQ(exchange(router_side, dealer_side, step), Trouble::kNone);
    EXPECT_EQ(router_side.messages, sent);
    EXPECT_EQ(dealer_side.messages, sent);
    EXPECT_EQ(router_side.talk.kept() + dealer_side.talk.kept(), 0u);
  }
}
TEST_P(EveryMechanism, RefusesAMessageThatIsTooLargeBeforeItHasCome) {
  ASSERT_EQ(exchange(router_, dealer_), Trouble::kNone);
  dealer_.talk.put_message(ByteBuffer(kMaxMessage + 1));
  EXPECT_EQ(router_.take(dealer_.talk.unsent().first(20)), Trouble::kProtocol);
  EXPECT_EQ(router_.talk.kept(), 0u);
}
TEST_P(EveryMechanism, HoldsNoMoreThanTwiceWhatHasComeAndNothingOfWhatIsDone) {
  ASSERT_EQ(exchange(router_, dealer_), Trouble::kNone);
  EXPECT_EQ(router_.talk.held() + dealer_.talk.held(), 0u);
  dealer_.talk.put_message(ByteBuffer(kMaxMessage));
  const ByteView frame = dealer_.talk.unsent();
  EXPECT_LE(dealer_.talk.held(), frame.size() + 100);
  for (std::size_t come = 0; come < frame.size();) {
    const std::size_t step = come == 0 ? 20 : std::min<std::size_t>(30'000, frame.size() - come);
    EXPECT_EQ(router_.take(frame.subspan(come, step)), Trouble::kNone);
    come += step;
    EXPECT_LE(router_.talk.held(), 2 * come);
  }
  EXPECT_EQ(router_.talk.held(), 0u);
  dealer_.talk.sent(frame.size());
  EXPECT_EQ(dealer_.talk.held(), 0u);
}
TEST_P(EveryMechanism, MakesRoomOfWhatItHasSentWhileSomeIsAlwaysUnsent) {
  ASSERT_EQ(exchange(router_, dealer_), Trouble::kNone);
  router_.talk.put_message(ByteBuffer(50'000));
  for (int i = 0; i < 10'000; ++i) {
    router_.talk.put_message(ByteBuffer(1000));
    router_.talk.sent(router_.talk.unsent().size() - 50'000);
    ASSERT_LE(router_.talk.held(), 100'000u);
  }
}
TEST_P(EveryMechanism, PausesAfterAFewFramesAndGoesOn) {
  ASSERT_EQ(exchange(router_, dealer_), Trouble::kNone);
  for (int i = 0; i < 10; ++i) dealer_.talk.put_message(as_bytes("x"));
  int got = 0;
  const auto count = [&](ByteView) { return ++got > 0; };
  EXPECT_EQ(router_.talk.take(dealer_.talk.unsent(), 4, count), Trouble::kNone);
  EXPECT_EQ(got, 4);
  for (const int then : {8, 10}) {
    ASSERT_TRUE(router_.talk.paused());
    EXPECT_EQ(router_.talk.take({}, 4, count), Trouble::kNone);
    EXPECT_EQ(got, then);
  }
  EXPECT_FALSE(router_.talk.paused());
}
TEST_P(EveryMechanism, EndsAtAnyByteThatIsChangedOrStaysAsItIs) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    Side router_side(GetParam() ? router(keys_) : null_mechanism(Role::kRouter));
    Side dealer_side(GetParam() ? dealer(keys_) : null_mechanism(Role::kDealer));
    auto left = static_cast<std::ptrdiff_t>(random() % 900);
    for (int turn = 0; turn < 12; ++turn) {
      Side &from = turn % 2 == 0 ? dealer_side : router_side, &to = turn % 2 == 0 ? router_side : dealer_side;
      if (from.talk.ready()) from.talk.put_message(as_bytes("message"));
      ByteBuffer bytes(from.talk.unsent().begin(), from.talk.unsent().end());
      from.talk.sent(bytes.size());
      if (left >= 0 && left < static_cast<std::ptrdiff_t>(bytes.size()))
        bytes[static_cast<std::size_t>(left)] ^= static_cast<std::byte>(1 + random() % 255);
      left -= static_cast<std::ptrdiff_t>(bytes.size());
      if (to.take(bytes) != Trouble::kNone) break;
    }
  }
}
TEST_P(EveryMechanism, SurvivesArbitraryBytesAtEveryStage) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    Side router_side(GetParam() ? router(keys_) : null_mechanism(Role::kRouter));
    const ByteBuffer greeting(dealer_.talk.unsent().begin(), dealer_.talk.unsent().end());
    if (round % 4 != 0) {
      EXPECT_EQ(router_side.take(greeting), Trouble::kNone);
    }
    ByteBuffer noise(random() % 600);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 8);
    router_side.take(noise);
    EXPECT_LE(router_side.talk.kept(), noise.size());
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryMechanism, testing::Values(false, true),
                         [](const auto& one) { return std::string(one.param ? "CURVE" : "NULL"); });

TEST(Curve, RefusesAKeyThatIsNotInTheListAndSaysSo) {
  const Keys keys;
  Side router_side(router(keys, make_curve_pair().public_key)), dealer_side(dealer(keys));
  EXPECT_EQ(exchange(router_side, dealer_side), Trouble::kRefused);
  const ByteView answer = router_side.talk.unsent();
  EXPECT_EQ(as_text(answer), std::string("\x04\x0a\x05") +
                                 "ERROR\3"
                                 "400");
  EXPECT_EQ(dealer_side.take(answer), Trouble::kRefused);
}
TEST(Curve, DoesNotTalkToTheOwnerOfAnotherKey) {
  const Keys keys;
  Side router_side(router(keys)), dealer_side(curve_dealer(keys.dealer, make_curve_pair().public_key));
  EXPECT_EQ(exchange(router_side, dealer_side), Trouble::kKeys);
}
TEST(Curve, RefusesAKeyWithoutItsSecret) {
  Keys keys;
  const CurvePair claimed{keys.dealer.public_key, make_curve_pair().secret_key};
  Side router_side(router(keys)), dealer_side(curve_dealer(claimed, keys.router.public_key));
  EXPECT_EQ(exchange(router_side, dealer_side), Trouble::kKeys);
}
TEST(Curve, TakesNoMessageTwice) {
  const Keys keys;
  Side router_side(router(keys)), dealer_side(dealer(keys));
  ASSERT_EQ(exchange(router_side, dealer_side), Trouble::kNone);
  dealer_side.talk.put_message(as_bytes("once"));
  const ByteBuffer sealed(dealer_side.talk.unsent().begin(), dealer_side.talk.unsent().end());
  EXPECT_EQ(router_side.take(sealed), Trouble::kNone);
  EXPECT_EQ(router_side.take(sealed), Trouble::kKeys);
  EXPECT_EQ(router_side.messages.size(), 1u);
}
TEST(Curve, HidesWhatIsSent) {
  const Keys keys;
  Side router_side(router(keys)), dealer_side(dealer(keys));
  ASSERT_EQ(exchange(router_side, dealer_side), Trouble::kNone);
  dealer_side.talk.put_message(as_bytes("a word that nobody reads"));
  EXPECT_EQ(as_text(dealer_side.talk.unsent()).find("nobody"), std::string_view::npos);
}
TEST(Conversation, MixesNoMechanisms) {
  const Keys keys;
  Side plain(null_mechanism(Role::kDealer)), sealed(router(keys));
  EXPECT_EQ(exchange(plain, sealed), Trouble::kMechanism);
}

}  // namespace
}  // namespace frond::zmtp
