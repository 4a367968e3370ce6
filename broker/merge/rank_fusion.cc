#include "broker/merge/rank_fusion.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace frond::broker::merge {

std::vector<FusedDocument> fuse_ranks(std::span<const std::vector<std::string>> lists, std::uint32_t constant) {
  std::vector<FusedDocument> fused;
  std::unordered_map<std::string_view, std::size_t> places;  // views of the lists
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (std::size_t i = 0; i < lists[list].size(); ++i) {
      const std::string& id = lists[list][i];
      const auto [at, fresh] = places.emplace(id, fused.size());
      if (fresh) fused.push_back({id, 0, std::vector<std::uint32_t>(lists.size())});
      std::uint32_t& rank = fused[at->second].ranks[list];
      if (rank != 0) continue;
      rank = static_cast<std::uint32_t>(i + 1);
      fused[at->second].score += 1.0 / (static_cast<double>(constant) + rank);
    }
  std::ranges::sort(fused, [](const FusedDocument& a, const FusedDocument& b) {
    if (a.score != b.score) return a.score > b.score;
    for (std::size_t list = 0; list < a.ranks.size(); ++list)
      if (a.ranks[list] != b.ranks[list]) return a.ranks[list] - 1 < b.ranks[list] - 1;  // 0 is behind all
    return false;
  });
  return fused;
}

}  // namespace frond::broker::merge
