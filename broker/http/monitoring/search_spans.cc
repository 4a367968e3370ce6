#include "broker/http/monitoring/search_spans.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "broker/http/monitoring/slow_searches.h"

namespace frond::broker::http {
namespace {

using Micros = std::chrono::duration<std::uint64_t, std::micro>;

void add_leaf(std::vector<Span>& spans, const merge::Page::LeafProfile& leaf, std::uint64_t parent, Instant begun) {
  const LongestTimes longest = longest_times(leaf);
  const std::uint64_t round_trip = leaf.round_trip_us;
  const std::uint64_t work = std::min(longest.lists_us + longest.engine_us, round_trip);
  const std::uint64_t queue = std::min(longest.queue_us, round_trip - work);
  const Instant sent = begun + Micros(leaf.sent_us);
  const Instant came = sent + Micros((round_trip - queue - work) / 2), started = came + Micros(queue);
  const std::uint64_t id = frond::http::new_span_id();
  spans.push_back(
      {.name = "leaf",
       .kind = Span::Kind::kClient,
       .id = id,
       .parent = parent,
       .begin = sent,
       .end = sent + Micros(round_trip),
       .error = {},
       .attributes = {{"server.address", leaf.leaf}, {"frond.partitions", std::uint64_t{leaf.partitions.size()}}}});
  const auto add = [&](const char* name, Instant begin, Instant end) {
    spans.push_back({.name = name,
                     .id = frond::http::new_span_id(),
                     .parent = id,
                     .begin = begin,
                     .end = end,
                     .error = {},
                     .attributes = {}});
  };
  add("leaf queue", came, started);
  add("leaf evaluation", started, started + Micros(work));
}

std::string missing(const merge::Page& page) {
  if (!page.refusal.empty()) return "refused";
  if (page.whole()) return {};
  return std::to_string(page.unsearched.size()) + " of " + std::to_string(page.partitions_total) +
         " partitions unsearched: " + std::string(wire::name_of(page.unsearched.front().reason));
}

}  // namespace

std::vector<Span> evaluation_spans(const merge::Page& page, std::uint64_t parent, Instant begun, Instant now) {
  const std::uint64_t id = frond::http::new_span_id();
  std::vector<Span> spans{{.name = "evaluation",
                           .id = id,
                           .parent = parent,
                           .begin = begun,
                           .end = now,
                           .error = missing(page),
                           .attributes = {{"frond.generation", std::uint64_t{page.generation}},
                                          {"frond.partitions", std::uint64_t{page.partitions_total}},
                                          {"frond.unsearched", std::uint64_t{page.unsearched.size()}}}}};
  for (const auto* const leaf : slowest_leaves(page.profile)) add_leaf(spans, *leaf, id, begun);
  if (page.profile.fetch_us > 0) {
    const Instant fetching = begun + Micros(page.profile.search_us);
    spans.push_back({.name = "fetch",
                     .kind = Span::Kind::kClient,
                     .id = frond::http::new_span_id(),
                     .parent = id,
                     .begin = fetching,
                     .end = fetching + Micros(page.profile.fetch_us),
                     .error = {},
                     .attributes = {{"frond.documents", std::uint64_t{page.hits.size()}}}});
  }
  return spans;
}

}  // namespace frond::broker::http
