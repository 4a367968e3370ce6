#pragma once
// Some plans of a call, which stay where they are: a device's share of a batch.
#include <cstddef>
#include <span>

#include "leaf/engine/plan.h"

namespace frond::leaf::gpu {

// Both spans outlive it.
class ChosenPlans {
 public:
  explicit ChosenPlans(std::span<const engine::Plan> all) : plans_(all), size_(all.size()) {}
  // Those at `places`, in this order.
  ChosenPlans(std::span<const engine::Plan> of, std::span<const std::size_t> places)
      : plans_(of), places_(places), size_(places.size()) {}

  std::size_t size() const { return size_; }
  const engine::Plan& operator[](std::size_t i) const { return plans_[places_.data() == nullptr ? i : places_[i]]; }

 private:
  std::span<const engine::Plan> plans_;
  std::span<const std::size_t> places_{};
  std::size_t size_;
};

}  // namespace frond::leaf::gpu
