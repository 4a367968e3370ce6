#pragma once
// Whether the threads that the leaf needs make progress, for /livez and a metric. The follower of the repository is
// left out, since its transfers may take long.
#include <chrono>
#include <string>
#include <vector>

#include "common/base/liveness.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"
#include "leaf/schedule/worker_pool.h"

namespace frond::leaf {

class Loops {
 public:
  // All outlive this.
  Loops(const wire::RouterSocket& socket, const schedule::WorkerPool& pool, const schedule::WorkerPool& costly,
        std::chrono::milliseconds limit)
      : socket_(socket), pool_(pool), costly_(costly), limit_(limit) {}
  // A sentence about a loop without progress for longer than the limit; empty: there is none. Any thread.
  std::string stalled() const;
  // This outlives the registry's last exposition.
  void export_ages(metrics::Registry& registry) const;

 private:
  std::vector<Loop> now() const;
  const wire::RouterSocket& socket_;
  const schedule::WorkerPool& pool_;
  const schedule::WorkerPool& costly_;
  const std::chrono::milliseconds limit_;
  const SteadyClock clock_;
};

}  // namespace frond::leaf
