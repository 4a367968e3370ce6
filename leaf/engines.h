#pragma once
// The engines that evaluate on a CPU: the CPU's, and the exhaustive one that all others are compared with.
#include <memory>
#include <span>
#include <string_view>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf {

struct EngineEntry {
  std::string_view name;  // equals the engine's name()
  std::unique_ptr<engine::QueryEngine> (*make)();
};

inline constexpr std::string_view kDefaultEngine = "cpu";

std::span<const EngineEntry> all_engines();
// Makes a new engine. The caller keeps it for as long as it searches. kInvalid: no such engine; the message lists all
// names.
Result<std::unique_ptr<engine::QueryEngine>> engine_named(std::string_view name);

}  // namespace frond::leaf
