#include "leaf/schedule/cost_model.h"

#include <algorithm>
#include <cmath>

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

}  // namespace frond::leaf::schedule
