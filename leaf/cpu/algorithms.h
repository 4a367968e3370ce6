#pragma once
// The CPU engine's algorithms for OR, in one table. All are rank-safe and give the same bytes; they differ in what they
// skip and what the skipping costs. A new one is a file here, a line in this table and a line in leaf/engines.cc; the
// differential and contract tests and `frond bench query` run every engine of that table.
#include <string_view>

#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

struct DisjunctionAlgorithm {
  std::string_view name;
  // Two lists or more, none of them empty, k > 0. kCorrupt, kDeadline.
  Result<engine::Outcome> (*search)(const engine::Plan& plan, const Clock& clock);
};

inline constexpr std::string_view kAutomatic = "auto";  // the default: windowed

// FROND_CHECKs that the name is known.
const DisjunctionAlgorithm& disjunction_named(std::string_view name);

}  // namespace frond::leaf::cpu
