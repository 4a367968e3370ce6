#include "common/http/server/clients.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace frond::http {
namespace {

class ARoom : public testing::Test {
 protected:
  ~ARoom() override {
    for (auto& request : requests_) room_.give_back(*request);
    EXPECT_EQ(room_.used(), 0u);
    EXPECT_EQ(one_.waiting_bodies + other_.waiting_bodies + one_.waiting_bytes + other_.waiting_bytes, 0u);
  }
  // A request that adds its name to begun_ when it has its room.
  RequestRoom::Request& request(ClientState& client, char name) {
    requests_.emplace_back(
        new RequestRoom::Request{client, ReservedBytes(room_, client.body_bytes, 0), [this, name] { begun_ += name; }});
    return *requests_.back();
  }
  ClientState one_{1}, other_{1};
  RequestRoom room_{10 << 20};
  std::vector<std::unique_ptr<RequestRoom::Request>> requests_;
  std::string begun_;
};

TEST_F(ARoom, IsGivenToAClientsRequestsInTheirOrder) {
  auto &a = request(one_, 'a'), &b = request(one_, 'b'), &c = request(one_, 'c'), &d = request(other_, 'd');
  EXPECT_EQ(room_.take(a, 4 << 20), RequestRoom::Outcome::kTaken);
  EXPECT_EQ(room_.take(b, 4 << 20), RequestRoom::Outcome::kWaits);
  EXPECT_EQ(room_.take(c, 100'000), RequestRoom::Outcome::kWaits) << "it would fit, but came later";
  EXPECT_EQ(room_.take(d, 1 << 20), RequestRoom::Outcome::kTaken) << "another client's";
  EXPECT_TRUE(room_.waits(b) && room_.waits(c));
  room_.give_back(a);
  EXPECT_EQ(begun_, "bc");
  EXPECT_EQ(room_.take(b, 4 << 20), RequestRoom::Outcome::kTaken) << "it has it already";
  EXPECT_FALSE(room_.waits(b));
}
TEST_F(ARoom, IsNotGivenToWhoHasLeft) {
  auto &a = request(one_, 'a'), &b = request(one_, 'b'), &c = request(one_, 'c');
  room_.take(a, 4 << 20);
  room_.take(b, 4 << 20);
  room_.take(c, 100'000);
  room_.give_back(b);
  EXPECT_EQ(begun_, "c") << "which waited for b only";
  room_.give_back(a);
  EXPECT_EQ(begun_, "c");
}
TEST_F(ARoom, GoesFirstToThoseThatHoldSome) {
  auto &a = request(one_, 'a'), &b = request(one_, 'b'), &c = request(one_, 'c');
  room_.take(a, 2 << 20);
  room_.take(c, 2 << 20);
  EXPECT_EQ(room_.take(b, 4 << 20), RequestRoom::Outcome::kWaits);
  EXPECT_EQ(room_.take(c, 4 << 20), RequestRoom::Outcome::kWaits);
  room_.give_back(a);
  EXPECT_EQ(begun_, "c");
}
TEST_F(ARoom, RefusesWhatWouldWaitForEver) {
  auto &a = request(one_, 'a'), &b = request(one_, 'b'), &c = request(one_, 'c');
  EXPECT_EQ(room_.take(a, 6 << 20), RequestRoom::Outcome::kRefused) << "more than half";
  room_.take(a, 2 << 20);
  room_.take(b, 2 << 20);
  EXPECT_EQ(room_.take(a, 4 << 20), RequestRoom::Outcome::kWaits) << "b may end";
  EXPECT_EQ(room_.take(b, 4 << 20), RequestRoom::Outcome::kRefused) << "a waits for it";
  EXPECT_EQ(room_.take(c, 4 << 20), RequestRoom::Outcome::kWaits) << "it keeps none from a";
  EXPECT_EQ(room_.refusals(), 2u);
  room_.give_back(b);
  EXPECT_EQ(begun_, "a");
}
TEST_F(ARoom, LetsSoManyOfAClientWait) {
  room_.take(request(one_, 'a'), 5 << 20);
  for (std::size_t i = 0; i < RequestRoom::kMaxWaiting; ++i)
    EXPECT_EQ(room_.take(request(one_, 'b'), 1 << 20), RequestRoom::Outcome::kWaits);
  EXPECT_EQ(room_.take(request(one_, 'c'), 1 << 20), RequestRoom::Outcome::kRefused);
}
}  // namespace
}  // namespace frond::http
