#pragma once
// Decides which served generations a leaf keeps, and which one it retires first when the disk is full. Pure functions:
// the rules of generation_follower.h, without files.
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/ids.h"
#include "leaf/generation/broker_roll.h"

namespace frond::leaf::generation {

// One generation of a served set. The last of the set is the current one; it has no `superseded` time.
struct Standing {
  GenerationId id;
  Instant last_used;   // when a request last named it, or when it was superseded
  Instant superseded;  // when another generation became current
};
struct KeepRules {
  std::chrono::seconds grace, superseded_limit;
  std::size_t max_generations;
};

// One value per generation, in the order of `set`. The current one is always kept.
std::vector<bool> kept_generations(std::span<const Standing> set, const BrokerRoll::Present& present, Instant now,
                                   const KeepRules& rules);
// Index of the first generation that may be deleted for another: no broker serves from it, and no request has named it
// for the grace time. The current one qualifies only if brokers serve from an older one. Empty: all are needed.
std::optional<std::size_t> first_to_give_up(std::span<const Standing> set, const BrokerRoll::Present& present,
                                            Instant now, const KeepRules& rules);

}  // namespace frond::leaf::generation
