#pragma once
// Passes requests that change a collection on to the indexer's service, and its answers back, so that clients need one
// address. The broker knows nothing of changes: the service checks the key (Authorization is passed on), the body, and
// what may be done. A broker with API keys checks them, too, before a body is read.
//
// A request's body is held whole, and counts against --max-body-bytes until it is answered. Each waits on a thread of
// its own, of which there are kThreads, and as many for refreshes, which may take a minute; clients take turns. What a
// client has left before its turn came is not passed on: it may have sent something newer meanwhile.
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/files/descriptor.h"
#include "common/http/client/client.h"
#include "common/http/server/client_turns.h"
#include "common/http/server/router.h"
#include "common/metrics/registry.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::broker::http {

class ChangeForwarder {
 public:
  static constexpr std::size_t kThreads = 8;
  static constexpr std::size_t kMaxBody = 16 << 20, kMaxAnswer = 32 << 20;

  // `service`: its address; `key`: with what ask() asks, empty: with none. kInvalid: no address; kUnavailable: no
  // descriptor.
  static Result<std::unique_ptr<ChangeForwarder>> create(std::string_view service, std::string key,
                                                         std::size_t max_body_bytes, metrics::Registry& registry);
  // What waits is answered 503. The server's loops end afterwards.
  ~ChangeForwarder();
  ChangeForwarder(const ChangeForwarder&) = delete;
  ChangeForwarder& operator=(const ChangeForwarder&) = delete;

  // The routes of changes, and those that tell what became of them. This outlives the router.
  void add_to(frond::http::Router& router);

  // Runs `work`, which holds so many bytes and may wait for the service, on one of the threads, in its client's turn.
  void later(const frond::http::ClientId& client, std::size_t bytes, std::function<void()> work);
  // The same of what waits for a refresh, on the threads for these.
  void refresh_later(const frond::http::ClientId& client, std::function<void()> work);
  // From now on whoever waits for the service gets kUnavailable. Any thread.
  void interrupt();
  bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  // Interrupts, and waits for all work. Nothing may come afterwards.
  void end();
  // Asks the service for this broker itself, with the broker's key, or with another Authorization; waits for the
  // answer. `fields`: further lines of the header, each with its end. Any thread. Errors as http::exchange().
  Result<frond::http::Answered> ask(std::string_view method, std::string_view target, std::string_view body = {},
                                    std::string fields = {},
                                    const std::optional<std::string>& authorization = {}) const;

  // Lines of the header of what the service is asked because of a request.
  static std::string fields_of(const frond::http::Trace& trace);

 private:
  ChangeForwarder(net::Url service, std::string key, std::shared_ptr<const tls::Trust> trust, files::Descriptor stop,
                  std::size_t max_body_bytes, metrics::Gauge in_flight);
  frond::http::Response pass_on(const frond::http::Request& request) const;
  void in_turn(frond::http::ClientTurns& turns, const frond::http::ClientId& client, std::size_t bytes,
               std::function<void()> work);

  const net::Url service_;
  const std::string key_;
  const std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP, or a local socket
  const files::Descriptor stop_;                   // readable: what waits is to end
  std::atomic<bool> interrupted_{false};
  metrics::Gauge in_flight_;
  frond::http::ClientTurns refreshes_, turns_;  // last: their threads use the rest
};

}  // namespace frond::broker::http
