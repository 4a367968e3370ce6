#include "tools/bench/intersection_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/bench/intersection_figures.h"
#include "tools/bench/list_linearity.h"

namespace frond::tools::bench {

using leaf::gpu::intersect::KindInfo;
using nlohmann::ordered_json;

namespace {

std::string values_of(const KindInfo& kind) {
  std::string values(kind.parameter);
  for (const unsigned value : kind.values) values += " " + std::to_string(value);
  return values;
}

}  // namespace

void print_methods() {
  fmt::print("{:18} {:13} {:30} {}\n", "name", "lists", "written NAME:NUMBER", "paper and section");
  for (const KindInfo& kind : leaf::gpu::intersect::all_kinds())
    fmt::print("{:18} {:13} {:30} {}\n", kind.name, kind.lists, values_of(kind), kind.source);
}

ordered_json methods_as_json() {
  auto rows = ordered_json::array();
  for (const KindInfo& kind : leaf::gpu::intersect::all_kinds()) {
    ordered_json row{{"name", kind.name}, {"lists", kind.lists}, {"source", kind.source}};
    if (!kind.values.empty())
      row[std::string(kind.parameter)] = std::vector<unsigned>(kind.values.begin(), kind.values.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_intersection_set(const IntersectionSet& set) {
  std::size_t found = 0;
  for (const auto& answer : set.answers) found += answer.size();
  fmt::print(
      "\n{}: {} documents, {} lists of {} docIDs, {} queries; a query: {:.0f} docIDs, {:.0f} of them in the shortest "
      "list, {:.0f} found\n",
      set.name, set.documents, set.lists.size(), set.postings(), set.queries.size(), set.postings_a_query(),
      set.computations_a_query(), static_cast<double>(found) / static_cast<double>(set.queries.size()));
}

void print_intersection_head() {
  fmt::print("{:22} {:>9} {:>8} {:>11} {:>10} {:>9} {:>9} {:>9} {:>8} {:>9} {:>8} {:>8}  {}\n", "method", "threshold",
             "index MB", "queries/s", "", "G ints/s", "a batch", "ms", "p99 ms", "paper q/s", "paper ms", "speedup",
             "paper");
}

void print_intersection(const IntersectionSet& set, const std::string& name, const IntersectionTiming& timing) {
  const auto figure = intersection_figure(set.name, name);
  const auto shown = [](double value, int digits) { return value > 0 ? fmt::format("{:.{}f}", value, digits) : ""; };
  fmt::print("{:22} {:>9} {:>8.1f} {:>11.0f} {:>10} {:>9.3f} {:>9.1f} {:>9.4f} {:>8.4f} {:>9} {:>8} {:>8}  {}\n", name,
             timing.threshold ? std::to_string(timing.threshold) : "", static_cast<double>(timing.index_bytes) * 1e-6,
             timing.queries.median,
             fmt::format("-{:.0f}+{:.0f}%", 100 - timing.queries.min / timing.queries.median * 100,
                         timing.queries.max / timing.queries.median * 100 - 100),
             timing.queries.median * set.computations_a_query() * 1e-9, timing.batch_queries, timing.response_ms,
             timing.response_p99_ms, figure ? shown(figure->queries_per_second, 0) : "",
             figure ? shown(figure->response_ms, 2) : "", figure ? shown(figure->speedup, 2) : "",
             figure ? figure->source : "");
  std::fflush(stdout);
}

ordered_json intersection_as_json(const IntersectionSet& set, const std::string& processor, const std::string& name,
                                  const IntersectionTiming& timing) {
  ordered_json row{{"processor", processor},
                   {"method", name},
                   {"index_bytes", timing.index_bytes},
                   {"queries_per_second",
                    {{"median", timing.queries.median}, {"least", timing.queries.min}, {"most", timing.queries.max}}},
                   {"integers_per_second", timing.queries.median * set.computations_a_query()},
                   {"response_ms", timing.response_ms},
                   {"response_p99_ms", timing.response_p99_ms}};
  if (timing.threshold > 0) {
    row["threshold"] = timing.threshold;
    row["queries_a_batch"] = timing.batch_queries;
  }
  if (const auto figure = intersection_figure(set.name, name))
    row["paper"] = {{"source", figure->source},
                    {"queries_per_second", figure->queries_per_second},
                    {"response_ms", figure->response_ms},
                    {"speedup", figure->speedup}};
  return row;
}

void print_linearity(const IntersectionSet& set, unsigned threads) {
  fmt::print("{:>20} {:>6} {:>12} {:>9} {:>9} {:>9}  {}\n", "docIDs of a list", "lists", "contraction", "paper's", "R2",
             "paper's", "paper");
  for (const LinearityOfLists& some : linearity_of(set, threads)) {
    const auto figure = linearity_figure(set.name, some.begin);
    fmt::print("{:>20} {:>6} {:>12.4f} {:>9} {:>9.4f} {:>9}  {}\n", fmt::format("{} .. {}", some.begin, some.end),
               some.lists, some.contraction, figure ? fmt::format("{:.4f}", figure->contraction) : "", some.r_squared,
               figure ? fmt::format("{:.4f}", figure->r_squared) : "", figure ? "Ao 2011, Table 1" : "");
  }
}

}  // namespace frond::tools::bench
