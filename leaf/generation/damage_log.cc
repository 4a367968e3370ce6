#include "leaf/generation/damage_log.h"

#include <string>

namespace frond::leaf::generation {
namespace {
constexpr std::chrono::seconds kQuiet{10};
constexpr std::size_t kMaxTold = 1024;  // above it all entries are dropped, also those of retired partitions
}  // namespace

void DamageLog::report(const OpenPartition& partition, const Error& why) {
  if (why.code() != Code::kCorrupt && why.code() != Code::kUnavailable) return;
  std::uint64_t more = 0;
  {
    const MutexLock lock(mutex_);
    const Instant now = clock_.now();
    if (told_.size() > kMaxTold) told_.clear();
    const auto [told, first] = told_.try_emplace({partition.number(), why.code()});
    if (!first && now - told->second.at < kQuiet) {
      ++told->second.since;
      return;
    }
    more = std::exchange(told->second.since, 0);
    told->second.at = now;
  }
  log_.warn("a partition can't be read", {{"partition", partition.id()},
                                          {"folder", partition.partition().folder().string()},
                                          {"reason", std::string(name_of(why.code()))},
                                          {"error", why.message()},
                                          {"others_since_the_last_line", std::to_string(more)}});
}

}  // namespace frond::leaf::generation
