// What a search has gathered, as its answer.
#include <algorithm>

#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/search/search_job.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {

std::size_t Gathered::partial() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(indices, [](const Index& one) { return !one.answer.lacking.empty(); }));
}

Json shards_json(const Gathered& gathered) {
  const std::size_t searched = gathered.indices.size(), partial = gathered.partial();
  Json shards = {{"total", searched + gathered.unfit.size()},
                 {"successful", searched - partial},
                 {"skipped", 0},
                 {"failed", gathered.unfit.size() + partial}};
  for (const auto& [index, error] : gathered.unfit)
    shards["failures"].push_back({{"shard", 0}, {"index", index}, {"reason", cause_json(error)}});
  for (const Gathered::Index& one : gathered.indices)
    if (!one.answer.lacking.empty())
      shards["failures"].push_back(
          {{"shard", 0}, {"index", one.searched.name}, {"reason", cause_json(unavailable(one.answer.lacking))}});
  return shards;
}

namespace {
// The same as a text, which nearly all searches have in its plain form.
std::string shards_text(const Gathered& gathered) {
  if (gathered.unfit.size() + gathered.partial() > 0) return dumped(shards_json(gathered));
  const std::string searched = std::to_string(gathered.indices.size());
  return "{\"total\":" + searched + ",\"successful\":" + searched + ",\"skipped\":0,\"failed\":0}";
}
}  // namespace

void append_hits(std::string& out, const Gathered& gathered, const SearchAsk& ask) {
  constexpr std::size_t kUsualHit = 160;  // bytes, without its source
  const std::size_t all = gathered.indices.size() + gathered.unfit.size();
  std::size_t bytes = out.size() + kUsualHit;
  for (const Hit& hit : gathered.hits) bytes += kUsualHit + hit.source.size();
  out.reserve(bytes);
  out += '{';
  if (ask.totals) {
    const bool cut = gathered.total > ask.exact_total;
    const std::string value = std::to_string(cut ? ask.exact_total : gathered.total);
    if (ask.total_as_number)
      out += "\"total\":" + value + ",";
    else
      out += "\"total\":{\"value\":" + value + ",\"relation\":\"" + (cut || !gathered.exact ? "gte" : "eq") + "\"},";
  } else if (ask.total_as_number) {
    out += "\"total\":-1,";
  }
  out += "\"max_score\":" +
         (all == 0             ? "0.0"
          : gathered.max_score ? score_text(*gathered.max_score)
                               : "null") +
         ",\"hits\":[";
  for (const Hit& hit : gathered.hits) {
    if (&hit != &gathered.hits.front()) out += ',';
    append_hit(out, hit, ask, gathered.indices[hit.index].searched);
  }
  out += "]}";
}

std::string search_json(const Gathered& gathered, const SearchAsk& ask, std::int64_t took_ms) {
  std::string out = "{";
  if (!gathered.cursor.empty()) out += "\"" + gathered.cursor_name + "\":" + dumped(Json(gathered.cursor)) + ",";
  out += "\"took\":" + std::to_string(took_ms) + ",\"timed_out\":" + (gathered.timed_out ? "true" : "false") +
         ",\"_shards\":" + shards_text(gathered) + ",\"hits\":";
  append_hits(out, gathered, ask);
  if (!gathered.aggregations.is_null()) out.append(",\"aggregations\":").append(dumped(gathered.aggregations));
  if (!gathered.suggestions.is_null()) out.append(",\"suggest\":").append(dumped(gathered.suggestions));
  out += '}';
  return out;
}

}  // namespace frond::broker::elasticsearch
