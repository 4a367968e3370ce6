// Searches that the thread that has read them evaluates itself.
#include "leaf/serve/search/at_once.h"

#include "leaf/lists/cached_list_store.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

using std::chrono::microseconds;

TEST(AtOnce, TakesHalfOfTheTimeInShortStretches) {
  const support::ManualClock clock;
  AtOnce at_once(schedule::default_cost_model(), microseconds(200), nullptr);
  const Instant start = clock.now();
  Instant now = start;
  int searches = 0;
  for (; at_once.may_begin(now, 200); ++searches) {
    at_once.ended(now, now + microseconds(50));
    now += microseconds(50);
  }
  EXPECT_EQ(searches, 6) << "the last one begins once 250 us are taken that others may have";
  EXPECT_FALSE(at_once.may_begin(now + microseconds(49), 200));
  EXPECT_TRUE(at_once.may_begin(now + microseconds(50), 200));
}
TEST(AtOnce, LeavesLongRequestsAloneAndAllIfItIsOff) {
  const support::ManualClock clock;
  const AtOnce on(schedule::default_cost_model(), microseconds(200), nullptr);
  EXPECT_TRUE(on.may_begin(clock.now(), AtOnce::kMaxRequestBytes));
  EXPECT_FALSE(on.may_begin(clock.now(), AtOnce::kMaxRequestBytes + 1));
  EXPECT_TRUE(on.is_little(200));
  EXPECT_FALSE(on.is_little(201));
  const AtOnce off(schedule::default_cost_model(), microseconds(0), nullptr);
  EXPECT_FALSE(off.may_begin(clock.now(), 200));
}

// Runs what it is given here; counts what it was given for a worker.
class Workers final : public schedule::Scheduler {
 public:
  explicit Workers(const Clock& clock) : below_(clock) {}
  Result<void> admit(std::span<schedule::Task> tasks, schedule::Lane lane) override {
    (lane == schedule::Lane::kContinue ? continued : admitted) += tasks.size();
    return below_.admit(tasks, lane);
  }
  bool run_here(schedule::Task& task) override {
    if (others_wait) return false;
    ++here;
    EXPECT_TRUE(below_.submit_one(std::move(task), schedule::Lane::kSearch));
    return true;
  }
  void drain() override { below_.drain(); }
  Load load() const override { return below_.load(); }
  bool runs_caller() const override { return below_.runs_caller(); }
  std::size_t here = 0, admitted = 0, continued = 0;
  bool others_wait = false;

 private:
  support::InlineScheduler below_;
};

class ASearchAtOnce : public testing::Test {
 protected:
  wire::SearchReply ask(const wire::SearchRequest& request) {
    std::optional<wire::Reply> got;
    workers_.here = workers_.admitted = workers_.continued = 0;
    service_.on_request("broker", wire::encode(wire::Request(request)), [&](ByteBuffer reply) {
      EXPECT_FALSE(got) << "answered twice";
      got = wire::decode_reply(reply).value();
    });
    EXPECT_TRUE(got) << "not answered";
    return std::get<wire::SearchReply>(got.value_or(wire::SearchReply{}));
  }
  // Until what these searches take is known: what the model predicts at first is for real clocks.
  void learn() {
    for (const wire::Mode mode : {wire::Mode::kAnd, wire::Mode::kOr, wire::Mode::kAuto})
      for (int i = 0; i < 8; ++i) ask(request(mode));
  }
  static ByteBuffer bytes_of(const wire::SearchReply& reply) { return wire::encode(wire::Reply(reply)); }
  static wire::SearchRequest request(wire::Mode mode = wire::Mode::kOr, const char* term = "t2") {
    auto request = request_of(mode, {"t1", term}, 3);
    request.show = {0, 10, wire::kFieldTitle | wire::kFieldUrl};
    return request;
  }
  SearchParts parts() {
    SearchParts parts{served_.board, lists_, served_.engine, served_.oracle, workers_, served_.clock};
    parts.terms = &terms_;
    parts.at_once = &at_once_;
    return parts;
  }

