#pragma once
// The leaf's --data at its start: opened at once, or when the leaf before it has let go of it.
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
  std::unique_ptr<generation::DataFolder> folder;  // null: a signal came while it was waited for
  bool waited = false;                             // another leaf had it: its ports close about now
};

// Waits up to options.lock_wait for another leaf that holds the folder's LOCK: one that takes its time to end, whose
// pod was deleted by force, say. The log says so, and --http answers meanwhile: /livez with 200, /readyz with 503 and
// the reason, /metrics. A signal of `signals` ends the wait. kUnavailable: the other leaf still has it, or the folder
// can't be written.
Result<OpenedData> open_data(const Options& options, boost::asio::io_context& io, boost::asio::signal_set& signals,
                             metrics::Registry& registry, Logger& log);

// What make() gives, which opens a port. Where the data folder was waited for, a failure is tried again for some
// seconds: whoever held it may close its ports a moment later.
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
