// Searches with unsearched partitions: why they are, and what is sent of the others.
#include "leaf/serve/search/search_query.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <new>

#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;
using Unsearched = wire::UnsearchedReason;

// Runs out of memory at one of its look-ups.
class ForgetfulTerms final : public partition::GenerationTerms {
 public:
  ForgetfulTerms(std::shared_ptr<const GenerationTerms> below, int fails_at)
      : below_(std::move(below)), left_(fails_at) {}
  Result<std::uint64_t> df(std::string_view term) const override {
    if (left_-- == 0) throw std::bad_alloc();
    return below_->df(term);
  }
  const partition::TermTotals& totals() const override { return below_->totals(); }
  Result<void> for_each_from(std::string_view first, const Visit& visit) const override {
    return below_->for_each_from(first, visit);
  }
  std::unique_ptr<partition::DfReader> reader() const override { return below_->reader(); }
  Result<void> verify_checksums() const override { return below_->verify_checksums(); }
  Result<void> intact() const override { return below_->intact(); }
  Result<void> check_files() const override { return below_->check_files(); }

 private:
  std::shared_ptr<const GenerationTerms> below_;
  mutable std::atomic<int> left_;
};

TEST(SearchQuery, NamesThePartitionsItCouldNotSearch) {
  const auto documents = random_documents(90, 8);
  ServedCollection served(documents, 3);
  served.engine.fail = [](const engine::Plan& plan) -> std::optional<Error> {
    if (plan.placement.base == 1) return Error(Code::kCorrupt, "list of 't1'");
    if (plan.placement.base == 2) return Error(Code::kDeadline, "late");
    return std::nullopt;
  };
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 5));
  EXPECT_EQ(reply.or_ranking.matches, 30u);  // of partition 0
  ASSERT_EQ(reply.unsearched.size(), 4u);
  const Unsearched reasons[] = {Unsearched::kCorrupt, Unsearched::kDeadline, Unsearched::kUnavailable,
                                Unsearched::kUnavailable};
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(reply.unsearched[i].partition, i + 1);
    EXPECT_EQ(reply.unsearched[i].reason, reasons[i]);
  }
}

TEST(SearchQuery, SearchesOnlyItsShard) {
  ServedCollection served(random_documents(100, 9), 5, {1, 2});
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 5));
  EXPECT_EQ(reply.or_ranking.matches, 40u);
  ASSERT_EQ(reply.unsearched.size(), 3u);
  for (const auto& missing : reply.unsearched) EXPECT_EQ(missing.partition % 2, 0u);
}

TEST(SearchQuery, SaysThatItDoesNotKnowAGeneration) {
  ServedCollection served(random_documents(10, 10), 2);
  auto request = request_of(Mode::kAnd, {"t0"}, 2);
  request.generation = 9;
  const auto reply = served.search(request);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kUnknownGeneration);
}

TEST(SearchQuery, EvaluatesNothingPastTheDeadline) {
  ServedCollection served(random_documents(10, 11), 2);
  served.engine.before = [](const engine::Plan&) { ADD_FAILURE() << "searched"; };
  auto request = request_of(Mode::kAnd, {"t0"}, 2);
  request.budget = std::chrono::microseconds(0);
  const auto reply = served.search(request);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kDeadline);
}

// A broker asks another replica for what is unsearched: its hits must not be in this answer, too.
TEST(SearchQuery, SendsNothingOfPartitionsWhoseOrFailed) {
  const auto documents = random_documents(60, 12);
  ServedCollection served(documents, 2);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  request.depth = request.auto_needs = 60;
  const auto whole = served.search(request);
  ASSERT_TRUE(whole.has_or);
  served.engine.fail = [&](const engine::Plan& plan) -> std::optional<Error> {
    if (plan.mode == engine::Mode::kOr && plan.placement.base == 1) return Error(Code::kCorrupt, "a block");
    return {};
  };
  const auto reply = served.search(request);
  ASSERT_EQ(reply.unsearched.size(), 1u);
  EXPECT_EQ(reply.unsearched[0].partition, 1u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kCorrupt);
  const auto of_the_first = [](std::vector<topk::Hit> hits) {
    std::erase_if(hits, [](const topk::Hit& hit) { return hit.ordinal % 2 == 1; });
    return hits;
  };
  EXPECT_EQ(reply.and_ranking.hits, of_the_first(whole.and_ranking.hits));
  EXPECT_EQ(reply.or_ranking.hits, of_the_first(whole.or_ranking.hits));
  EXPECT_EQ(reply.and_ranking.matches, reply.and_ranking.hits.size());
  EXPECT_EQ(reply.or_ranking.matches, reply.or_ranking.hits.size());
}

