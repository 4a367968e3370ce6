#pragma once
// Passes requests that change a collection on to the indexer's service, and its answers back, so that clients need one
// address. The broker knows nothing of changes: the service checks the key (Authorization is passed on), the body, and
// what may be done. A broker with API keys checks them, too, before a body is read.
//
// A request's body is held whole, and counts against --max-body-bytes until it is answered. Each waits on a thread of
// its own, of which there are kThreads, and as many for refreshes, which may take a minute; clients take turns. What a
// client has left before its turn came is not passed on: it may have sent something newer meanwhile.
#include <cstddef>
#include <memory>
#include <string_view>

#include "common/files/descriptor.h"
#include "common/http/client_turns.h"
#include "common/http/router.h"
#include "common/metrics/registry.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::broker::http {

class ChangeForwarder {
 public:
  static constexpr std::size_t kThreads = 8;
  static constexpr std::size_t kMaxBody = 16 << 20, kMaxAnswer = 32 << 20;

  // `service`: its address. kInvalid: it is none; kUnavailable: no descriptor.
  static Result<std::unique_ptr<ChangeForwarder>> create(std::string_view service, std::size_t max_body_bytes,
                                                         metrics::Registry& registry);
  // What waits is answered 503. The server's loops end afterwards.
  ~ChangeForwarder();
  ChangeForwarder(const ChangeForwarder&) = delete;
  ChangeForwarder& operator=(const ChangeForwarder&) = delete;

  // The routes of changes, and those that tell what became of them. This outlives the router.
  void add_to(frond::http::Router& router);

 private:
  ChangeForwarder(net::Url service, std::shared_ptr<const tls::Trust> trust, files::Descriptor stop,
                  std::size_t max_body_bytes, metrics::Gauge in_flight);
  frond::http::Response pass_on(const frond::http::Request& request) const;

  const net::Url service_;
  const std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP, or a local socket
  const files::Descriptor stop_;                   // readable: what waits is to end
  metrics::Gauge in_flight_;
  frond::http::ClientTurns refreshes_, turns_;  // last: their threads use the rest
};

}  // namespace frond::broker::http
