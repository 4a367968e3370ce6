// The promises of search_handler.h.
#include "leaf/serve/search_handler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <new>

#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;
using wire::Unsearched;

std::uint64_t documents_with(const std::vector<support::TestDocument>& documents, const std::vector<std::string>& terms,
                             bool all) {
  return static_cast<std::uint64_t>(std::count_if(documents.begin(), documents.end(), [&](const auto& document) {
    const auto has = [&](const std::string& term) { return document.terms.contains(term); };
    return all ? std::all_of(terms.begin(), terms.end(), has) : std::any_of(terms.begin(), terms.end(), has);
  }));
}

// A GPU that answers as the oracle does, but for the plans that it `leaves`; and a search that may use it.
struct ScriptedGpu {
  std::vector<schedule::PlanBatcher::Answer> search(std::span<const engine::Plan> plans) {
    std::vector<schedule::PlanBatcher::Answer> answers;
    for (const engine::Plan& plan : plans) {
      const int number = asked++;
      if (leaves && leaves(number))
        answers.emplace_back();
      else
        answers.emplace_back(std::move(oracle.search({&plan, 1}, clock)[0]));
    }
    return answers;
  }
  const Clock& clock;
  std::function<bool(int number)> leaves{};
  std::uint64_t least_postings = 0;
  std::atomic<int> asked{0};
  engine::ExhaustiveEngine oracle{};
};

