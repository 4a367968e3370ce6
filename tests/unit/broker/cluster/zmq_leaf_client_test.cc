// Requests and replies of the ZeroMQ client, with a real router socket on loopback. What every LeafClient promises is
// in tests/contract/leaf_client.
#include "tests/unit/broker/cluster/zmq_leaf_client_fixture.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

TEST_F(AZmqLeafClient, MatchesManyRepliesToTheirRequests) {
  ASSERT_TRUE(connect_to_leaf());
  int answered = 0;
  for (int i = 0; i < 1000; ++i)
    client_->hello({}, in_20_s(), [&](Result<wire::HelloReply> reply) {
      EXPECT_TRUE(reply) << reply.error().message();
      ++answered;
    });
  EXPECT_EQ(client_->in_flight(), 1000u);
  EXPECT_TRUE(run_until([&] { return answered == 1000; }));
  EXPECT_EQ(client_->in_flight(), 0u);
}
TEST_F(AZmqLeafClient, GivesUpAtTheDeadlineAndDropsTheLateReply) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kNothing;
  EXPECT_EQ(ask(milliseconds(50)), Code::kDeadline);
  EXPECT_EQ(client_->in_flight(), 0u);
}
TEST_F(AZmqLeafClient, ShedsPastItsLimit) {
  ASSERT_TRUE(connect_to_leaf(2));
  leaf_.hellos = Does::kNothing;
  for (int i = 0; i < 2; ++i) client_->hello({}, in(milliseconds(300)), [](const Result<wire::HelloReply>&) {});
  EXPECT_EQ(ask(), Code::kOverloaded);
}
// A busy leaf must not be taken for a dead one.
TEST_F(AZmqLeafClient, SaysHelloPastItsLimit) {
  ASSERT_TRUE(connect_to_leaf(2));
  const auto failed = std::make_shared<int>(0);  // two are answered when the client ends
  const auto count = [failed](const Result<wire::SearchReply>& reply) { *failed += reply == Code::kOverloaded; };
  for (int i = 0; i < 3; ++i) client_->search({}, in_20_s(), count);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(run_until([&] { return *failed == 1; }));
  EXPECT_EQ(client_->in_flight(), 2u);
}
TEST_F(AZmqLeafClient, TellsTheLeafToStopCancelledRequests) {
  ASSERT_TRUE(connect_to_leaf());
  const RequestId id =
      client_->search({}, in_20_s(), [](const Result<wire::SearchReply>&) { ADD_FAILURE() << "was cancelled"; });
  EXPECT_EQ(client_->in_flight(), 1u);
  client_->cancel(id);
  EXPECT_EQ(client_->in_flight(), 0u);
  client_->cancel(id);
  EXPECT_TRUE(run_until([&] { return leaf_.cancelled != 0; }));
  EXPECT_EQ(leaf_.cancelled, leaf_.searched);
  EXPECT_EQ(clients_->cancels_sent(), 1u);
}
TEST_F(AZmqLeafClient, SaysThatALateLeafAnswersOtherRequests) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kNothing;
  EXPECT_EQ(ask(milliseconds(50)), Code::kDeadline);
  leaf_.searches = Does::kAnswer;
  std::optional<Result<wire::HelloReply>> got;
  client_->hello({}, in(milliseconds(500)), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
  bool searched = false;
  client_->search({}, in_20_s(), [&](const Result<wire::SearchReply>& reply) { searched = reply.has_value(); });
  ASSERT_TRUE(run_until([&] { return got.has_value(); }));
  EXPECT_TRUE(searched);
  EXPECT_EQ(*got, Code::kOverloaded);
}
TEST_F(AZmqLeafClient, TellsTheLeafToStopLateRequests) {
  ASSERT_TRUE(connect_to_leaf());
  std::optional<Result<wire::SearchReply>> got;
  client_->search({}, in(milliseconds(30)), [&](Result<wire::SearchReply> reply) { got = std::move(reply); });
  EXPECT_TRUE(run_until([&] { return leaf_.cancelled != 0; }));
  EXPECT_EQ(*got, Code::kDeadline);
  EXPECT_EQ(leaf_.cancelled, leaf_.searched);
}
TEST_F(AZmqLeafClient, DropsARefusalThatWasCancelled) {
  ASSERT_TRUE(connect_to_leaf(1));
  client_->search({}, in_20_s(), [](const Result<wire::SearchReply>&) {});
  const RequestId refused =
      client_->search({}, in_20_s(), [](const Result<wire::SearchReply>&) { ADD_FAILURE() << "was cancelled"; });
  client_->cancel(refused);
  EXPECT_TRUE(ask());
  EXPECT_EQ(clients_->cancels_sent(), 0u);
}
// Otherwise it would wait for its deadline.
TEST_F(AZmqLeafClient, FailsTheRequestOfAReplyThatCannotBeRead) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kGarble;
  client_->search({}, in_20_s(), [](const Result<wire::SearchReply>&) {});
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kCorrupt);
  EXPECT_EQ(client_->in_flight(), 1u) << "the other one's reply may be good";
}
TEST_F(AZmqLeafClient, FailsAllOpenRequestsIfAReplysIdCannotBeRead) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kGarbleWithoutId;
  std::optional<Result<wire::SearchReply>> got;
  client_->search({}, in_20_s(), [&](Result<wire::SearchReply> reply) { got = std::move(reply); });
  EXPECT_EQ(ask(milliseconds(15'000)), Code::kCorrupt);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, Code::kCorrupt);
  leaf_.hellos = Does::kAnswer;
  EXPECT_TRUE(ask());
}
TEST_F(AZmqLeafClient, CallsAReplyOfAnotherKindCorrupt) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kAnswerOfAnotherKind;
  EXPECT_EQ(ask(), Code::kCorrupt);
}
// Only kUnavailable takes a leaf out of service; a leaf at its limit stays.
TEST_F(AZmqLeafClient, MapsTheReasonOfARefusalToACode) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kRefuse;
  leaf_.refusal = wire::UnsearchedReason::kOverloaded;
  EXPECT_EQ(ask(), Code::kOverloaded);
  leaf_.refusal = wire::UnsearchedReason::kDeadline;
  EXPECT_EQ(ask(), Code::kDeadline);
  leaf_.refusal = wire::UnsearchedReason::kUnknownGeneration;
  EXPECT_EQ(ask(), Code::kNotFound);
  leaf_.refusal = wire::UnsearchedReason::kCorrupt;
  EXPECT_EQ(ask(), Code::kCorrupt);
  leaf_.refusal = wire::UnsearchedReason::kUnavailable;
  EXPECT_EQ(ask(), Code::kUnavailable);
}
TEST_F(AZmqLeafClient, FailsOpenRequestsWhenItIsDestroyed) {
  ASSERT_TRUE(connect_to_leaf());
  leaf_.hellos = Does::kNothing;
  std::optional<Result<wire::HelloReply>> got;
  client_->hello({}, in_20_s(), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
  client_.reset();
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, Code::kUnavailable);
}
TEST_F(AZmqLeafClient, HandsOverAHelloThatTheLeafSendsByItself) {
  ASSERT_TRUE(connect_to_leaf());
  EXPECT_TRUE(news_.empty());
  leaf_.says_goodbye = true;
  ASSERT_TRUE(ask());
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_TRUE(news_[0].draining);
}
}  // namespace
}  // namespace frond::broker::cluster
