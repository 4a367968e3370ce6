#pragma once
// Replies of scripted leaves.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/messages.h"

namespace frond::support {

inline wire::SearchReply found(std::vector<topk::Hit> hits, std::vector<wire::UnsearchedPartition> unsearched = {}) {
  wire::SearchReply reply;
  reply.has_and = reply.has_or = true;
  reply.or_ranking.matches = reply.and_ranking.matches = hits.size();
  reply.and_ranking.hits = hits;
  reply.or_ranking.hits = std::move(hits);
  reply.unsearched = std::move(unsearched);
  return reply;
}
// The same without ranking.
inline wire::SearchReply unranked(std::vector<topk::Hit> hits, std::uint32_t depth) {
  for (auto& hit : hits) hit.score = 0;
  std::sort(hits.begin(), hits.end(), topk::better);
  wire::SearchReply reply = found(hits);
  for (auto* ranking : {&reply.and_ranking, &reply.or_ranking})
    if (ranking->hits.size() > depth) ranking->hits.resize(depth);
  return reply;
}
// A document "d<ordinal>" for every requested ordinal.
inline wire::FetchReply documents(const wire::FetchRequest& request) {
  wire::FetchReply reply;
  if (!request.id.empty() && request.id != "none")
    reply.documents.push_back({.found = true, .id = request.id, .title = "title", .url = "http://x/", .body = "body"});
  for (const auto ordinal : request.ordinals) {
    const std::string id = "d" + std::to_string(ordinal);
    reply.documents.push_back({ordinal, true, id, "title of " + id, "http://x/" + id, "a \x02word\x03 <b>"});
  }
  return reply;
}

}  // namespace frond::support
