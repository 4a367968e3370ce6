#include "leaf/lifecycle.h"

#include <nlohmann/json.hpp>
#include <string>

#include "leaf/probes.h"

namespace frond::leaf {
namespace {

constexpr std::chrono::milliseconds kLook{100};

// Tries the lock every kLook on the event loop, until it gets the lock, the time is over, or a signal comes.
class Wait {
 public:
  Wait(const Options& options, boost::asio::io_context& io, boost::asio::signal_set& signals)
      : options_(options),
        io_(io),
        signals_(signals),
        timer_(io),
        until_(std::chrono::steady_clock::now() + std::chrono::seconds(options.lock_wait_s)) {}

  Result<OpenedData> run() {
    signals_.async_wait([this](const boost::system::error_code& cancelled, int) {
      if (!cancelled) io_.stop();
    });
    look();
    io_.run();
    signals_.cancel();
    io_.restart();
    return std::move(outcome_);
  }

 private:
  void look() {
    auto opened = generation::DataFolder::open_unless_held(options_.data);
    const bool over = std::chrono::steady_clock::now() >= until_;
    if (opened && *opened == nullptr && !over) {
      timer_.expires_after(kLook);
      return timer_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) look();
      });
    }
    if (!opened)
      outcome_ = std::move(opened).error();
    else if (*opened == nullptr)
      outcome_ = Error(Code::kUnavailable, options_.data + ": another leaf is using it, for " +
                                               std::to_string(options_.lock_wait_s) + " s (--lock-wait)");
    else
      outcome_->folder = *std::move(opened);
    io_.stop();
  }

  const Options& options_;
  boost::asio::io_context& io_;
  boost::asio::signal_set& signals_;
  boost::asio::steady_timer timer_;
  const std::chrono::steady_clock::time_point until_;
  Result<OpenedData> outcome_ = OpenedData{nullptr, /*waited=*/true};
};

constexpr std::chrono::milliseconds kLastProbes{1000};
constexpr std::chrono::milliseconds kAskAgain{100};  // interval of the checks of LeafService::needed()

}  // namespace

Result<OpenedData> open_data(const Options& options, boost::asio::io_context& io, boost::asio::signal_set& signals,
                             metrics::Registry& registry, Logger& log) {
  auto opened = generation::DataFolder::open_unless_held(options.data);
  if (!opened) return std::move(opened).error();
  if (*opened != nullptr) return OpenedData{*std::move(opened)};
  log.warn("another leaf has the data folder: waiting for it to end",
           {{"folder", options.data}, {"seconds", std::to_string(options.lock_wait_s)}});
  // If the port is taken, as on the same machine, probes reach the other leaf.
  const auto http = http::Server::create(io, {.listen = options.http, .max_connections = kProbeConnections},
                                         waiting_routes(registry, "another leaf has " + options.data));
  return Wait(options, io, signals).run();
}

void Ending::begin() {
  service_.withdraw();
  needed_until_ = clock_.now() + spans_.notice + spans_.needed;
  wait(spans_.notice);
}

void Ending::wait(std::chrono::milliseconds span) {
  timer_.expires_after(span);
  timer_.async_wait([this](const boost::system::error_code&) {
    if (clock_.now() < needed_until_ && service_.needed()) return wait(kAskAgain);
    stop();
  });
}

void Ending::stop() {
  http_.drain([this] { io_.stop(); });
  timer_.expires_after(kLastProbes);  // a client that does not read must not delay the end
  timer_.async_wait([this](const boost::system::error_code&) { io_.stop(); });
}

}  // namespace frond::leaf
