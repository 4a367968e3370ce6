#include "leaf/collect/sorted_ranking.h"

#include <tuple>
#include <utility>

namespace frond::leaf::collect {

// Once it has more than max_bytes, what comes behind cannot be among the first hits of a ranking that fits.
void SortedRanking::add(SortedHits more) {
  SortedHits both;
  bytes_ = 0;
  std::size_t ours = 0, theirs = 0;
  while (both.hits.size() < depth_ && bytes_ <= max_bytes_) {
    const bool none_of_ours = ours == first_.hits.size(), none_of_theirs = theirs == more.hits.size();
    if (none_of_ours && none_of_theirs) break;
    const bool take_ours =
        none_of_theirs || (!none_of_ours && std::tie(first_.sort_bytes[ours], first_.hits[ours].ordinal) <
                                                std::tie(more.sort_bytes[theirs], more.hits[theirs].ordinal));
    SortedHits& from = take_ours ? first_ : more;
    std::size_t& at = take_ours ? ours : theirs;
    both.hits.push_back(from.hits[at]);
    both.sort_bytes.push_back(std::move(from.sort_bytes[at++]));
    bytes_ += both.sort_bytes.back().size();
  }
  first_ = std::move(both);
}

Result<SortedHits> SortedRanking::take() {
  if (bytes_ <= max_bytes_) return std::move(first_);
  return Error(Code::kInvalid, "by this order the first " + std::to_string(depth_) + " hits have more than " +
                                   std::to_string(max_bytes_ >> 20) +
                                   " MiB of values: use search_after, or a smaller k");
}

}  // namespace frond::leaf::collect
