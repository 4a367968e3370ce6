#pragma once
// Runs a test's body once with each instruction set that Highway built and this processor has, so that the slower ones
// are tested on a fast machine too. Not while another thread dispatches.
#include <hwy/highway.h>

#include <cstdint>

namespace frond::support {

template <class Body>  // called with the set's name
void with_every_instruction_set(const Body& body) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace frond::support
