#pragma once
// What of a partition could not be read while it was searched, in the log: the term or the document, the partition, its
// folder, the reason. A line for each partition and reason in ten seconds; the next one counts those in between.
#include <cstdint>
#include <map>
#include <utility>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "leaf/generation/served_generation.h"

namespace frond::leaf::generation {

class DamageLog {
 public:
  // Both outlive it.
  DamageLog(Logger& log, const Clock& clock) : log_(log), clock_(clock) {}
  // Any thread. Only what is corrupt or unavailable is damage: a late or refused query says nothing of a partition.
  void report(const OpenPartition& partition, const Error& why);

 private:
  struct Told {
    Instant at{};
    std::uint64_t since = 0;
  };
  Logger& log_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::pair<std::uint64_t, Code>, Told> told_ FROND_GUARDED_BY(mutex_);  // by OpenPartition::number
};

}  // namespace frond::leaf::generation
