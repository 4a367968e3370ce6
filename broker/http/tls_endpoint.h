#pragma once
// The broker's TLS certificate and key: reads their files again while the broker runs, and reports changes in the log
// and in metrics. Its loop's thread only.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "broker/cluster/timer_queue.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/tls/certificates.h"

namespace frond::broker::http {

class TlsEndpoint {
 public:
  // Of reading the files: a few KiB, usually from the page cache.
  static constexpr std::chrono::seconds kLookInterval{1};

  // kInvalid: a file cannot be used; the message names it. `timers`, `log` and `registry` outlive the endpoint.
  static Result<std::unique_ptr<TlsEndpoint>> create(std::string certificate_file, std::string key_file,
                                                     cluster::TimerQueue& timers, Logger& log,
                                                     metrics::Registry& registry);
  TlsEndpoint(const TlsEndpoint&) = delete;
  TlsEndpoint& operator=(const TlsEndpoint&) = delete;

  const tls::ServerIdentity& identity() const { return *identity_; }
  // For http::Server::Config::on_handshake_failure.
  void count_failure(std::string_view reason);

 private:
  TlsEndpoint(std::unique_ptr<tls::ServerIdentity> identity, cluster::TimerQueue& timers, Logger& log,
              metrics::Registry& registry);
  void look();
  void tell(std::string_view what);

  std::unique_ptr<tls::ServerIdentity> identity_;
  Logger& log_;
  metrics::Registry& registry_;
  metrics::Gauge expiry_;
  metrics::Counter reloaded_, refused_;
  const cluster::Repeating looks_;
};

}  // namespace frond::broker::http
