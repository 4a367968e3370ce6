#pragma once
// Which of the generations that a leaf serves it goes on serving, and which it gives up first where the disk is full.
// Pure: the rules of generation_follower.h, without files.
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/ids.h"
#include "leaf/generation/broker_roll.h"

namespace frond::leaf::generation {

// One of a served set, whose last is the current one.
struct Standing {
  GenerationId id;
  Instant last_used;   // of the others: when a request named it last, or when it was superseded
  Instant superseded;  // of the others: when another became current
};
struct KeepRules {
  std::chrono::seconds grace, superseded_limit;
  std::size_t max_generations;
};

// By place. The current one is always kept.
std::vector<bool> kept_generations(std::span<const Standing> set, const BrokerRoll::Present& present, Instant now,
                                   const KeepRules& rules);
// The first whose disk may be used for another: no broker serves from it, no request names it. The current one only
// where brokers serve from an older one. Nothing: all are needed.
std::optional<std::size_t> first_to_give_up(std::span<const Standing> set, const BrokerRoll::Present& present,
                                            Instant now, const KeepRules& rules);

}  // namespace frond::leaf::generation
