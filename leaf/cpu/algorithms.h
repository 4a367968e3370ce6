#pragma once
// The CPU engine's algorithms for OR, in one table. All are rank-safe and give the same bytes; they differ in what they
// skip and at what cost. A new one needs a file here, a line in this table and a line in leaf/engines.cc. The
// differential and contract tests and `frond bench query` run every engine in leaf/engines.cc.
#include <string_view>

#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

struct DisjunctionAlgorithm {
  std::string_view name;
  // At least two lists, none of them empty; k > 0. Errors: kCorrupt, kDeadline.
  Result<engine::Outcome> (*search)(const engine::Plan& plan, const Clock& clock);
};

inline constexpr std::string_view kAutomatic = "auto";  // the default; the same as "windowed"

// A FROND_CHECK fails if there is no such name.
const DisjunctionAlgorithm& disjunction_named(std::string_view name);

}  // namespace frond::leaf::cpu