std::vector<wire::SearchReply> search_all(ServedCollection& served, ScriptedGpu& gpu,
                                          const std::vector<wire::SearchRequest>& requests,
                                          schedule::PlanBatcher::Options options = {}) {
  std::vector<std::promise<wire::SearchReply>> promised(requests.size());
  schedule::PlanBatcher batcher(
      options, [&](std::span<const engine::Plan> plans) { return gpu.search(plans); }, nullptr);
  schedule::WorkerPool pool({3, 10'000}, served.clock, nullptr);
  SearchParts parts = served.parts(pool);
  parts.gpu = &batcher;
  parts.gpu_least_postings = gpu.least_postings;
  SearchHandler handler(parts);
  for (std::size_t i = 0; i < requests.size(); ++i)
    handler.search(requests[i], Deadline::after(served.clock, requests[i].budget),
                   [&promised, i](wire::SearchReply reply) { promised[i].set_value(std::move(reply)); });
  std::vector<wire::SearchReply> replies;
  for (auto& promise : promised) replies.push_back(promise.get_future().get());
  pool.drain();
  batcher.drain();
  pool.drain();
  return replies;
}

std::vector<wire::SearchRequest> mixed_requests(int count, std::uint32_t partitions) {
  std::vector<wire::SearchRequest> requests;
  for (int i = 0; i < count; ++i) {
    const Mode mode = i % 3 == 0 ? Mode::kAnd : i % 3 == 1 ? Mode::kOr : Mode::kAuto;
    requests.push_back(request_of(mode, {"t" + std::to_string(i % 7), "t" + std::to_string(3 + i % 8)}, partitions));
    requests.back().auto_needs = i % 2 ? 10 : 1000;
  }
  return requests;
}

void expect_same_hits(const wire::SearchReply& got, const wire::SearchReply& wanted) {
  EXPECT_TRUE(got.unsearched.empty());
  EXPECT_EQ(got.has_and, wanted.has_and);
  EXPECT_EQ(got.has_or, wanted.has_or);
  EXPECT_EQ(got.and_ranking.hits, wanted.and_ranking.hits);
  EXPECT_EQ(got.or_ranking.hits, wanted.or_ranking.hits);
  EXPECT_EQ(got.and_ranking.matches, wanted.and_ranking.matches);
}

TEST(SearchHandler, AnswersTheSameWithAGpuThatLeavesSomePlansToTheCpu) {
  ServedCollection served(random_documents(200, 21), 3);
  const auto requests = mixed_requests(60, 3);
  std::vector<wire::SearchReply> wanted;
  for (const auto& request : requests) wanted.push_back(served.search(request));
  for (const int left : {0, 1, 2}) {  // of two plans
    ScriptedGpu gpu{served.clock, [left](int number) { return number % 2 < left; }};
    const auto got = search_all(served, gpu, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) expect_same_hits(got[i], wanted[i]);
    EXPECT_GE(gpu.asked, 180);
  }
}

TEST(SearchHandler, AnswersTheSameWhereTheGpuHasNoRoom) {
  ServedCollection served(random_documents(200, 22), 3);
  const auto requests = mixed_requests(40, 3);
  ScriptedGpu gpu{served.clock};
  const auto got = search_all(served, gpu, requests, {.threads = 1, .most_waiting = 1, .most_of_a_batch = 1});
  for (std::size_t i = 0; i < requests.size(); ++i) expect_same_hits(got[i], served.search(requests[i]));
}

TEST(SearchHandler, LeavesShortListsToTheCpuUnlessAskedForTheGpu) {
  ServedCollection served(random_documents(50, 23), 1);
  auto request = request_of(Mode::kOr, {"t1", "t2"}, 1);
  ScriptedGpu gpu{served.clock, {}, 1000};
  (void)search_all(served, gpu, {request});
  EXPECT_EQ(gpu.asked, 0);
  request.processor = wire::Processor::kGpu;
  const auto got = search_all(served, gpu, {request});
  EXPECT_EQ(gpu.asked, 1);
  expect_same_hits(got[0], served.search(request));
  request.processor = wire::Processor::kCpu;
  gpu.least_postings = 0;
  (void)search_all(served, gpu, {request});
  EXPECT_EQ(gpu.asked, 1);
}

TEST(SearchHandler, NamesPartitionsThatTheGpuHandsBackPastTheirDeadline) {
  ServedCollection served(random_documents(50, 24), 2);
  ScriptedGpu gpu{served.clock, [&](int) {
                    served.clock.advance(std::chrono::seconds(2));
                    return true;
                  }};
  const auto got = search_all(served, gpu, {request_of(Mode::kOr, {"t1", "t2"}, 2)});
  ASSERT_EQ(got[0].unsearched.size(), 2u);
  for (const auto& one : got[0].unsearched) EXPECT_EQ(one.reason, Unsearched::kDeadline);
}

TEST(SearchHandler, CountsAndRanksTheMatchesOfAllPartitions) {
  const auto documents = random_documents(500, 1);
  ServedCollection served(documents, 3);
  const auto both = served.search(request_of(Mode::kAnd, {"t2", "t5"}, 3));
  EXPECT_EQ(both.request_id, 42u);
  EXPECT_TRUE(both.has_and);
  EXPECT_FALSE(both.has_or);
  EXPECT_TRUE(both.unsearched.empty());
  EXPECT_EQ(both.and_ranking.matches, documents_with(documents, {"t2", "t5"}, true));
  EXPECT_EQ(both.and_ranking.hits.size(), 10u);
  EXPECT_TRUE(std::is_sorted(both.and_ranking.hits.begin(), both.and_ranking.hits.end(), topk::better));
  const auto any = served.search(request_of(Mode::kOr, {"t2", "t5"}, 3));
  EXPECT_TRUE(any.has_or);
  EXPECT_EQ(any.or_ranking.matches, documents_with(documents, {"t2", "t5"}, false));
}

TEST(SearchHandler, AnswersAlikeForAnyNumberOfPartitions) {
  const auto documents = random_documents(300, 2);
  ServedCollection one(documents, 1), many(documents, 4);
  for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
    for (const auto& terms : {std::vector<std::string>{"t3"}, {"t1", "t4"}, {"t2", "t2", "t8"}, {"t11", "t10", "t9"}}) {
      const auto a = one.search(request_of(mode, terms, 1)), b = many.search(request_of(mode, terms, 4));
      const auto& ranking = mode == Mode::kAnd ? a.and_ranking : a.or_ranking;
      const auto& same = mode == Mode::kAnd ? b.and_ranking : b.or_ranking;
      EXPECT_FALSE(ranking.hits.empty());
      EXPECT_EQ(ranking.hits, same.hits);
      EXPECT_EQ(ranking.matches, same.matches);
    }
  }
}

TEST(SearchHandler, CountsARepeatedTermTwice) {
  ServedCollection served(random_documents(50, 3), 1);
  const auto repeated = served.search(request_of(Mode::kOr, {"t1", "t3", "t1"}, 1));
  auto request = request_of(Mode::kOr, {"t1", "t3"}, 1);
  request.terms[0].occurrences = 2;
  EXPECT_EQ(repeated.or_ranking.hits, served.search(request).or_ranking.hits);
}

TEST(SearchHandler, FindsNothingWithAllTermsWhereOneIsUnknownAndIgnoresItForAny) {
  const auto documents = random_documents(50, 4);
  ServedCollection served(documents, 2);
  const auto both = served.search(request_of(Mode::kAnd, {"t1", "nowhere"}, 2));
  EXPECT_EQ(both.and_ranking.matches, 0u);
  EXPECT_TRUE(both.and_ranking.exact);
  const auto any = served.search(request_of(Mode::kOr, {"t1", "nowhere"}, 2));
  EXPECT_EQ(any.or_ranking.matches, documents_with(documents, {"t1"}, true));
  const auto none = served.search(request_of(Mode::kOr, {"nowhere"}, 2));
  EXPECT_TRUE(none.has_or);
  EXPECT_TRUE(none.or_ranking.hits.empty());
  EXPECT_TRUE(served.search(request_of(Mode::kAuto, {}, 2)).and_ranking.hits.empty());
}

TEST(SearchHandler, SendsOrTooWhereItsAndIsShort) {
  const auto documents = random_documents(200, 5);
  ServedCollection served(documents, 2);
  auto request = request_of(Mode::kAuto, {"t9", "t10"}, 2);
  request.auto_needs = static_cast<std::uint32_t>(documents_with(documents, {"t9", "t10"}, true));
  const auto enough = served.search(request);
  EXPECT_TRUE(enough.has_and);
  EXPECT_FALSE(enough.has_or);
  ++request.auto_needs;
  const auto short_of_one = served.search(request);
  EXPECT_TRUE(short_of_one.has_and);
  EXPECT_TRUE(short_of_one.has_or);
  EXPECT_EQ(short_of_one.and_ranking.hits, enough.and_ranking.hits);
  EXPECT_EQ(short_of_one.or_ranking.hits, served.search(request_of(Mode::kOr, {"t9", "t10"}, 2)).or_ranking.hits);
}

TEST(SearchHandler, SendsTheSameForAndAndOrOfOneTerm) {
  const auto documents = random_documents(5, 6);
  ServedCollection served(documents, 2);
  int searches = 0;
  served.engine.before = [&](const engine::Plan&) { ++searches; };
  const auto reply = served.search(request_of(Mode::kAuto, {"t0"}, 2));
  EXPECT_TRUE(reply.has_or);
  EXPECT_EQ(reply.or_ranking.hits.size(), 5u);
  EXPECT_EQ(reply.and_ranking.hits, reply.or_ranking.hits);
  EXPECT_EQ(searches, 2);
}

TEST(SearchHandler, AsksEnginesForAsManyAsAutoNeedsAndSendsAsManyAsWanted) {
  ServedCollection served(random_documents(200, 7), 1);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 1);
  request.depth = 3;
  request.auto_needs = 30;
  served.engine.before = [&](const engine::Plan& plan) { EXPECT_EQ(plan.k, 30u); };
  EXPECT_EQ(served.search(request).and_ranking.hits.size(), 3u);
}

