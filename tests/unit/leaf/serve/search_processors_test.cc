// Where a search runs: on the usual threads, on the costly ones, on the GPU.
#include "leaf/serve/search/search_query.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using support::random_documents;
using wire::Mode;
using Unsearched = wire::UnsearchedReason;

// A GPU that answers as the oracle does, but for the plans that it `leaves`; and a search that may use it.
struct ScriptedGpu {
  std::vector<schedule::GpuAnswer> search(std::span<const engine::Plan> plans, engine::BatchTimes& times) {
    std::vector<schedule::GpuAnswer> answers;
    for (const engine::Plan& plan : plans) {
      const int number = asked++;
      if (leaves && leaves(number)) {
        answers.emplace_back();
        if (!times.no_room.empty()) times.no_room[answers.size() - 1] = no_room;
        continue;
      }
      answers.emplace_back(std::move(oracle.search({&plan, 1}, clock)[0]));
      if (!times.had_lists.empty()) times.had_lists[answers.size() - 1] = true;
    }
    times.build_us = 1;
    times.transfer_us = 2;
    times.kernel_us = 3;
    return answers;
  }
  const Clock& clock;
  std::function<bool(int number)> leaves{};
  std::uint64_t min_postings = 0;
  bool no_room = false;  // why it leaves plans
  std::atomic<int> asked{0};
  engine::ExhaustiveEngine oracle{};
};

