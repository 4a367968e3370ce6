#include "leaf/generation/damage_log.h"

#include <string>

namespace frond::leaf::generation {
namespace {
constexpr std::chrono::seconds kQuiet{10};
constexpr std::size_t kMaxReported = 1024;  // above it all entries are dropped, also those of retired partitions
}  // namespace

void DamageLog::report(const OpenPartition& partition, const Error& why) {
  if (why.code() != Code::kCorrupt && why.code() != Code::kUnavailable) return;
  std::uint64_t more = 0;
  {
    const MutexLock lock(mutex_);
    const Instant now = clock_.now();
    if (reported_.size() > kMaxReported) reported_.clear();
    const auto [entry, first] = reported_.try_emplace({partition.number(), why.code()});
    if (!first && now - entry->second.at < kQuiet) {
      ++entry->second.suppressed;
      return;
    }
    more = std::exchange(entry->second.suppressed, 0);
    entry->second.at = now;
  }
  log_.warn("a partition can't be read", {{"partition", partition.id()},
                                          {"folder", partition.partition().folder().string()},
                                          {"reason", std::string(name_of(why.code()))},
                                          {"error", why.message()},
                                          {"others_since_the_last_line", std::to_string(more)}});
}

}  // namespace frond::leaf::generation
