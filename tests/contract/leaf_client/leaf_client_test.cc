// Every promise of broker/cluster/leaf_client.h, on each implementation.
#include "broker/cluster/leaf_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "tests/contract/leaf_client/worlds.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;
using LeafDoes = World::LeafDoes;

// What a request's callback was given; a second call is a fault.
template <class Reply>
struct Heard {
  std::optional<Result<Reply>> reply;
  Done<Reply> done() {
    return [this](Result<Reply> got) {
      EXPECT_FALSE(reply) << "called twice";
      reply = std::move(got);
    };
  }
};
using HeardSearch = Heard<wire::SearchReply>;
using HeardHello = Heard<wire::HelloReply>;

class EveryLeafClient : public testing::TestWithParam<Implementation> {
 protected:
  LeafClient& client() { return world_->client(); }
  Deadline in(milliseconds time) const { return Deadline::after(world_->clock(), time); }
  Deadline in_10_s() const { return in(milliseconds(10'000)); }
  RequestId search(HeardSearch& heard) { return client().search({}, in_10_s(), heard.done()); }
  void hello(HeardHello& heard) { client().hello({}, in_10_s(), heard.done()); }
  template <class Reply>
  bool answered(const Heard<Reply>& heard) {
    return world_->run_until([&] { return heard.reply.has_value(); });
  }
  // Lets everything happen that was sent before: a hello is answered after it.
  void settle() {
    world_->set_leaf(LeafDoes::kAnswer);
    HeardHello heard;
    hello(heard);
    ASSERT_TRUE(answered(heard));
  }

  const std::unique_ptr<World> world_ = GetParam().make();
};

TEST_P(EveryLeafClient, AnswersEachRequestOnceAndNeverInsideTheCall) {
  HeardSearch searched;
  Heard<wire::FetchReply> fetched;
  HeardHello greeted;
  search(searched);
  client().fetch({}, in_10_s(), fetched.done());
  hello(greeted);
  EXPECT_FALSE(searched.reply || fetched.reply || greeted.reply);
  EXPECT_TRUE(answered(searched) && answered(fetched) && answered(greeted));
  EXPECT_TRUE(*searched.reply && *fetched.reply && *greeted.reply);
  settle();
}
TEST_P(EveryLeafClient, SetsTheIdAndTheBudget) {
  wire::SearchRequest request;
  request.request_id = 99;
  HeardSearch first, second;
  const RequestId one = client().search(request, in(milliseconds(5000)), first.done());
  ASSERT_TRUE(answered(first));
  EXPECT_EQ(world_->last_search().request_id, one);
  EXPECT_GT(world_->last_search().budget, milliseconds(0));
  EXPECT_LE(world_->last_search().budget, milliseconds(5000));
  const RequestId other = client().search(request, in_10_s(), second.done());
  EXPECT_NE(one, other);
  ASSERT_TRUE(answered(second));
}
TEST_P(EveryLeafClient, FailsARequestAtItsDeadline) {
  world_->set_leaf(LeafDoes::kNothing);
  const Deadline deadline = in(milliseconds(50));
  HeardSearch heard;
  client().search({}, deadline, heard.done());
  ASSERT_TRUE(answered(heard));
  EXPECT_EQ(*heard.reply, Code::kDeadline);
  EXPECT_TRUE(deadline.passed(world_->clock()));
  EXPECT_EQ(client().in_flight(), 0u);
}
TEST_P(EveryLeafClient, FailsARequestWhoseDeadlineHasPassedButNotInsideTheCall) {
  HeardSearch searched;
  HeardHello greeted;
  client().search({}, in(milliseconds(0)), searched.done());
  client().hello({}, in(milliseconds(0)), greeted.done());
  EXPECT_FALSE(searched.reply || greeted.reply);
  ASSERT_TRUE(answered(searched) && answered(greeted));
  EXPECT_EQ(*searched.reply, Code::kDeadline);
  EXPECT_EQ(*greeted.reply, Code::kDeadline);
}
TEST_P(EveryLeafClient, FailsOpenRequestsWhenItIsDestroyed) {
  world_->set_leaf(LeafDoes::kNothing);
  HeardSearch searched;
  HeardHello greeted;
  search(searched);
  hello(greeted);
  world_->destroy_client();
  ASSERT_TRUE(searched.reply && greeted.reply);
  EXPECT_EQ(*searched.reply, Code::kUnavailable);
  EXPECT_EQ(*greeted.reply, Code::kUnavailable);
}
TEST_P(EveryLeafClient, DestroysTheCallbackOfACancelledRequestAndTellsTheLeaf) {
  world_->set_leaf(LeafDoes::kNothing);
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> still_held = held;
  const RequestId id = client().search(
      {}, in_10_s(), [held = std::move(held)](const Result<wire::SearchReply>&) { ADD_FAILURE() << "was cancelled"; });
  ASSERT_TRUE(world_->run_until([&] { return world_->last_searched() == id; }));
  client().cancel(id);
  EXPECT_TRUE(still_held.expired());
  EXPECT_EQ(client().in_flight(), 0u);
  client().cancel(id);
  EXPECT_TRUE(world_->run_until([&] { return world_->last_cancelled() == id; }));
  settle();
}
TEST_P(EveryLeafClient, IgnoresTheCancellationOfAnAnsweredRequest) {
  HeardSearch heard;
  const RequestId id = search(heard);
  ASSERT_TRUE(answered(heard));
  client().cancel(id);
  client().cancel(id + 1000);
  settle();
  EXPECT_EQ(world_->last_cancelled(), 0u);
}
TEST_P(EveryLeafClient, CountsRequestsWithoutAReply) {
  world_->set_leaf(LeafDoes::kNothing);
  HeardSearch first, second;
  HeardHello greeted;
  EXPECT_EQ(client().in_flight(), 0u);
  search(first);
  const RequestId id = search(second);
  hello(greeted);
  EXPECT_EQ(client().in_flight(), 3u);
  client().cancel(id);
  EXPECT_EQ(client().in_flight(), 2u);
  world_->lose_leaf();
  ASSERT_TRUE(answered(first) && answered(greeted));
  EXPECT_EQ(client().in_flight(), 0u);
}
TEST_P(EveryLeafClient, RefusesRequestsPastItsLimitButNotHellos) {
  world_->set_leaf(LeafDoes::kNothing);
  std::vector<HeardSearch> open(kMaxInFlight);
  for (auto& one : open) search(one);
  HeardSearch past;
  Heard<wire::FetchReply> fetch_past;
  search(past);
  client().fetch({}, in_10_s(), fetch_past.done());
  const RequestId cancelled =
      client().search({}, in_10_s(), [](const Result<wire::SearchReply>&) { ADD_FAILURE() << "was cancelled"; });
  client().cancel(cancelled);
  EXPECT_FALSE(past.reply || fetch_past.reply);
  ASSERT_TRUE(answered(past) && answered(fetch_past));
  EXPECT_EQ(*past.reply, Code::kOverloaded);
  EXPECT_EQ(*fetch_past.reply, Code::kOverloaded);
  EXPECT_EQ(client().in_flight(), kMaxInFlight);
  for (const auto& one : open) EXPECT_FALSE(one.reply);
  settle();
  EXPECT_EQ(world_->last_cancelled(), 0u) << "a refused request was never sent";
  world_->destroy_client();  // fails the open requests while their callbacks are here
}
TEST_P(EveryLeafClient, FailsRequestsAtOnceWhileTheLeafIsLostAndNoLongerWhenItIsBack) {
  world_->set_leaf(LeafDoes::kNothing);
  HeardSearch open, later, back;
  const Deadline deadline = in_10_s();
  const RequestId id = client().search({}, deadline, open.done());
  ASSERT_TRUE(world_->run_until([&] { return world_->last_searched() == id; }));
  world_->lose_leaf();
  ASSERT_TRUE(answered(open));
  EXPECT_EQ(*open.reply, Code::kUnavailable);
  search(later);
  EXPECT_FALSE(later.reply);
  ASSERT_TRUE(answered(later));
  EXPECT_EQ(*later.reply, Code::kUnavailable);
  EXPECT_FALSE(deadline.passed(world_->clock()));
  world_->set_leaf(LeafDoes::kAnswer);
  world_->bring_leaf_back();
  search(back);
  ASSERT_TRUE(answered(back));
  EXPECT_TRUE(*back.reply);
}
TEST_P(EveryLeafClient, GivesTheCodeThatBelongsToTheReasonOfARefusal) {
  for (const auto& [reason, code] : {std::pair{wire::UnsearchedReason::kDeadline, Code::kDeadline},
                                     {wire::UnsearchedReason::kOverloaded, Code::kOverloaded},
                                     {wire::UnsearchedReason::kCorrupt, Code::kCorrupt},
                                     {wire::UnsearchedReason::kUnavailable, Code::kUnavailable},
                                     {wire::UnsearchedReason::kInvalidQuery, Code::kInvalid},
                                     {wire::UnsearchedReason::kUnknownGeneration, Code::kNotFound}}) {
    world_->set_leaf(LeafDoes::kRefuse, reason);
    HeardSearch heard;
    search(heard);
    ASSERT_TRUE(answered(heard));
    EXPECT_EQ(*heard.reply, code);
  }
}
TEST_P(EveryLeafClient, CallsAReplyOfAnotherKindCorrupt) {
  world_->set_leaf(LeafDoes::kAnswerOfAnotherKind);
  HeardSearch heard;
  search(heard);
  ASSERT_TRUE(answered(heard));
  EXPECT_EQ(*heard.reply, Code::kCorrupt);
}
TEST_P(EveryLeafClient, PassesOnAHelloThatTheLeafSendsByItself) {
  world_->say_goodbye();
  ASSERT_EQ(world_->news.size(), 1u);
  EXPECT_TRUE(world_->news[0].draining);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLeafClient, testing::ValuesIn(implementations()),
                         [](const auto& one) { return one.param.name; });
}  // namespace
}  // namespace frond::broker::cluster
