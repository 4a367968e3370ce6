#pragma once
// How a leaf begins, with its --data folder and ports, and how it ends.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/http/server/server.h"
#include "common/metrics/registry.h"
#include "leaf/generation/data_folder.h"
#include "leaf/options.h"
#include "leaf/serve/collections.h"

namespace frond::leaf {

struct OpenedData {
  std::unique_ptr<generation::DataFolder> folder;  // null: a signal came during the wait
  bool waited = false;                             // another leaf had it; its ports may still be open
};

// Waits up to options.lock_wait_s for another leaf that holds the folder's LOCK: for example, one that is still
// shutting down after its pod was deleted by force. The wait is logged, and --http answers meanwhile: /livez with 200,
// /readyz with 503 and the reason, /metrics. A signal of `signals` ends the wait. kUnavailable: the other leaf still
// has the folder, or it cannot be written.
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

// Shutdown of a leaf. Brokers are told at once. The leaf serves requests for the notice time, so that brokers can turn
// to other leaves, and longer while a broker has no other leaf. Then io.run() returns. Admitted requests are answered;
// later ones are refused.
class Ending {
 public:
  struct Spans {
    std::chrono::milliseconds notice;  // min time to serve on
    std::chrono::milliseconds needed;  // max further time, while LeafService::needed()
  };
  // All outlive this. Use on io's thread.
  Ending(boost::asio::io_context& io, Spans spans, const serve::Collections& service, http::Server& http)
      : io_(io), spans_(spans), service_(service), http_(http), timer_(io) {}
  // Call once.
  void begin();

 private:
  void wait(std::chrono::milliseconds span);
  void stop();

  boost::asio::io_context& io_;
  const Spans spans_;
  const serve::Collections& service_;
  http::Server& http_;
  boost::asio::steady_timer timer_;
  const SteadyClock clock_;
  Instant needed_until_;
};

}  // namespace frond::leaf
