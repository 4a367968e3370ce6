#pragma once
// Predicts how long a query takes on each processor, from what is known before it is evaluated.
//
// For each processor and mode there is a regression. It gives the binary logarithm of the microseconds: a line over the
// logarithms of the features, plus the values of a few small trees for what a line cannot follow. (Ding et al. 2009, 9,
// use M5 rules, which are lines at the leaves of a tree.) A tree here is oblivious: all its nodes of a level compare
// the same feature with the same number, so a look-up has no branches.
//
// On the GPU a query is part of a batch. A batch takes launch_us, whatever is in it, and each of its queries adds to
// that. Large batches use the device better: scale_of() says what a query adds in a batch of a given size, relative to
// a batch of 64.
//
// A model is a plain value. It is trained by `frond bench schedule --train`, which writes it to a file that people can
// read (cost_model_text.h). Without a file a leaf uses default_cost_model().
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "leaf/schedule/query_features.h"

namespace frond::leaf::schedule {

enum class Processor : std::uint8_t { kCpu, kGpu };
inline constexpr std::size_t kProcessors = 2, kModes = 2;

// What regressions read. Each is log2(1 + the feature).
inline constexpr std::array<std::string_view, 10> kCostInputs = {
    "postings", "shortest", "second", "longest", "blocks", "terms", "k", "partitions", "matches", "documents"};
using CostInputs = std::array<float, kCostInputs.size()>;
CostInputs cost_inputs(const QueryFeatures& features);

struct CostTree {
  static constexpr std::size_t kDepth = 4;
  std::array<std::uint8_t, kDepth> input{};  // by level: which of kCostInputs
  std::array<float, kDepth> threshold{};     // by level: whether the input is greater is a bit of the value's index
  std::array<float, 1u << kDepth> value{};   // added to log2(us); bit i of the index belongs to level i

  float at(const CostInputs& inputs) const {
    unsigned index = 0;
    for (std::size_t level = 0; level < kDepth; ++level)
      index |= static_cast<unsigned>(inputs[input[level]] > threshold[level]) << level;
    return value[index];
  }
  friend bool operator==(const CostTree&, const CostTree&) = default;
};

struct CostRegression {
  static constexpr std::size_t kMaxTrees = 64;
  // Predictions stay between 2^kMinLog2 and 2^kMaxLog2 microseconds: 0.06 us and 134 s.
  static constexpr float kMinLog2 = -4, kMaxLog2 = 27;

  float base = 0;
  std::array<float, kCostInputs.size()> weight{};
  std::vector<CostTree> trees;

  double microseconds(const CostInputs& inputs) const;
  friend bool operator==(const CostRegression&, const CostRegression&) = default;
};

struct CostModel {
  struct BatchScale {
    std::uint32_t queries = 1;  // in the batch
    float scale = 1;            // what a query adds, by what it adds in a batch of 64
    friend bool operator==(const BatchScale&, const BatchScale&) = default;
  };
  static constexpr std::size_t kMaxScales = 16;

  std::array<std::array<CostRegression, kModes>, kProcessors> regressions;  // [Processor][engine::Mode]
  float launch_us = 45;            // of a batch: from the host's start of it to its answers, without any query
  std::vector<BatchScale> scales;  // by ascending `queries`; empty: all sizes are alike

  // CPU: one thread's time. GPU: what the query adds to a batch of 64.
  double microseconds(Processor processor, engine::Mode mode, const CostInputs& inputs) const {
    return regressions[static_cast<std::size_t>(processor)][static_cast<std::size_t>(mode)].microseconds(inputs);
  }
  // Interpolated between the sizes of `scales`, by the logarithm of the size.
  double scale_of(std::size_t batch_queries) const;
  friend bool operator==(const CostModel&, const CostModel&) = default;
};

// Trained on this project's measurements; docs/measurements says which. Good for a start: observed times correct it.
const CostModel& default_cost_model();

}  // namespace frond::leaf::schedule