std::vector<wire::SearchReply> search_all(ServedCollection& served, ScriptedGpu& gpu,
                                          const std::vector<wire::SearchRequest>& requests,
                                          const schedule::QueryScheduler::Options& options = {}) {
  std::vector<std::promise<wire::SearchReply>> promised(requests.size());
  schedule::WorkerPool pool({3, 10'000}, served.clock, nullptr);
  schedule::QueryScheduler queries(
      options,
      {[&](std::span<const engine::Plan> plans, engine::BatchTimes& times) { return gpu.search(plans, times); }, {}},
      pool, served.clock, nullptr);
  SearchParts parts = served.parts(pool);
  parts.queries = &queries;
  parts.min_gpu_postings = gpu.min_postings;
  parts.small_postings = 0;  // idle workers share every search
  Searches searches(parts);
  for (std::size_t i = 0; i < requests.size(); ++i)
    searches.start(requests[i], Deadline::after(served.clock, requests[i].budget),
                   [&promised, i](wire::SearchReply reply) { promised[i].set_value(std::move(reply)); });
  std::vector<wire::SearchReply> replies;
  replies.reserve(promised.size());
  for (auto& promise : promised) replies.push_back(promise.get_future().get());
  pool.drain();
  queries.drain();
  pool.drain();
  return replies;
}

std::vector<wire::SearchRequest> mixed_requests(int count, std::uint32_t partitions) {
  std::vector<wire::SearchRequest> requests;
  for (int i = 0; i < count; ++i) {
    const Mode mode = i % 3 == 0 ? Mode::kAnd : i % 3 == 1 ? Mode::kOr : Mode::kAuto;
    requests.push_back(request_of(mode, {"t" + std::to_string(i % 7), "t" + std::to_string(3 + i % 8)}, partitions));
    requests.back().auto_needs = i % 2 ? 10 : 1000;
    if (i % 4 == 3) {  // the first two, or only a count
      requests.back().rank = wire::Rank::kNone;
      requests.back().depth = i % 8 == 3 ? 2 : 0;
    }
  }
  return requests;
}

TEST(SearchQuery, AnswersTheSameWithAGpuThatLeavesSomePlansToTheCpu) {
  ServedCollection served(random_documents(200, 21), 3);
  auto requests = mixed_requests(60, 3);
  std::vector<wire::SearchReply> wanted;
  wanted.reserve(requests.size());
  for (const auto& request : requests) wanted.push_back(served.search(request));
  ScriptedGpu free_choice{served.clock, [](int number) { return number % 2 == 0; }};
  const auto chosen = search_all(served, free_choice, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) expect_same_hits(chosen[i], wanted[i]);
  for (auto& request : requests) request.processor = wire::Processor::kGpu;
  for (const int left : {0, 1, 2}) {  // of two plans
    ScriptedGpu gpu{served.clock, [left](int number) { return number % 2 < left; }};
    const auto got = search_all(served, gpu, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) expect_same_hits(got[i], wanted[i]);
    EXPECT_GE(gpu.asked, 180);
  }
}

TEST(SearchQuery, RefusesWholeSearchesWhereTheQueuesAreFull) {
  ServedCollection served(random_documents(200, 22), 3);
  const auto requests = mixed_requests(40, 3);
  ScriptedGpu gpu{served.clock};
  const auto got = search_all(served, gpu, requests, {.gpu_batches = 1, .max_waiting = 1, .max_batch = 1});
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (got[i].unsearched.empty()) {
      expect_same_hits(got[i], served.search(requests[i]));
    } else {
      EXPECT_EQ(got[i].unsearched.size(), 3u);
      for (const auto& one : got[i].unsearched) EXPECT_EQ(one.reason, Unsearched::kOverloaded);
    }
  }
}

TEST(SearchQuery, ComparesTheGpusAnswersAndSendsTheCpusWhereTheyDiffer) {
  ServedCollection served(random_documents(200, 26), 3);
  for (const bool wrong : {false, true}) {
    ScriptedGpu gpu{served.clock};
    metrics::Registry registry("test");
    Logger log("test", LogLevel::kError);
    AnswerCheck check(1, log, &registry);
    schedule::WorkerPool pool({2, 1000}, served.clock, nullptr);
    const auto search = [&](std::span<const engine::Plan> plans, engine::BatchTimes& times) {
      auto answers = gpu.search(plans, times);
      for (auto& answer : answers)
        if (wrong && *answer && !(*answer)->hits.empty()) ++(*answer)->hits.front().score;
      for (std::size_t i = 0; i < answers.size(); ++i)
        if (wrong && !plans[i].ranked && *answers[i]) ++(*answers[i])->matches;
      return answers;
    };
    schedule::QueryScheduler queries({}, {search, {}}, pool, served.clock, nullptr);
    SearchParts parts = served.parts(pool);
    parts.queries = &queries;
    parts.check = &check;
    Searches searches(parts);
    for (int i = 0; i < 5; ++i) {
      auto request = request_of(i == 2 ? Mode::kAuto : i % 2 ? Mode::kOr : Mode::kAnd, {"t1", "t2"}, 3);
      request.processor = wire::Processor::kGpu;
      if (i > 2) request.rank = wire::Rank::kNone;
      if (i > 2) request.depth = 0;
      std::promise<wire::SearchReply> promised;
      searches.start(request, Deadline::never(), [&](wire::SearchReply got) { promised.set_value(std::move(got)); });
      expect_same_hits(promised.get_future().get(), served.search(request));
    }
    pool.drain();
    queries.drain();
    EXPECT_EQ(registry.exposition().find("frond_leaf_answer_mismatch_total 0") != std::string::npos, !wrong);
    EXPECT_EQ(registry.exposition().find("frond_leaf_checked_answers_total 0"), std::string::npos);
  }
}

TEST(SearchQuery, AnswersTheSameWhereIdleWorkersShareASearch) {
  ServedCollection served(random_documents(400, 25), 8);
  const auto requests = mixed_requests(60, 8);
  schedule::WorkerPool pool({4, 10'000}, served.clock, nullptr);
  SearchParts parts = served.parts(pool);
  parts.small_postings = 0;
  Searches searches(parts);
  for (const auto& request : requests) {  // one at a time, so that workers are idle
    std::promise<wire::SearchReply> promised;
    searches.start(request, Deadline::after(served.clock, request.budget),
                   [&](wire::SearchReply reply) { promised.set_value(std::move(reply)); });
    expect_same_hits(promised.get_future().get(), served.search(request));
  }
  pool.drain();
}

TEST(SearchQuery, LeavesShortListsToTheCpuUnlessAskedForTheGpu) {
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
  gpu.min_postings = 0;
  (void)search_all(served, gpu, {request});
  EXPECT_EQ(gpu.asked, 1);
}

TEST(SearchQuery, TellsWhereItRanAndWhy) {
  ServedCollection served(random_documents(200, 27), 2);
  auto request = request_of(Mode::kOr, {"t1", "t2"}, 2);
  request.profile = true;
  ScriptedGpu gpu{served.clock};
  const auto run_of = [&](const schedule::QueryScheduler::Options& options = {}) {
    const auto got = search_all(served, gpu, {request}, options);
    EXPECT_EQ(got[0].runs.size(), 1u);
    return got[0].runs.empty() ? wire::SearchRun() : got[0].runs[0];
  };
  request.processor = wire::Processor::kGpu;
  const auto on_gpu = run_of();
  EXPECT_EQ(on_gpu.reason, wire::RunReason::kRequested);
  EXPECT_EQ(on_gpu.queue, wire::RunQueue::kGpu);
  EXPECT_TRUE(on_gpu.on_gpu && !on_gpu.on_cpu);
  EXPECT_EQ(on_gpu.resident, wire::Resident::kYes);
  EXPECT_EQ(on_gpu.batch_queries, 1u);
  EXPECT_EQ(on_gpu.batch_plans, 2u);
  EXPECT_EQ(on_gpu.build_ns, 1000u);
  EXPECT_EQ(on_gpu.transfer_ns, 2000u);
  EXPECT_EQ(on_gpu.kernel_ns, 3000u);
  EXPECT_GT(on_gpu.predicted_cpu_ns, 0u);
  EXPECT_GT(on_gpu.predicted_gpu_ns, 0u);
  EXPECT_GT(on_gpu.blocks, 0u);
  gpu.leaves = [](int number) { return number % 2 == 0; };
  const auto both = run_of();
  EXPECT_EQ(both.reason, wire::RunReason::kGpuLeft);
  EXPECT_TRUE(both.on_gpu && both.on_cpu);
  EXPECT_EQ(both.resident, wire::Resident::kNo);
  gpu.no_room = true;
  EXPECT_EQ(run_of().reason, wire::RunReason::kNoGpuRoom);
  gpu.leaves = {};
  request.processor = wire::Processor::kCpu;
  const auto on_cpu = run_of();
  EXPECT_EQ(on_cpu.reason, wire::RunReason::kRequested);
  EXPECT_EQ(on_cpu.queue, wire::RunQueue::kCpu);
  EXPECT_TRUE(on_cpu.on_cpu && !on_cpu.on_gpu);
  EXPECT_EQ(on_cpu.resident, wire::Resident::kNotAsked);
  request.processor = wire::Processor::kAuto;
  gpu.min_postings = 1'000'000;
  EXPECT_EQ(run_of().reason, wire::RunReason::kFewPostings);
  gpu.min_postings = 1;
  schedule::CostModel model = schedule::default_cost_model();
  for (auto& regression : model.regressions[0]) regression = {.base = 15};  // the CPU: 2^15 us
  for (auto& regression : model.regressions[1]) regression = {.base = 1};
  EXPECT_EQ(run_of({.model = model}).reason, wire::RunReason::kSuited);
  request.depth = 0;
  EXPECT_EQ(run_of({.model = model}).reason, wire::RunReason::kNoHits);
  request.rank = wire::Rank::kNone;
  const auto count = run_of({.model = model});
  EXPECT_EQ(count.reason, wire::RunReason::kSuited);
  EXPECT_TRUE(count.on_gpu && !count.on_cpu);
  EXPECT_EQ(count.k, 0u);
}

TEST(SearchQuery, NamesPartitionsThatTheGpuHandsBackPastTheirDeadline) {
  ServedCollection served(random_documents(50, 24), 2);
  ScriptedGpu gpu{served.clock, [&](int) {
                    served.clock.advance(std::chrono::seconds(2));
                    return true;
                  }};
  auto request = request_of(Mode::kOr, {"t1", "t2"}, 2);
  request.processor = wire::Processor::kGpu;
  const auto got = search_all(served, gpu, {request});
  ASSERT_EQ(got[0].unsearched.size(), 2u);
  for (const auto& one : got[0].unsearched) EXPECT_EQ(one.reason, Unsearched::kDeadline);
}

// Counts the searches that it is given, and may have no room.
class CountingScheduler final : public schedule::Scheduler {
 public:
  explicit CountingScheduler(const Clock& clock, std::size_t all_workers = 8) : workers(all_workers), below_(clock) {}
  Result<void> admit(std::span<schedule::Task> tasks, schedule::Lane lane) override {
    if (full && lane != schedule::Lane::kContinue) return Error(Code::kOverloaded, "full");
    if (lane == schedule::Lane::kSearch) taken += tasks.size();
    return below_.admit(tasks, lane);
  }
  void drain() override { below_.drain(); }
  Load load() const override { return {others_wait, 8, workers, 1}; }
  bool runs_caller() const override { return below_.runs_caller(); }
  std::size_t taken = 0, others_wait = 0, workers;
  bool full = false;

 private:
  support::InlineScheduler below_;
};

struct TwoSchedulers {
  explicit TwoSchedulers(ServedCollection& collection) : served(collection) {}
  wire::SearchReply search(const wire::SearchRequest& request, std::uint64_t costly_postings = ~0ull) {
    usual.taken = costly.taken = 0;
    SearchParts parts = served.parts(usual);
    parts.costly = &costly;
    parts.costly_postings = costly_postings;
    parts.small_postings = 1;
    Searches searches(parts);
    std::optional<wire::SearchReply> got;
    searches.start(request, Deadline::after(served.clock, request.budget),
                   [&](wire::SearchReply reply) { got = std::move(reply); });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::SearchReply{});
  }
  ServedCollection& served;
  CountingScheduler usual{served.clock}, costly{served.clock};
};

TEST(SearchQuery, HasThreadsOfTheirOwnForSearchesThatAskForMuch) {
  ServedCollection served(random_documents(200, 30), 2);
  TwoSchedulers both(served);
  const auto usual = request_of(Mode::kAuto, {"t9", "t10"}, 2);
  std::vector<wire::SearchRequest> costly(3, usual);
  costly[0].depth = 1001;
  costly[1].processor = wire::Processor::kExhaustive;
  for (int i = 0; i < 63; ++i) costly[2].terms.push_back({"unknown" + std::to_string(i), 1});
  expect_same_hits(both.search(usual), served.search(usual));
  EXPECT_EQ(both.costly.taken, 0u);
  EXPECT_EQ(both.usual.taken, 1u);
  for (const auto& request : costly) {
    expect_same_hits(both.search(request), served.search(request));
    EXPECT_EQ(both.usual.taken, 1u) << "found to be costly there";
    EXPECT_EQ(both.costly.taken, 1u);
  }
}

TEST(SearchQuery, MovesSearchesWithManyPostingsToThem) {
  const auto documents = random_documents(200, 31);
  ServedCollection served(documents, 2);
  TwoSchedulers both(served);
  auto request = request_of(Mode::kAuto, {"t0", "t1"}, 2);
  request.auto_needs = request.depth = 100;
  const auto wanted = served.search(request);
  const std::uint64_t postings = documents_with(documents, {"t0"}, true) + documents_with(documents, {"t1"}, true);
  expect_same_hits(both.search(request, postings), wanted);
  EXPECT_EQ(both.costly.taken, 0u) << "each partition has half of them";
  expect_same_hits(both.search(request, postings / 2), wanted);
  EXPECT_EQ(both.usual.taken, 1u) << "looked up there";
  EXPECT_EQ(both.costly.taken, 1u) << "AND and OR of both";
}

// Moving costs time, too, and where all is quiet nobody gains by it.
TEST(SearchQuery, MovesSearchesOfMediumSizeWhereOthersWouldWait) {
  ServedCollection served(random_documents(200, 34), 2);
  TwoSchedulers both(served);
  const auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "another worker is idle";
  both.usual.others_wait = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 1u);
  both.usual.others_wait = 0;
  both.usual.workers = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 1u) << "no worker would be left";
  both.costly.workers = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "it would wait behind a costly search";
  both.costly.workers = 2;
  both.costly.others_wait = 1;
  (void)both.search(request);
  EXPECT_EQ(both.costly.taken, 0u) << "… and here too";
}