TEST(SearchHandler, NamesThePartitionsItCouldNotSearch) {
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

TEST(SearchHandler, SearchesOnlyItsShard) {
  ServedCollection served(random_documents(100, 9), 5, {1, 2});
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 5));
  EXPECT_EQ(reply.or_ranking.matches, 40u);
  ASSERT_EQ(reply.unsearched.size(), 3u);
  for (const auto& missing : reply.unsearched) EXPECT_EQ(missing.partition % 2, 0u);
}

TEST(SearchHandler, SaysThatItDoesNotKnowAGeneration) {
  ServedCollection served(random_documents(10, 10), 2);
  auto request = request_of(Mode::kAnd, {"t0"}, 2);
  request.generation = 9;
  const auto reply = served.search(request);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kUnknownGeneration);
}

TEST(SearchHandler, EvaluatesNothingPastTheDeadline) {
  ServedCollection served(random_documents(10, 11), 2);
  served.engine.before = [](const engine::Plan&) { ADD_FAILURE() << "searched"; };
  auto request = request_of(Mode::kAnd, {"t0"}, 2);
  request.budget = std::chrono::microseconds(0);
  const auto reply = served.search(request);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kDeadline);
}

// A broker asks another replica for what is unsearched: its hits must not be in this answer, too.
TEST(SearchHandler, SendsNothingOfPartitionsWhoseOrFailed) {
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

TEST(SearchHandler, SendsNothingOfPartitionsWhoseOrCameTooLate) {
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
  Result<void> for_each(const std::function<bool(std::string_view, std::uint64_t)>& visit) const override {
    return below_->for_each(visit);
  }
  Result<void> verify_checksums() const override { return below_->verify_checksums(); }
  Result<void> intact() const override { return below_->intact(); }
  Result<void> check_files() const override { return below_->check_files(); }

 private:
  std::shared_ptr<const GenerationTerms> below_;
  mutable std::atomic<int> left_;
};

// The next task looks the terms up again.
TEST(SearchHandler, CountsEachTermOnceThoughALookUpRanOutOfMemory) {
  for (const int fails_at : {0, 1, 2}) {
    ServedCollection served(random_documents(60, 17), 2);
    auto request = request_of(Mode::kOr, {"t1", "t2", "t3"}, 2);
    request.depth = 60;
    const auto of_the_second = served.search(request).or_ranking;
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
    ASSERT_EQ(reply.unsearched.size(), 1u);
    ASSERT_FALSE(reply.or_ranking.hits.empty());
    for (const auto& hit : reply.or_ranking.hits)
      EXPECT_NE(std::ranges::find(of_the_second.hits, hit), of_the_second.hits.end())
          << "ordinal " << hit.ordinal << " scores " << hit.score << " where look-up " << fails_at << " failed";
  }
}

TEST(SearchHandler, TellsWhatItCostWhenAsked) {
  ServedCollection served(random_documents(60, 13), 2);
  auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  EXPECT_TRUE(served.search(request).profile.empty());
  request.profile = true;
  request.processor = wire::Processor::kExhaustive;
  const auto reply = served.search(request);
  ASSERT_EQ(reply.profile.size(), 2u);
  EXPECT_EQ(reply.profile[1].partition, 1u);
  EXPECT_EQ(reply.profile[1].engine, "exhaustive");
  EXPECT_GT(reply.profile[1].postings, 30u);
}

TEST(SearchHandler, SurvivesAnEngineOutOfMemory) {
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
TEST(SearchHandler, BelievesNoPartitionOfASearchUnderWhichOneWasLost) {
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

TEST(SearchHandler, RefusesAtTheDoorWhenTheQueueIsFull) {
  ServedCollection served(random_documents(20, 15), 2);
  schedule::WorkerPool pool({1, 1}, served.clock, nullptr);
  std::promise<void> entered, open;
  std::vector<schedule::Task> blocker(1);
  blocker[0].run = [&](const auto&) {
    entered.set_value();
    open.get_future().wait();
  };
  ASSERT_TRUE(pool.submit(std::move(blocker), schedule::Lane::kSearch));
  entered.get_future().wait();
  std::vector<schedule::Task> waiting(1);
  waiting[0].run = [](const auto&) {};
  ASSERT_TRUE(pool.submit(std::move(waiting), schedule::Lane::kSearch));
  const auto reply = served.search(request_of(Mode::kOr, {"t0"}, 2), pool);
  ASSERT_EQ(reply.unsearched.size(), 2u);
  EXPECT_EQ(reply.unsearched[0].reason, Unsearched::kOverloaded);
  open.set_value();
}

// ---- what costs many times the usual

// Counts what it is given, and may have no room.
class CountingScheduler final : public schedule::Scheduler {
 public:
  explicit CountingScheduler(const Clock& clock, std::size_t all_workers = 8) : workers(all_workers), below_(clock) {}
  Result<void> submit(std::vector<schedule::Task> tasks, schedule::Lane lane) override {
    if (full && lane != schedule::Lane::kContinue) return Error(Code::kOverloaded, "full");
    taken += tasks.size();
    return below_.submit(std::move(tasks), lane);
  }
  void drain() override { below_.drain(); }
  Load load() const override { return {others_wait, 8, workers, 1}; }
  std::size_t taken = 0, others_wait = 0, workers;
  bool full = false;

 private:
  schedule::InlineScheduler below_;
};

struct TwoSchedulers {
  explicit TwoSchedulers(ServedCollection& collection) : served(collection) {}
  wire::SearchReply search(const wire::SearchRequest& request, std::uint64_t costly_postings = ~0ull) {
    usual.taken = costly.taken = 0;
    SearchParts parts = served.parts(usual);
    parts.costly = &costly;
    parts.costly_postings = costly_postings;
    parts.small_postings = 1;
    SearchHandler handler(parts);
    std::optional<wire::SearchReply> got;
    handler.search(request, Deadline::after(served.clock, request.budget),
                   [&](wire::SearchReply reply) { got = reply; });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::SearchReply{});
  }
  ServedCollection& served;
  CountingScheduler usual{served.clock}, costly{served.clock};
};

TEST(SearchHandler, HasThreadsOfTheirOwnForSearchesThatAskForMuch) {
  ServedCollection served(random_documents(200, 30), 2);
  TwoSchedulers both(served);
  const auto usual = request_of(Mode::kAuto, {"t9", "t10"}, 2);
  std::vector<wire::SearchRequest> costly(3, usual);
  costly[0].depth = 1001;
  costly[1].processor = wire::Processor::kExhaustive;
  for (int i = 0; i < 63; ++i) costly[2].terms.push_back({"unknown" + std::to_string(i), 1});
  expect_same_hits(both.search(usual), served.search(usual));
  EXPECT_EQ(both.costly.taken, 0u);
  EXPECT_GE(both.usual.taken, 2u);
  for (const auto& request : costly) {
    expect_same_hits(both.search(request), served.search(request));
    EXPECT_EQ(both.usual.taken, 0u);
    EXPECT_GE(both.costly.taken, 2u);
  }
}

TEST(SearchHandler, MovesPartitionsWithManyPostingsToThem) {
  const auto documents = random_documents(200, 31);
  ServedCollection served(documents, 2);
  TwoSchedulers both(served);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  request.auto_needs = request.depth = 200;
  const auto wanted = served.search(request);
  const std::uint64_t postings = documents_with(documents, {"t0"}, true) + documents_with(documents, {"t1"}, true);
  expect_same_hits(both.search(request, postings), wanted);
  EXPECT_EQ(both.costly.taken, 0u) << "each partition has half of them";
  expect_same_hits(both.search(request, postings / 2), wanted);
  EXPECT_EQ(both.usual.taken, 2u) << "looked up there";
  EXPECT_EQ(both.costly.taken, 4u) << "AND and OR of both";
}

// Moving costs time, too, and where all is quiet nobody gains by it.
TEST(SearchHandler, MovesPartitionsOfMediumSizeWhereOthersWouldWait) {
  ServedCollection served(random_documents(200, 34), 2);
  TwoSchedulers both(served);
  const auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "another worker is idle";
  both.usual.others_wait = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 2u);
  both.usual.others_wait = 0;
  both.usual.workers = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 2u) << "no worker would be left";
}

