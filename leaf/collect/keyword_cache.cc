#include "leaf/collect/keyword_cache.h"

#include <string>

namespace frond::leaf::collect {
namespace {

// Of the shared_ptr's control block and the nodes of index and list.
constexpr std::size_t kNumbersNodes = 256;

}  // namespace

Result<KeywordCache::Numbers> KeywordCache::numbers(std::uint64_t partition, std::uint32_t field,
                                                    const partition::ValueColumn& column, const Deadline& deadline,
                                                    const Clock& clock) {
  const Key key{partition, field};
  {
    const MutexLock lock(mutex_);
    const Numbers* const found = kept_.find(key);
    ++(found != nullptr ? hits_ : misses_);
    if (found != nullptr) return *found;
    const std::size_t most = partition::KeywordNumbers::most_bytes(column) + kNumbersNodes;
    if (kept_.too_large(most))
      return Error(Code::kInvalid, "a partition has so many different values that their numbers may take " +
                                       std::to_string(most) + " bytes; at most half of --keyword-cache, " +
                                       std::to_string(budget_bytes_ / kMaxShare) + " bytes, may be used for a column");
  }
  Numbers made = partition::KeywordNumbers::of(column, [&] { return deadline.passed(clock); });
  if (made == nullptr) return Error(Code::kDeadline, "the deadline passed while keywords were numbered");
  const MutexLock lock(mutex_);
  if (!kept_.contains(key)) kept_.insert(key, made, made->bytes() + kNumbersNodes);
  return made;
}

void KeywordCache::forget(std::uint64_t partition) {
  decltype(kept_)::Sweep sweep;
  const auto step = [&] {
    const MutexLock lock(mutex_);
    return kept_.sweep(sweep, [partition](const Key& key) { return key.partition == partition; });
  };
  while (step()) sweep.let_go();
}

KeywordCache::Counters KeywordCache::counters() const {
  const MutexLock lock(mutex_);
  return {hits_, misses_, kept_.evictions(), kept_.bytes()};
}

}  // namespace frond::leaf::collect
