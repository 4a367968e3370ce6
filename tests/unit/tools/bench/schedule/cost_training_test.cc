// Costs that are known are learnt; costs of an index are measured, with an engine in the GPU's place.
#include "tools/bench/schedule/cost_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "leaf/engines.h"
#include "leaf/schedule/cost_model.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"
#include "tools/bench/schedule/cost_measurement.h"

namespace frond::tools::bench {
namespace {

using leaf::schedule::CostInputs, leaf::schedule::CostRegression;

std::vector<CostSample> samples_of(std::size_t count, std::uint64_t seed, double (*log_cost)(const CostInputs&),
                                   double noise = 0) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> input(0, 20);
  std::normal_distribution<double> error(0, 1);
  std::vector<CostSample> samples(count);
  for (CostSample& sample : samples) {
    for (float& one : sample.inputs) one = input(random);
    sample.us = std::exp2(log_cost(sample.inputs) + noise * error(random));
  }
  return samples;
}

RelativeErrors held_out(const CostRegression& regression, std::span<const CostSample> samples) {
  std::vector<double> predicted, measured;
  for (const CostSample& sample : samples) {
    predicted.push_back(regression.microseconds(sample.inputs));
    measured.push_back(sample.us);
  }
  return errors_of(predicted, measured);
}

TEST(CostTraining, LearnsALine) {
  const auto line = [](const CostInputs& in) { return 1.0 + 0.5 * in[0] - 0.25 * in[3]; };
  const auto regression = fit_costs(samples_of(500, 1, line), /*max_trees=*/0);
  EXPECT_NEAR(regression.weight[0], 0.5, 0.001);
  EXPECT_NEAR(regression.weight[3], -0.25, 0.001);
  EXPECT_NEAR(regression.weight[7], 0, 0.001);
  EXPECT_LT(held_out(regression, samples_of(500, 2, line)).median, 0.01);
}

TEST(CostTraining, LearnsStepsAndProductsWithTrees) {
  const auto bent = [](const CostInputs& in) {
    return 3.0 + (in[2] > 8 ? 2.0 : 0.0) + (in[1] > 5 && in[4] > 10 ? 1.5 : 0.0) + 0.2 * in[0];
  };
  const auto train = samples_of(4000, 1, bent, 0.1), other = samples_of(1000, 2, bent, 0.1);
  const auto line = held_out(fit_costs(train, 0), other), trees = held_out(fit_costs(train), other);
  EXPECT_GT(line.median, 0.2);
  EXPECT_LT(trees.median, 0.12);
  EXPECT_NEAR(trees.bias, 1, 0.05);
}

TEST(CostTraining, TakesConstantInputsAndFewSamples) {
  std::vector<CostSample> same(10);
  for (auto& sample : same) sample.us = 8;
  EXPECT_NEAR(fit_costs(same).microseconds({}), 8, 0.01);
  EXPECT_EQ(fit_costs({}).microseconds({}), 1);
  std::vector<CostSample> many(1000, same[0]);
  EXPECT_NEAR(fit_costs(many).microseconds({}), 8, 0.01);
}

TEST(CostTraining, MeasuresErrors) {
  const std::vector<double> predicted = {1, 2, 3, 4}, measured = {1, 1, 4, 4};
  const auto errors = errors_of(predicted, measured);
  EXPECT_EQ(errors.count, 4u);
  EXPECT_DOUBLE_EQ(errors.mean, (1 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(errors.median, 0.25);
  EXPECT_DOUBLE_EQ(errors.p90, 1);
  EXPECT_DOUBLE_EQ(errors.bias, 1);
}

// In the GPU's place: the exhaustive engine.
class StandIn final : public BenchGpu {
 public:
  leaf::engine::QueryEngine& engine() override { return *engine_; }
  Counters counters() const override { return {.held_bytes = 1, .refused = refused}; }
  std::vector<Step> steps() const override { return {}; }
  std::uint64_t refused = 0;

 private:
  std::unique_ptr<leaf::engine::QueryEngine> engine_ = *leaf::engine_named("exhaustive");
};

TEST(CostMeasurement, CoversAllPartitionsAndBothProcessors) {
  support::ScratchFolder folder;
  ASSERT_TRUE(support::publish_generation(folder.path(), "c", support::random_documents(300, /*seed=*/5), 3));
  const auto searchers = *open_partitions({folder.path().string(), "c", 0, 0});
  ASSERT_EQ(searchers.size(), 3u);
  const auto read = *parse_queries("t1 t2\nt3\nt0 t5 t1\nunknown t2\nt4 t9\n", "", searchers[0]->analyzer());
  constexpr leaf::engine::Mode kModes[] = {leaf::engine::Mode::kAnd, leaf::engine::Mode::kOr};
  constexpr std::uint32_t kKs[] = {1, 10};
  auto queries = *plan_costed(searchers, read, kModes, kKs);
  EXPECT_LE(queries.size(), 4 * 2 * 2 + 2u);  // AND of an unknown term costs nothing
  for (const auto& query : queries) {
    EXPECT_EQ(query.features.partitions, 3u);
    EXPECT_EQ(query.features.documents, 300u);
    EXPECT_LE(query.features.terms, read[query.number].size());
    EXPECT_GT(query.features.shortest, 0u);
  }
  const auto cpu = *leaf::engine_named("cpu");
  ASSERT_TRUE(measure_cpu(*cpu, queries, 2));
  StandIn gpu;
  const auto batches = measure_gpu(gpu, queries, 2, 1, /*max_batch=*/64);
  ASSERT_TRUE(batches.has_value()) << batches.error().message();
  EXPECT_FALSE(batches->scales.empty());
  for (const auto& query : queries) {
    EXPECT_GE(query.cpu_us, 0.05);
    EXPECT_LT(query.cpu_us, 1e6);
    EXPECT_GT(query.gpu_us, 0);
  }
  const auto trained = train(queries, &*batches, leaf::schedule::default_cost_model());
  EXPECT_EQ(*leaf::schedule::parse_cost_model(cost_model_text(trained.model)), trained.model);
  EXPECT_NE(trained.model.regressions[0][1], leaf::schedule::default_cost_model().regressions[0][1]);
  gpu.refused = 1;
  EXPECT_EQ(measure_gpu(gpu, queries, 2, 1, /*max_batch=*/64), Code::kDevice);
}

}  // namespace
}  // namespace frond::tools::bench