TEST(SearchHandler, NamesPartitionsThatTheCostlyThreadsHaveNoRoomFor) {
  ServedCollection served(random_documents(200, 32), 2);
  TwoSchedulers both(served);
  both.costly.full = true;
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  const auto refused = both.search(request, 1);
  ASSERT_EQ(refused.unsearched.size(), 2u);
  EXPECT_EQ(refused.unsearched[0].reason, Unsearched::kOverloaded);
  request.depth = 2000;
  EXPECT_EQ(both.search(request).unsearched.size(), 2u);
  request.depth = 10;
  EXPECT_TRUE(both.search(request).unsearched.empty());
}

TEST(SearchHandler, LeavesManyPostingsToTheGpuWhereThereIsOne) {
  ServedCollection served(random_documents(200, 33), 2);
  const auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  const auto wanted = served.search(request);
  for (const bool leaves : {false, true}) {
    ScriptedGpu gpu{served.clock, [&](int) { return leaves; }};
    schedule::PlanBatcher batcher(
        {}, [&](std::span<const engine::Plan> plans) { return gpu.search(plans); }, nullptr);
    schedule::WorkerPool usual({1, 100}, served.clock, nullptr), costly({1, 100}, served.clock, nullptr);
    SearchParts parts = served.parts(usual);
    parts.gpu = &batcher;
    parts.costly = &costly;
    parts.costly_postings = parts.small_postings = 1;
    SearchHandler handler(parts);
    std::promise<wire::SearchReply> promised;
    handler.search(request, Deadline::never(), [&](wire::SearchReply reply) { promised.set_value(std::move(reply)); });
    expect_same_hits(promised.get_future().get(), wanted);
    EXPECT_EQ(gpu.asked, 2);
    for (schedule::WorkerPool* pool : {&usual, &costly}) pool->drain();
    batcher.drain();
  }
}

TEST(SearchHandler, AnswersAlikeFromManyThreads) {
  const auto documents = random_documents(400, 16);
  ServedCollection served(documents, 4);
  const auto expected = served.search(request_of(Mode::kAuto, {"t8", "t11", "t1"}, 4));
  schedule::WorkerPool pool({4, 100'000}, served.clock, nullptr);
  SearchHandler handler(served.parts(pool));
  std::atomic<int> same{0};
  constexpr int kSearches = 300;
  for (int i = 0; i < kSearches; ++i)
    handler.search(request_of(Mode::kAuto, {"t8", "t11", "t1"}, 4), Deadline::never(),
                   [&](const wire::SearchReply& reply) {
                     same += reply.and_ranking.hits == expected.and_ranking.hits &&
                             reply.or_ranking.hits == expected.or_ranking.hits && reply.has_or == expected.has_or &&
                             reply.unsearched.empty();
                   });
  pool.drain();
  EXPECT_EQ(same, kSearches);
}

}  // namespace
}  // namespace frond::leaf::serve