TEST(SearchQuery, NamesPartitionsThatTheCostlyThreadsHaveNoRoomFor) {
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

TEST(SearchQuery, LeavesManyPostingsToTheGpuWhereThereIsOne) {
  ServedCollection served(random_documents(200, 33), 2);
  auto request = request_of(Mode::kOr, {"t0", "t1"}, 2);
  request.processor = wire::Processor::kGpu;
  const auto wanted = served.search(request);
  for (const bool leaves : {false, true}) {
    ScriptedGpu gpu{served.clock, [&](int) { return leaves; }};
    schedule::WorkerPool usual({1, 100}, served.clock, nullptr), costly({1, 100}, served.clock, nullptr);
    schedule::QueryScheduler queries(
        {},
        {[&](std::span<const engine::Plan> plans, engine::BatchTimes& times) { return gpu.search(plans, times); }, {}},
        usual, served.clock, nullptr);
    SearchParts parts = served.parts(usual);
    parts.queries = &queries;
    parts.costly = &costly;
    parts.costly_postings = parts.small_postings = 1;
    Searches searches(parts);
    std::promise<wire::SearchReply> promised;
    searches.start(request, Deadline::never(), [&](wire::SearchReply reply) { promised.set_value(std::move(reply)); });
    expect_same_hits(promised.get_future().get(), wanted);
    EXPECT_EQ(gpu.asked, 2);
    for (schedule::WorkerPool* pool : {&usual, &costly}) pool->drain();
    queries.drain();
  }
}

}  // namespace
}  // namespace frond::leaf::serve
