#pragma once
// Logs read errors of searches and fetches: the term or document, the partition, its folder and the reason. Writes at
// most one line for each partition and reason in ten seconds. The next line counts the errors left out since.
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
  // Both outlive this object.
  DamageLog(Logger& log, const Clock& clock) : log_(log), clock_(clock) {}
  // May be called from any thread. Logs only kCorrupt and kUnavailable: other errors (a deadline, overload) do not
  // indicate damage.
  void report(const OpenPartition& partition, const Error& why);

 private:
  struct Reported {
    Instant at{};  // the last line
    std::uint64_t suppressed = 0;
  };
  Logger& log_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::pair<std::uint64_t, Code>, Reported> reported_ FROND_GUARDED_BY(mutex_);  // by OpenPartition::number
};

}  // namespace frond::leaf::generation
