#include "leaf/engines.h"

#include <string>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/engine/exhaustive.h"

namespace frond::leaf {
namespace {

template <class Engine>
std::unique_ptr<engine::QueryEngine> make() {
  return std::make_unique<Engine>();
}

// The CPU engine with one of its algorithms for OR, named after that algorithm.
constexpr std::string_view kWindowed = "windowed", kExhaustiveOr = "exhaustive-or", kMaxScore = "maxscore",
                           kBlockMaxMaxScore = "block-max-maxscore", kWand = "wand", kBlockMaxWand = "block-max-wand";
template <const std::string_view& algorithm>
std::unique_ptr<engine::QueryEngine> make_cpu() {
  return std::make_unique<cpu::CpuEngine>(algorithm, algorithm);
}

constexpr EngineEntry kEngines[] = {
    {"cpu", make<cpu::CpuEngine>},    {"exhaustive", make<engine::ExhaustiveEngine>},
    {kWindowed, make_cpu<kWindowed>}, {kExhaustiveOr, make_cpu<kExhaustiveOr>},
    {kMaxScore, make_cpu<kMaxScore>}, {kBlockMaxMaxScore, make_cpu<kBlockMaxMaxScore>},
    {kWand, make_cpu<kWand>},         {kBlockMaxWand, make_cpu<kBlockMaxWand>},
};

}  // namespace

std::span<const EngineEntry> all_engines() { return kEngines; }

Result<std::unique_ptr<engine::QueryEngine>> engine_named(std::string_view name) {
  std::string known;
  for (const auto& entry : kEngines) {
    if (entry.name == name) return entry.make();
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  return Error(Code::kInvalid, "no engine '" + std::string(name) + "'; there are " + known);
}

}  // namespace frond::leaf
