#include "leaf/schedule/cost_predictor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace frond::leaf::schedule {

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