TEST(SearchQuery, SendsNothingOfPartitionsWhoseOrCameTooLate) {
  ServedCollection served(random_documents(60, 12), 2);
  served.engine.before = [&](const engine::Plan& plan) {
    if (plan.mode == engine::Mode::kAnd && plan.placement.base == 1) served.clock.advance(std::chrono::seconds(2));
  };
  auto request = request_of(Mode::kAuto, {"t10", "t11"}, 2);
  request.auto_needs = 60;
  const auto reply = served.search(request);
  EXPECT_TRUE(reply.has_or);
  EXPECT_EQ(reply.unsearched.size(), 2u);
  EXPECT_TRUE(reply.and_ranking.hits.empty());
  EXPECT_EQ(reply.and_ranking.matches, 0u);
}

TEST(SearchQuery, SearchesNothingWhereALookUpRanOutOfMemory) {
  for (const int fails_at : {0, 1, 2}) {
    ServedCollection served(random_documents(60, 17), 2);
    auto request = request_of(Mode::kOr, {"t1", "t2", "t3"}, 2);
    request.depth = 60;
    const auto whole = served.search(request).or_ranking;
    const auto& loaded = *served.board.get()->back();
    auto forgetful = std::make_shared<generation::ServedGeneration>();
    forgetful->generation = loaded.generation;
    forgetful->partitions_total = loaded.partitions_total;
    forgetful->analyzer = loaded.analyzer;
    forgetful->bm25 = loaded.bm25;
    forgetful->statistics = loaded.statistics;
    forgetful->partitions = loaded.partitions;
    forgetful->terms = std::make_shared<ForgetfulTerms>(loaded.terms, fails_at);
    served.board.put({forgetful});
    served.engine.before = [](const engine::Plan& plan) { EXPECT_EQ(plan.terms.size(), 3u); };
    const auto reply = served.search(request);
    ASSERT_EQ(reply.unsearched.size(), 2u);
    EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kUnavailable);
    EXPECT_TRUE(reply.or_ranking.hits.empty());
    EXPECT_EQ(served.search(request).or_ranking.hits, whole.hits) << "the next one has memory again";
  }
}

TEST(SearchQuery, SurvivesAnEngineOutOfMemory) {
  ServedCollection served(random_documents(20, 14), 2);
  served.engine.before = [](const engine::Plan& plan) {
    if (plan.placement.base == 0) throw std::bad_alloc();
  };
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 2));
  EXPECT_EQ(reply.or_ranking.matches, 10u);
  ASSERT_EQ(reply.unsearched.size(), 1u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kUnavailable);
}

// Its scores may be anything, and have told the others what need not be looked for.
TEST(SearchQuery, BelievesNoPartitionOfASearchUnderWhichOneWasLost) {
  ServedCollection served(random_documents(200, 18), 2);
  const auto& partition = served.board.get()->back()->partitions[0].open->partition();
  served.engine.before = [&](const engine::Plan& plan) {
    if (plan.placement.base != 0) return;
    for (const auto& entry : std::filesystem::directory_iterator(partition.folder()))
      if (entry.path().extension() == ".sst") std::filesystem::resize_file(entry.path(), 10);
    EXPECT_EQ(partition.check_files(), Code::kCorrupt);
  };
  const auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  const auto first = served.search(request), second = served.search(request);
  ASSERT_EQ(first.unsearched.size(), 2u);
  EXPECT_EQ(first.unsearched[0].reason, Unsearched::kCorrupt);
  EXPECT_EQ(first.unsearched[1].reason, Unsearched::kUnavailable);
  ASSERT_EQ(second.unsearched.size(), 1u) << "the other partition is as good as before";
  EXPECT_EQ(second.unsearched[0].partition, 0u);
  EXPECT_EQ(second.or_ranking.matches, 100u);
}

TEST(SearchQuery, RefusesAtTheDoorWhenTheQueueIsFull) {
  ServedCollection served(random_documents(20, 15), 2);
  std::latch entered(1), open(1);  // outlive the pool's threads
  schedule::WorkerPool pool({1, 1}, served.clock, nullptr);
  std::vector<schedule::Task> blocker(1);
  blocker[0].run = [&](const auto&) {
    entered.count_down();
    open.wait();
  };
  ASSERT_TRUE(pool.submit(std::move(blocker), schedule::Lane::kSearch));
  entered.wait();
  std::vector<schedule::Task> waiting(1);
  waiting[0].run = [](const auto&) {};
  ASSERT_TRUE(pool.submit(std::move(waiting), schedule::Lane::kSearch));
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 2), pool);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kOverloaded);
  open.count_down();
}

}  // namespace
}  // namespace frond::leaf::serve
