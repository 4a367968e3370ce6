#include "leaf/collect/keyword_cache.h"

#include <string>

namespace frond::leaf::collect {

Result<KeywordCache::Numbers> KeywordCache::numbers(std::uint64_t partition, std::uint32_t field,
                                                    const partition::ValueColumn& column, const Deadline& deadline,
                                                    const Clock& clock) {
  constexpr std::size_t kNodes = 256;  // of the shared_ptr's control block and the nodes of index and list
  const Key key{partition, field};
  if (Numbers found = kept_.find(key)) return found;
  const std::size_t most = partition::KeywordNumbers::most_bytes(column) + kNodes;
  if (kept_.too_large(most))
    return Error(Code::kInvalid, "a partition has so many different values that their numbers may take " +
                                     std::to_string(most) + " bytes; at most half of --keyword-cache, " +
                                     std::to_string(budget_bytes() / kMaxShare) + " bytes, may be used for a column");
  Numbers made = partition::KeywordNumbers::of(column, [&] { return deadline.passed(clock); });
  if (made == nullptr) return Error(Code::kDeadline, "the deadline passed while keywords were numbered");
  const std::size_t charge = made->bytes() + kNodes;
  return kept_.insert(key, std::move(made), charge);
}

}  // namespace frond::leaf::collect
