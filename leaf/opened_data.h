#pragma once
// Opens the leaf's --data folder at its start, at once or after another leaf has released it.
#include <chrono>
#include <memory>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/generation/data_folder.h"
#include "leaf/options.h"

namespace frond::leaf {

struct OpenedData {
  std::unique_ptr<generation::DataFolder> folder;  // null: a signal came during the wait
  bool waited = false;                             // another leaf had it; its ports may still be open
};

// Waits up to options.lock_wait for another leaf that holds the folder's LOCK: for example, one that is still shutting
// down after its pod was deleted by force. The wait is logged, and --http answers meanwhile: /livez with 200, /readyz
// with 503 and the reason, /metrics. A signal of `signals` ends the wait. kUnavailable: the other leaf still has the
// folder, or it cannot be written.
Result<OpenedData> open_data(const Options& options, boost::asio::io_context& io, boost::asio::signal_set& signals,
                             metrics::Registry& registry, Logger& log);

// Returns make(), which opens a port. If the data folder was waited for, retries a failure for about 5 s: the other
// leaf may close its ports a little later than it releases the folder.
template <class Make>
auto open_port(const OpenedData& data, const Make& make) {
  constexpr std::chrono::milliseconds kPause{50};
  auto made = make();
  for (int tries = 0; !made && data.waited && tries < 100; ++tries) {
    std::this_thread::sleep_for(kPause);
    made = make();
  }
  return made;
}

}  // namespace frond::leaf
