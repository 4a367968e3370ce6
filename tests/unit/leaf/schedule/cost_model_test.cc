// Predictions, their file and their corrections.
#include "leaf/schedule/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace frond::leaf::schedule {
namespace {

using engine::Mode;

QueryFeatures features_of(std::initializer_list<std::uint64_t> lists, Mode mode = Mode::kOr) {
  QueryFeatures features{.mode = mode, .documents = 1'000'000};
  for (const std::uint64_t postings : lists) features.add_list(postings, (postings + 127) / 128);
  return features;
}

TEST(QueryFeatures, KeepTheShortestTwoInAnyOrder) {
  for (const auto& lists : {std::initializer_list<std::uint64_t>{500, 20, 7000, 300},
                            {20, 300, 500, 7000},
                            {7000, 500, 300, 20},
                            {300, 7000, 20, 500}}) {
    const QueryFeatures features = features_of(lists);
    EXPECT_EQ(features.terms, 4u);
    EXPECT_EQ(features.shortest, 20u);
    EXPECT_EQ(features.second, 300u);
    EXPECT_EQ(features.longest, 7000u);
    EXPECT_EQ(features.postings, 7820u);
    EXPECT_EQ(features.blocks, 1u + 3 + 4 + 55);
  }
  EXPECT_EQ(features_of({70}).second, 0u);
  EXPECT_EQ(features_of({70, 70}).second, 70u);
}

TEST(QueryFeatures, ExpectMatchesOfIndependentLists) {
  EXPECT_DOUBLE_EQ(features_of({500'000, 100'000}).expected_matches(), 50'000);
  EXPECT_DOUBLE_EQ(features_of({100, 2'000'000}).expected_matches(), 100);  // no more than all documents
  EXPECT_EQ(QueryFeatures().expected_matches(), 0);
}

TEST(CostModel, AddsALineAndTrees) {
  const auto model =
      *parse_cost_model(R"({"launch_us": 10, "cpu and": {"base": 2, "weights": {"shortest": 1},)"
                        R"("trees": [{"greater": [["terms", 1.1], ["k", 3]], "values": [0, 1, 10, 11]}]},)"
                        R"("cpu or": {}, "gpu and": {}, "gpu or": {}})");
  auto features = features_of({1023, 4095}, Mode::kAnd);  // log2(1 + terms) = 1.58, log2(1 + k) = 3.46
  EXPECT_NEAR(model.microseconds(Processor::kCpu, Mode::kAnd, cost_inputs(features)), std::exp2(2 + 10 + 11), 100);
  features.k = 3;
  EXPECT_NEAR(model.microseconds(Processor::kCpu, Mode::kAnd, cost_inputs(features)), std::exp2(2 + 10 + 1), 1);
  EXPECT_EQ(model.microseconds(Processor::kGpu, Mode::kOr, cost_inputs(features)), 1);
}

TEST(CostModel, StaysWithinBounds) {
  auto model = default_cost_model();
  for (auto& of_processor : model.regressions)
    for (auto& regression : of_processor) regression.base = 1e6f;
  const auto inputs = cost_inputs(features_of({~std::uint64_t{0}}));
  EXPECT_EQ(model.microseconds(Processor::kCpu, Mode::kAnd, inputs), std::exp2(CostRegression::kMaxLog2));
  for (auto& of_processor : model.regressions)
    for (auto& regression : of_processor) regression.base = -1e6f;
  EXPECT_EQ(model.microseconds(Processor::kGpu, Mode::kOr, inputs), std::exp2(CostRegression::kMinLog2));
}

TEST(CostModel, ScalesWithTheBatch) {
  CostModel model;
  EXPECT_EQ(model.scale_of(5), 1);
  model.scales = {{1, 2}, {16, 1}, {256, 0.5f}};
  EXPECT_EQ(model.scale_of(0), 2);
  EXPECT_EQ(model.scale_of(1), 2);
  EXPECT_DOUBLE_EQ(model.scale_of(4), 1.5);
  EXPECT_DOUBLE_EQ(model.scale_of(16), 1);
  EXPECT_DOUBLE_EQ(model.scale_of(64), 0.75);
  EXPECT_EQ(model.scale_of(100'000), 0.5);
}

TEST(CostModel, OfThisProjectGrowsWithTheWork) {
  const CostModel& model = default_cost_model();
  for (const Processor processor : {Processor::kCpu, Processor::kGpu})
    for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
      const double light = model.microseconds(processor, mode, cost_inputs(features_of({100, 200}, mode)));
      const double heavy = model.microseconds(processor, mode, cost_inputs(features_of({100'000, 900'000}, mode)));
      EXPECT_GT(light, 0.1);
      EXPECT_GT(heavy, 1.3 * light);
      EXPECT_LT(heavy, 1e5);
    }
}

TEST(CostModelText, ReadsWhatItWrites) {
  EXPECT_EQ(*parse_cost_model(cost_model_text(default_cost_model(), "two\nlines")), default_cost_model());
  CostModel model = default_cost_model();
  std::mt19937_64 random(3);
  for (auto& of_processor : model.regressions)
    for (auto& regression : of_processor) {
      regression.base = -1.0f / 3;
      for (auto& weight : regression.weight) weight = static_cast<float>(random()) * 1e-19f;
      CostTree tree;
      for (auto& input : tree.input) input = static_cast<std::uint8_t>(random() % kCostInputs.size());
      for (auto& value : tree.value) value = static_cast<float>(random()) * 1e-20f;
      regression.trees.assign(CostRegression::kMaxTrees, tree);
    }
  EXPECT_EQ(*parse_cost_model(cost_model_text(model)), model);
}

TEST(CostModelText, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const std::string& text) {
    const auto model = parse_cost_model(text);
    EXPECT_EQ(model, Code::kInvalid);
    return model ? std::string() : model.error().message();
  };
  EXPECT_EQ(error_of(""), "no JSON object");
  EXPECT_EQ(error_of("[]"), "no JSON object");
  EXPECT_EQ(error_of("frond-cost-model 1\n"), "of an earlier version: frond bench schedule --train makes a new one");
  EXPECT_EQ(error_of(R"({"lanch_us": 3})"), "'lanch_us': no part of a cost model");
  EXPECT_EQ(error_of(R"({"cpu and": )" + std::string(500'000, '[')), "no JSON object");
  EXPECT_EQ(error_of(R"({"cpu and": )" + std::string(400'000, '[') + std::string(400'000, ']') + "}"),
            "cpu and: no object");
  EXPECT_EQ(error_of("{}"), "cpu and: no object");
  EXPECT_EQ(error_of(R"({"launch_us": -3})"), "launch_us: no number from 0.0 to 1e+06");
  EXPECT_EQ(error_of(R"({"launch_us": "3"})"), "launch_us: no number from 0.0 to 1e+06");
  EXPECT_EQ(error_of(R"({"batch": [[4, 1], [4, 1]]})"), "batch: sizes must ascend");
  EXPECT_EQ(error_of(R"({"batch": [[4, 1, 2]]})"), "batch: no list of up to 16 pairs");
  EXPECT_EQ(error_of(R"({"cpu and": {"weights": {"length": 1}}})"), "cpu and: weights: 'length' is no input");
  EXPECT_EQ(error_of(R"({"cpu and": {"forest": 1}})"),
            "cpu and: forest: no base, no weights, or no list of up to 64 trees");
  for (const char* tree :
       {"3", R"({"values": [1], "more": [["k", 1]]})", R"({"greater": [["k", 1]], "values": [1]})", R"({"values": []})",
        R"({"greater": [["k", 1], ["k", 2], ["k", 3], ["k", 4], ["k", 5]], "values": [1]})"})
    EXPECT_EQ(error_of(R"({"cpu and": {"trees": [)" + std::string(tree) + "]}}"),
              "cpu and: trees: no tree of at most 4 levels, with all their values")
        << tree;
  std::string forest = R"({"values": [1]})";
  for (std::size_t i = 0; i < CostRegression::kMaxTrees; ++i) forest += R"(,{"values": [1]})";
  EXPECT_EQ(error_of(R"({"cpu and": {"trees": [)" + forest + "]}}"),
            "cpu and: trees: no base, no weights, or no list of up to 64 trees");
  EXPECT_EQ(error_of(std::string(kMaxCostModelBytes + 1, '\n')), "longer than 1048576 bytes");
}

TEST(CostModelText, NamesTheFile) {
  const auto missing = read_cost_model("/no/such/model");
  ASSERT_EQ(missing, Code::kNotFound);
  EXPECT_EQ(missing.error().message(), "/no/such/model: can't be read");
  EXPECT_FALSE(read_cost_model("/")) << "no file";
}

TEST(CostPredictor, FollowsWhatIsObserved) {
  CostPredictor predictor(default_cost_model());
  const auto features = features_of({3000, 40'000});
  const double before = predictor.predict(features).cpu.us, gpu = predictor.predict(features).gpu.us;
  const double real = 3 * before;
  for (int i = 0; i < 200; ++i) {
    const auto predicted = predictor.predict(features).cpu;
    predictor.observe(predicted, real / predicted.us);
  }
  EXPECT_NEAR(predictor.predict(features).cpu.us, real, real * 0.01);
  EXPECT_EQ(predictor.predict(features).gpu.us, gpu);  // the other processor, mode and class are as before
  auto unranked = features;
  unranked.ranked = false;
  EXPECT_EQ(predictor.predict(unranked).cpu.us, before);
  const auto other = features_of({3000, 40'000}, Mode::kAnd);
  EXPECT_EQ(predictor.predict(other).cpu.us, CostPredictor(default_cost_model()).predict(other).cpu.us);
}

TEST(CostPredictor, CorrectsWithinBounds) {
  CostPredictor predictor(default_cost_model());
  const auto features = features_of({3000, 40'000});
  const double before = predictor.predict(features).cpu.us;
  const auto predicted = predictor.predict(features).cpu;
  for (const double ratio : {std::nan(""), -1.0, 0.0, std::numeric_limits<double>::infinity()})
    predictor.observe(predicted, ratio);
  EXPECT_LE(predictor.predict(features).cpu.us, before * 2);
  for (int i = 0; i < 1000; ++i) predictor.observe(predicted, 1e9);
  EXPECT_NEAR(predictor.predict(features).cpu.us, before * 8, before * 0.01);
  for (int i = 0; i < 10'000; ++i) predictor.observe(predicted, 1e-9);
  EXPECT_NEAR(predictor.predict(features).cpu.us, before / 8, before * 0.01);
}

TEST(CostPredictor, IsUnbiasedUnderNoise) {
  CostPredictor predictor(default_cost_model());
  const auto features = features_of({3000, 40'000});
  const double real = predictor.predict(features).cpu.us * 1.5;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> noise(0.5, 1.5);
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto predicted = predictor.predict(features).cpu;
    predictor.observe(predicted, real * noise(random) / predicted.us);
    if (i >= 10'000) sum += predicted.us;
  }
  EXPECT_NEAR(sum / 10'000, real, real * 0.02);
}

}  // namespace
}  // namespace frond::leaf::schedule
