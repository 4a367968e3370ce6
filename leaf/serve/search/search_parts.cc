#include "leaf/serve/search/search_parts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "leaf/families/metric_families.h"

namespace frond::leaf::serve {
namespace {

constexpr double kAll = 4294967295.0;
constexpr std::size_t kMaxShownTerms = 32;

std::string place_of(const std::vector<topk::Hit>& hits, std::size_t place) {
  if (place >= hits.size()) return "no hit";
  return "ordinal " + std::to_string(hits[place].ordinal) + " score " + std::to_string(hits[place].score);
}

std::string text_of(const std::vector<wire::QueryTerm>& terms) {
  std::string text;
  for (std::size_t i = 0; i < std::min(terms.size(), kMaxShownTerms); ++i) text += (i ? " " : "") + terms[i].text;
  return text;
}

}  // namespace

AnswerCheck::AnswerCheck(double share, Logger& log, metrics::Registry* registry)
    : step_(static_cast<std::uint32_t>(std::lround(std::clamp(share, 0.0, 1.0) * kAll))), log_(log) {
  if (registry == nullptr) return;
  checked_ = registry->counter(families::kCheckedAnswers);
  mismatched_ = registry->counter(families::kMismatchedAnswers);
}

bool AnswerCheck::due() {
  if (step_ == 0) return false;
  const std::uint32_t before = sum_.fetch_add(step_, std::memory_order_relaxed);
  return before + step_ < before || step_ == ~std::uint32_t{0};
}

bool AnswerCheck::same(const Answer& gpu, const Answer& cpu, const wire::SearchRequest& request, engine::Mode mode) {
  checked_.add();
  if (gpu.hits == cpu.hits && (request.rank == wire::Rank::kScore || gpu.matches == cpu.matches)) return true;
  mismatched_.add();
  const auto differ = std::mismatch(gpu.hits.begin(), gpu.hits.end(), cpu.hits.begin(), cpu.hits.end());
  const auto place = static_cast<std::size_t>(differ.first - gpu.hits.begin());
  log_.error("the GPU's answer differs from the CPU's", {{"terms", text_of(request.terms)},
                                                         {"mode", mode == engine::Mode::kAnd ? "and" : "or"},
                                                         {"k", std::to_string(request.depth)},
                                                         {"generation", std::to_string(request.generation)},
                                                         {"place", std::to_string(place)},
                                                         {"gpu", place_of(gpu.hits, place)},
                                                         {"cpu", place_of(cpu.hits, place)},
                                                         {"gpu_matches", std::to_string(gpu.matches)},
                                                         {"cpu_matches", std::to_string(cpu.matches)}});
  return false;
}

SearchMetrics::SearchMetrics(const SearchParts& parts) {
  if (parts.registry == nullptr) return;
  metrics::Registry& registry = *parts.registry;
  const auto engine_label = [](const engine::QueryEngine& of) {
    return metrics::Labels{{"engine", std::string(of.name())}};
  };
  engine = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.engine));
  if (parts.queries) gpu = registry.histogram(families::kSearchTime, metrics::latency_seconds(), {{"engine", "gpu"}});
  exhaustive = registry.histogram(families::kSearchTime, metrics::latency_seconds(), engine_label(parts.exhaustive));
  clauses = registry.histogram(families::kSearchTime, metrics::latency_seconds(), {{"engine", "clauses"}});
  collect = registry.histogram(families::kSearchTime, metrics::latency_seconds(), {{"engine", "collect"}});
  lists = registry.histogram(families::kListTime, metrics::latency_seconds());
  postings = registry.counter(families::kPostings);
  for (const wire::UnsearchedReasonRow& row : wire::kUnsearchedReasons)
    unsearched[static_cast<std::size_t>(row.reason)] =
        registry.counter(families::kUnsearched, {{"reason", std::string(row.name)}});
}

}  // namespace frond::leaf::serve
