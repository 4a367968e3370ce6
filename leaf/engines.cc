#include "leaf/engines.h"

#include <string>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/engine/exhaustive.h"

namespace frond::leaf {
namespace {

template <class Engine>
std::unique_ptr<engine::QueryEngine> made() {
  return std::make_unique<Engine>();
}

constexpr EngineEntry kEngines[] = {{kDefaultEngine, made<cpu::CpuEngine>},
                                    {"exhaustive", made<engine::ExhaustiveEngine>}};

}  // namespace

std::span<const EngineEntry> all_engines() { return kEngines; }

Result<std::unique_ptr<engine::QueryEngine>> engine_named(std::string_view name) {
  std::string known;
  for (const EngineEntry& entry : all_engines()) {
    if (entry.name == name) return entry.make();
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  return Error(Code::kInvalid, "no engine '" + std::string(name) + "'; there are " + known);
}

}  // namespace frond::leaf
