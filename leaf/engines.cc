#include "leaf/engines.h"

#include <string>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/engine/exhaustive.h"

namespace frond::leaf {
namespace {

template <class Engine>
std::unique_ptr<QueryEngine> make() {
  return std::make_unique<Engine>();
}

constexpr EngineEntry kEngines[] = {
    {"cpu", make<CpuEngine>},
    {"exhaustive", make<ExhaustiveEngine>},
};

}  // namespace

std::span<const EngineEntry> all_engines() { return kEngines; }

Result<std::unique_ptr<QueryEngine>> engine_named(std::string_view name) {
  std::string known;
  for (const auto& entry : kEngines) {
    if (entry.name == name) return entry.make();
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  return Error(Code::kInvalid, "no engine '" + std::string(name) + "'; there are " + known);
}

}  // namespace frond::leaf
