// Any bytes are a cost model or a clear refusal. A model is read again as it was, and its predictions are within
// bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "leaf/schedule/cost_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::leaf::schedule;
  const auto model = parse_cost_model({reinterpret_cast<const char*>(data), size});
  if (!model) {
    if (model.error().message().empty()) std::abort();
    return 0;
  }
  if (!(parse_cost_model(cost_model_text(*model)) == *model)) std::abort();
  QueryFeatures features{.documents = size};
  for (std::size_t i = 0; i < size && i < 8; ++i) features.add_list(data[i] * std::uint64_t{100'003} << i, data[i]);
  for (const Processor processor : {Processor::kCpu, Processor::kGpu})
    for (const auto mode : {frond::leaf::engine::Mode::kAnd, frond::leaf::engine::Mode::kOr}) {
      const double us = model->microseconds(processor, mode, cost_inputs(features));
      if (!(us > 0.05 && us < 2e8)) std::abort();
    }
  for (const std::size_t queries : {0, 1, 7, 64, 1 << 20})
    if (!(model->scale_of(queries) > 0)) std::abort();
  return 0;
}
