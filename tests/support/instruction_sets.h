#pragma once
// Limits code that dispatches through Highway to one instruction set, so that slower ones are tested on a fast machine
// too. Not while another thread dispatches.
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

namespace frond::support {

// The instruction sets that Highway built and this processor has, the best one first.
inline std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) sets.push_back(left & -left);
  return sets;
}

// Use one of these; 0: any of them again.
inline void use_instruction_set(std::int64_t set) {
  hwy::SetSupportedTargetsForTest(set);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Runs a test's body once with each instruction set.
template <class Body>  // called with the instruction set's name
void with_every_instruction_set(const Body& body) {
  for (const std::int64_t set : instruction_sets()) {
    use_instruction_set(set);
    body(hwy::TargetName(set));
  }
  use_instruction_set(0);
}

}  // namespace frond::support
