// The wall-clock bench of processors, with an engine in the GPU's place that can be made to err.
#include "tools/bench/gpu/processor_rows.h"

#include <gtest/gtest.h>

#include <atomic>

#include "leaf/engines.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::tools::bench {
namespace {

class StandIn final : public BenchGpu, public leaf::engine::QueryEngine {
 public:
  StandIn() : below_(*leaf::engine_named("exhaustive")) {}
  leaf::engine::QueryEngine& engine() override { return *this; }
  Counters counters() const override { return counters_; }
  std::vector<Step> steps() const override { return {{"search", searched_}, {"select", 2 * searched_}}; }
  std::string_view name() const override { return "stand-in"; }
  std::vector<Result<leaf::engine::Outcome>> search(std::span<const leaf::engine::Plan> plans,
                                                    const Clock& clock) override {
    auto found = below_->search(plans, clock);
    searched_ += static_cast<double>(plans.size());
    if (falls_back) counters_.fallbacks += plans.size();
    if (errs && plans.size() > 1) found[0] = Error(Code::kCorrupt, "no list");
    if (lies && !found[0]->hits.empty()) ++found[0]->hits[0].score;
    if (lies && !plans[0].ranked) ++found[0]->matches;
    return found;
  }
  bool falls_back = false, errs = false, lies = false;

 private:
  std::unique_ptr<leaf::engine::QueryEngine> below_;
  Counters counters_{.held_bytes = 1};
  std::atomic<double> searched_{0};  // plans
};

class ProcessorBenches : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(support::publish_generation(folder_.path(), "c", support::random_documents(300, /*seed=*/5), 1));
    searcher_ = *PartitionSearcher::open({folder_.path().string(), "c", 0, 0});
    queries_ = *parse_queries("t1 t2\nt3\nt0 t5 t1\nunknown t2\nt4 t9\n", "", searcher_->analyzer());
    cpu_ = *leaf::engine_named("cpu");
  }
  Result<void> bench(std::uint32_t k = 3, bool ranked = true) {
    const ProcessorOptions options{.modes = {BenchMode::kAnd, BenchMode::kOr, BenchMode::kAuto},
                                   .ks = {k},
                                   .ranked = ranked,
                                   .batches = {1, 2, 100},
                                   .callers = 2,
                                   .threads = 2,
                                   .rounds = 1,
                                   .seconds = 0,
                                   .break_even = true,
                                   .steps = true};
    return bench_processors(*searcher_, queries_, options, {cpu_.get(), &gpu_}, /*json=*/true);
  }
  support::ScratchFolder folder_;
  std::unique_ptr<PartitionSearcher> searcher_;
  std::vector<BenchQuery> queries_;
  std::unique_ptr<leaf::engine::QueryEngine> cpu_;
  StandIn gpu_;
};

TEST_F(ProcessorBenches, MeasureBothWhereTheirHitsAreEqual) {
  const auto done = bench();
  EXPECT_TRUE(done.has_value()) << done.error().message();
}

TEST_F(ProcessorBenches, MeasureCountsAndHitsThatAreNotRanked) {
  for (const std::uint32_t k : {0u, 3u}) {
    const auto done = bench(k, false);
    EXPECT_TRUE(done.has_value()) << done.error().message();
  }
  gpu_.lies = true;
  EXPECT_EQ(bench(0, false), Code::kCorrupt);
}

TEST_F(ProcessorBenches, GiveRowsForEveryModeProcessorAndBatch) {
  const ProcessorOptions options{.modes = {BenchMode::kAnd, BenchMode::kOr},
                                 .ks = {3},
                                 .batches = {1, 2},
                                 .rounds = 1,
                                 .seconds = 0,
                                 .steps = true};
  std::vector<ProcessorRow> rows;
  const auto summary =
      measure_processors(*searcher_, queries_, options, {cpu_.get(), &gpu_},
                         {.say = {}, .row = [&](const ProcessorRow& row) { rows.push_back(row); }, .by_postings = {}});
  ASSERT_TRUE(summary.has_value()) << summary.error().message();
  EXPECT_EQ(summary->queries, 4u) << "one has an unknown term";
  ASSERT_EQ(rows.size(), 2u * 5) << "alone on both; batches of 1 and 2 on the GPU; the CPU's threads";
  for (const ProcessorRow& row : rows) {
    EXPECT_EQ(row.k, 3u);
    EXPECT_EQ(row.steps.size(), !row.alone_us && row.processor == "gpu" ? 2u : 0u);
    EXPECT_GT(row.alone_us ? row.alone_us->mean : row.queries_per_second.median, 0);
  }
}

TEST_F(ProcessorBenches, RefuseAWrongAnswer) {
  gpu_.lies = true;
  const auto done = bench();
  ASSERT_EQ(done, Code::kCorrupt);
  EXPECT_NE(done.error().message().find("have another answer on the GPU"), std::string::npos);
}

TEST_F(ProcessorBenches, RefuseAnswersThatAreTheCpusOwn) {
  gpu_.falls_back = true;
  EXPECT_EQ(bench(), Code::kDevice);
}

TEST_F(ProcessorBenches, PassAnEnginesErrorOn) {
  gpu_.errs = true;
  const auto done = bench();
  ASSERT_EQ(done, Code::kCorrupt);
  EXPECT_EQ(done.error().message(), "no list");
}

TEST_F(ProcessorBenches, LeaveOutQueriesWithTermsThatThePartitionLacks) {
  EXPECT_EQ(plan_queries(*searcher_, queries_, 3)->size(), 4u);
  EXPECT_EQ(plan_queries(*searcher_, std::span(queries_).subspan(3, 1), 3), Code::kInvalid);
}

TEST_F(ProcessorBenches, CountWholePassesOnly) {
  const auto planned = *plan_queries(*searcher_, queries_, 3);
  const auto rate =
      time_batches(*cpu_, BenchMode::kOr, planned, {.batch = 3, .callers = 2, .rounds = 3, .seconds = 0.01});
  ASSERT_TRUE(rate.has_value());
  EXPECT_GT(rate->min, 0);
  EXPECT_LE(rate->min, rate->median);
  EXPECT_LE(rate->median, rate->max);
}

}  // namespace
}  // namespace frond::tools::bench
