#pragma once
// A cost model with corrections learnt from observed times, so that predictions follow the machine, the collection and
// the load. There is a factor for each processor, mode and class of cost: predictions of up to 1 us, 2 us, 4 us and so
// on are a class each. Queries that are not ranked have factors of their own: the model, which knows only ranked ones,
// predicts them as such with their k, 0 if they only count. A factor moves a sixteenth of the way at an observation and
// stays between 1/8 and 8.
//
// Any thread; relaxed atomics. When two threads correct a factor at once, one of the corrections may be lost.
#include <array>
#include <atomic>
#include <cstdint>

#include "leaf/schedule/cost_model.h"

namespace frond::leaf::schedule {

// A predicted cost, and what observe() needs to know of it.
struct PredictedCost {
  double us = 0;
  Processor processor = Processor::kCpu;
  engine::Mode mode = engine::Mode::kOr;
  bool ranked = true;
  std::uint8_t cost_class = 0;
};
struct PredictedCosts {
  PredictedCost cpu;  // one thread's time
  PredictedCost gpu;  // what the query adds to a batch of 64
};

class CostPredictor {
 public:
  static constexpr std::size_t kClasses = 24;
  static constexpr float kStep = 1.0f / 16, kMaxFactor = 8;

  explicit CostPredictor(CostModel model);

  PredictedCosts predict(const QueryFeatures& features) const;
  // A batch: from the host's start of it to its answers, if nothing else runs on the device. `sum_us`: of the
  // predictions of its queries.
  double batch_us(double sum_us, std::size_t queries) const {
    return static_cast<double>(model_.launch_us) + sum_us * model_.scale_of(queries);
  }
  // `ratio`: the time that was observed, by the time that was predicted. For a GPU both are of the whole batch; call it
  // for each query of the batch.
  void observe(const PredictedCost& predicted, double ratio);

  const CostModel& model() const { return model_; }
  double factor(const PredictedCost& of) const { return static_cast<double>(at(of).load(std::memory_order_relaxed)); }

 private:
  using Factors = std::array<std::atomic<float>, kProcessors * kModes * 2 * kClasses>;
  static std::size_t index(const PredictedCost& of) {
    const std::size_t kind = static_cast<std::size_t>(of.processor) * kModes + static_cast<std::size_t>(of.mode);
    return (2 * kind + of.ranked) * kClasses + of.cost_class;
  }
  const std::atomic<float>& at(const PredictedCost& of) const { return factors_[index(of)]; }
  PredictedCost corrected(Processor processor, const QueryFeatures& features, const CostInputs& inputs) const;

  const CostModel model_;
  Factors factors_;
};

}  // namespace frond::leaf::schedule
