#pragma once
// The leaf as its brokers see it: a frame in, a frame out. Decodes, hands searches and fetches to the scheduler, and
// answers hello itself at once, so that a busy leaf still tells that it lives. What a broker gives up (CancelRequest)
// is stopped where it is, and not answered.
//
// Draining has two steps. withdraw(): brokers are told at once, and by hellos, which list no generations any more, so
// that they turn elsewhere, while requests are still served; then the owner drains the scheduler, from where on
// searches are answered as unsearched.
#include <atomic>
#include <functional>
#include <string>

#include "common/metrics/registry.h"
#include "common/wire/messages.h"
#include "leaf/generation/broker_roll.h"
#include "leaf/serve/document_handler.h"
#include "leaf/serve/requests_in_flight.h"
#include "leaf/serve/search_query.h"

namespace frond::leaf::serve {

// What hello tells besides the generations: fixed at start, and measured when asked.
struct Identity {
  std::string collection, node, version;
  std::function<std::string()> gpu;     // "off", "absent", "ready", "lost"; any thread
  Instant ready_from = Instant::min();  // not before: brokers have to find this leaf first
};
struct CacheState {
  std::uint64_t bytes = 0, limit = 0, hits = 0, misses = 0;
};

class LeafService {
 public:
  // Takes the reply's bytes to whoever asked; from any thread.
  using Answer = std::function<void(ByteBuffer)>;

  // `brokers` is told of hellos; it outlives this.
  LeafService(SearchParts parts, Identity identity, std::function<CacheState()> cache_state,
              generation::BrokerRoll& brokers);

  // On the socket's thread, which it does not block; never throws. `answer` is called at most once, now or later: not
  // for what `peer` gives up. That of a broker's latest hello is called once more, by withdraw().
  void on_request(const wire::Peer& peer, ByteView bytes, const Answer& answer);
  // Any thread.
  void withdraw();
  // Whether a broker knows nobody else for some partition of this leaf: reason to serve on, though withdrawn.
  bool needed() const { return brokers_.needed(parts_.clock.now()); }
  // Serving a generation, long enough to have been found, and not withdrawn.
  bool ready() const { return why_not_ready().empty(); }
  std::string why_not_ready() const;  // empty: it is
  wire::HelloReply hello(std::uint64_t request_id) const;

 private:
  enum Kind { kSearch, kFetch, kHello, kMalformed, kKinds };
  using InFlight = std::shared_ptr<const RequestsInFlight::Entry>;  // null: can't be given up
  void dispatch(const wire::Peer& peer, wire::Request request, Instant arrival, const Answer& answer);
  // Counts and times the reply to a request of this kind, and keeps it to itself if the request was given up.
  std::function<void(const wire::Reply&)> replying(Kind kind, Instant arrival, const Answer& answer,
                                                   InFlight entry = {});

  const SearchParts parts_;
  const Identity identity_;
  const std::function<CacheState()> cache_state_;
  generation::BrokerRoll& brokers_;
  RequestsInFlight taken_;
  SearchMetrics search_metrics_;
  DocumentHandler documents_;
  std::atomic<bool> withdrawn_{false};
  metrics::Counter requests_[kKinds], cancelled_[kKinds];
  metrics::Histogram durations_[kKinds];
  metrics::Gauge in_flight_;
};

}  // namespace frond::leaf::serve
