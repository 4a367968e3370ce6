#include "leaf/schedule/cost_model.h"

#include <cmath>
#include <utility>

namespace frond::leaf::schedule {

CostInputs cost_inputs(const QueryFeatures& features) {
  const auto log = [](auto number) { return std::log2(1.0f + static_cast<float>(number)); };
  return {log(features.postings), log(features.shortest),   log(features.second),
          log(features.longest),  log(features.blocks),     log(features.terms),
          log(features.k),        log(features.partitions), log(features.expected_matches()),
          log(features.documents)};
}

double CostRegression::microseconds(const CostInputs& inputs) const {
  float sum = base;
  for (std::size_t i = 0; i < inputs.size(); ++i) sum += weight[i] * inputs[i];
  for (const CostTree& tree : trees) sum += tree.at(inputs);
  return static_cast<double>(std::exp2(std::clamp(sum, kMinLog2, kMaxLog2)));
}

double CostModel::scale_of(std::size_t batch_queries) const {
  if (scales.empty()) return 1;
  if (batch_queries <= scales.front().queries) return static_cast<double>(scales.front().scale);
  for (std::size_t i = 1; i < scales.size(); ++i) {
    if (batch_queries > scales[i].queries) continue;
    const double from = std::log2(scales[i - 1].queries), to = std::log2(scales[i].queries);
    const double part = (std::log2(static_cast<double>(batch_queries)) - from) / (to - from);
    return static_cast<double>(scales[i - 1].scale) + part * static_cast<double>(scales[i].scale - scales[i - 1].scale);
  }
  return static_cast<double>(scales.back().scale);
}

CostPredictor::CostPredictor(CostModel model) : model_(std::move(model)) {
  for (auto& factor : factors_) factor.store(1, std::memory_order_relaxed);
}

PredictedCost CostPredictor::corrected(Processor processor, const QueryFeatures& features,
                                       const CostInputs& inputs) const {
  const double us = model_.microseconds(processor, features.mode, inputs);
  const int above = us > 1 ? std::ilogb(us) + 1 : 0;
  PredictedCost cost{us, processor, features.mode, features.ranked,
                     static_cast<std::uint8_t>(std::min<std::size_t>(static_cast<std::size_t>(above), kClasses - 1))};
  cost.us *= factor(cost);
  return cost;
}

PredictedCosts CostPredictor::predict(const QueryFeatures& features) const {
  const CostInputs inputs = cost_inputs(features);
  return {corrected(Processor::kCpu, features, inputs), corrected(Processor::kGpu, features, inputs)};
}

void CostPredictor::observe(const PredictedCost& predicted, double ratio) {
  if (!(ratio > 0)) return;  // not a number, or a clock that did not move
  std::atomic<float>& factor = factors_[index(predicted)];
  const float off = std::clamp(static_cast<float>(std::min(ratio, 1e6)), 1 / kMaxFactor, kMaxFactor) - 1;
  const float now = factor.load(std::memory_order_relaxed) * (1 + kStep * off);
  factor.store(std::clamp(now, 1 / kMaxFactor, kMaxFactor), std::memory_order_relaxed);
}

}  // namespace frond::leaf::schedule
