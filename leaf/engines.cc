#include "leaf/engines.h"

#include <string>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/engine/exhaustive.h"

namespace frond::leaf {

std::unique_ptr<engine::QueryEngine> EngineEntry::make() const {
  for (const cpu::DisjunctionAlgorithm& one : cpu::disjunctions())
    if (one.name == name) return std::make_unique<cpu::CpuEngine>(one);
  return std::make_unique<engine::ExhaustiveEngine>();
}

std::span<const EngineEntry> all_engines() {
  static const std::vector<EngineEntry> engines = [] {
    std::vector<EngineEntry> all;
    for (const cpu::DisjunctionAlgorithm& one : cpu::disjunctions()) all.push_back({one.name});
    all.insert(all.begin() + 1, {"exhaustive"});
    return all;
  }();
  return engines;
}

Result<std::unique_ptr<engine::QueryEngine>> engine_named(std::string_view name) {
  std::string known;
  for (const EngineEntry& entry : all_engines()) {
    if (entry.name == name) return entry.make();
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  return Error(Code::kInvalid, "no engine '" + std::string(name) + "'; there are " + known);
}

}  // namespace frond::leaf
