#pragma once
// The disjunctions of the CPU engine, in one table. All are rank-safe and give the same bytes; they differ in what they
// skip and what the skipping costs. A new one is a file here and a line in the table: the engine table, the
// differential and contract tests and `frond bench query` take it from there.
#include <span>
#include <string_view>

#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

struct Disjunction {
  std::string_view name;
  // Two lists or more, none of them empty, k > 0. kCorrupt, kDeadline.
  Result<engine::Outcome> (*search)(const engine::Plan& plan, const Clock& clock);
};

inline constexpr std::string_view kAutomatic = "auto";  // chooses one of the others for each plan

std::span<const Disjunction> all_disjunctions();
// FROND_CHECKs that there is one.
const Disjunction& disjunction_named(std::string_view name);

}  // namespace frond::leaf::cpu
