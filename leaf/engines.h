#pragma once
// The engines that this build has, in one constant table (engines.cc).
#include <memory>
#include <span>
#include <string_view>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf {

struct EngineEntry {
  std::string_view name;  // as the engine's own name(); those of the CPU's algorithms evaluate AND all the same way
  std::unique_ptr<engine::QueryEngine> (*make)();
};

inline constexpr std::string_view kDefaultEngine = "cpu";

std::span<const EngineEntry> all_engines();
// A new engine; the caller keeps it for as long as it searches. kInvalid: no such engine; the message lists those there
// are.
Result<std::unique_ptr<engine::QueryEngine>> engine_named(std::string_view name);

}  // namespace frond::leaf
