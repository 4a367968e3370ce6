#pragma once
// The broker's TLS: its identity, read again as long as it runs, and what an operator wants to know of it. The broker's
// one thread.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "broker/cluster/timer_queue.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/tls/server_identity.h"

namespace frond::broker::http {

class TlsEndpoint {
 public:
  static constexpr std::chrono::seconds kLookInterval{1};  // at the files: some kilobytes, mostly from memory

  // kInvalid names the file and what is wrong with it. Everything given outlives the endpoint.
  static Result<std::unique_ptr<TlsEndpoint>> create(std::string certificate_file, std::string key_file,
                                                     cluster::TimerQueue& timers, Logger& log,
                                                     metrics::Registry& registry);
  ~TlsEndpoint();
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
  cluster::TimerQueue& timers_;
  Logger& log_;
  metrics::Registry& registry_;
  metrics::Gauge expiry_;
  metrics::Counter reloaded_, refused_;
  cluster::TimerQueue::Id next_look_;
};

}  // namespace frond::broker::http
