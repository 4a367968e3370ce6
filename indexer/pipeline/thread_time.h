#pragma once
// The processor time of the calling thread.
#include <time.h>

namespace frond::indexer::pipeline {

// Since the thread began.
inline double thread_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace frond::indexer::pipeline