  ServedCollection served_{support::random_documents(200, 1), 3};
  lists::CachedListStore lists_{served_.store, {}};
  TermTable terms_{1 << 20};
  AtOnce at_once_{schedule::default_cost_model(), microseconds(1000), nullptr};
  RequestsInFlight requests_;
  Workers workers_{served_.clock};
  generation::BrokerRoll brokers_;
  LeafService service_{parts(),
                       {"c", "node:1", "1.0", [] { return std::string("absent"); }},
                       [] { return CacheState{}; },
                       brokers_,
                       requests_};
};

TEST_F(ASearchAtOnce, HasTheReplyThatAWorkerWouldHaveMade) {
  learn();
  for (const wire::Mode mode : {wire::Mode::kAnd, wire::Mode::kOr, wire::Mode::kAuto}) {
    workers_.others_wait = true;
    const wire::SearchReply by_worker = ask(request(mode));
    EXPECT_EQ(workers_.admitted, 1u);
    workers_.others_wait = false;
    const wire::SearchReply at_once = ask(request(mode));
    EXPECT_EQ(workers_.here, 1u);
    EXPECT_EQ(workers_.admitted, 0u);
    EXPECT_FALSE(at_once.documents.empty());
    EXPECT_EQ(bytes_of(at_once), bytes_of(by_worker));
  }
}
TEST_F(ASearchAtOnce, IsOneThatFindsAllThatItReadsInMemory) {
  learn();
  ask(request(wire::Mode::kOr, "t3"));
  EXPECT_EQ(workers_.admitted, 1u) << "the term is not known yet";
  ask(request());
  EXPECT_EQ(workers_.here, 1u);
  const auto generations = served_.board.get();
  for (const auto& partition : generations->back()->partitions) lists_.invalidate(partition.open->number());
  ask(request());
  EXPECT_EQ(workers_.admitted, 1u) << "the lists are not kept";
}
TEST_F(ASearchAtOnce, IsOneOfPlainWordsThatShowsHeadsOfAFewDocuments) {
  learn();
  const auto is_at_once = [&](const wire::SearchRequest& wanted) {
    ask(wanted);
    ask(wanted);  // its terms are known now
    return workers_.here == 1;
  };
  EXPECT_TRUE(is_at_once(request()));
  std::vector<wire::SearchRequest> others(6, request());
  others[0].show.fields = wire::kAllFields;  // with a snippet
  others[1].show.columns = {"source"};
  others[2].show.explain = true;
  others[3].exact_total = true;
  others[4].rank = wire::Rank::kNone;
  others[5].processor = wire::Processor::kExhaustive;
  for (const auto& other : others) EXPECT_FALSE(is_at_once(other)) << &other - others.data();
}
TEST_F(ASearchAtOnce, GoesOnWithAWorkerIfItTakesLongerThanPredicted) {
  ask(request());
  const wire::SearchReply whole = ask(request());
  bool slow = true;
  served_.engine.before = [&](const engine::Plan&) {
    if (std::exchange(slow, false)) served_.clock.advance(AtOnce::kMostTime);
  };
  const wire::SearchReply late = ask(request());
  EXPECT_EQ(workers_.here, 1u);
  EXPECT_EQ(workers_.continued, 1u);
  EXPECT_TRUE(late.unsearched.empty());
  EXPECT_EQ(bytes_of(late), bytes_of(whole));
}
TEST_F(ASearchAtOnce, IsUnsearchedPastItsOwnDeadline) {
  learn();
  served_.engine.before = [&](const engine::Plan&) { served_.clock.advance(std::chrono::seconds(2)); };
  const wire::SearchReply late = ask(request());
  EXPECT_EQ(workers_.here, 1u);
  EXPECT_EQ(workers_.continued, 0u);
  EXPECT_EQ(late.unsearched.size(), 3u);
}

}  // namespace
}  // namespace frond::leaf::serve
