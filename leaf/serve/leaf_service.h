#pragma once
// Answers the requests of brokers. Hands searches and fetches to the scheduler; a search is decoded by the task that
// runs it, so that the socket's thread does little for each. Answers hello at once, so that brokers do not take a busy
// leaf for a dead one. A request that its broker cancels (CancelRequest) stops where it is and gets no reply. Requests
// are refused as overload while those in flight hold too much memory (requests_in_flight.h).
//
// Draining has two steps. First, withdraw() reports it to brokers at once, and again in the reply to every later hello;
// these replies list no generations. Brokers then use other leaves; requests are still served. Second, the owner drains
// the scheduler; from then on searches are answered as unsearched.
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "common/wire/codec.h"
#include "common/wire/messages.h"
#include "leaf/generation/retained_generations.h"
#include "leaf/serve/documents/document_handler.h"
#include "leaf/serve/requests_in_flight.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

// Runs functions one at a time, in the order in which they were given, and holds no lock while one runs.
class InTurn {
 public:
  // Runs `what`, and what other threads give meanwhile. If a function runs already, its thread runs `what` next,
  // perhaps after this has returned. An exception that a function throws is discarded. Any thread; functions may call
  // it.
  void run(std::function<void()> what) {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back(std::move(what));
      if (std::exchange(running_, true)) return;
    }
    while (const std::function<void()> one = next()) {
      try {
        one();
      } catch (const std::exception&) {  // out of memory: the others have their turns
      }
    }
  }

 private:
  // Empty: nothing waits, and this thread runs no more.
  std::function<void()> next() {
    const MutexLock lock(mutex_);
    running_ = !waiting_.empty();
    if (!running_) return {};
    std::function<void()> one = std::move(waiting_.front());
    waiting_.pop_front();
    return one;
  }

  Mutex mutex_;
  std::deque<std::function<void()>> waiting_ FROND_GUARDED_BY(mutex_);
  bool running_ FROND_GUARDED_BY(mutex_) = false;
};

// What hello reports besides the generations. Identity is fixed at start, except `gpu`. `gpu` and CacheState are read
// for every hello.
struct Identity {
  std::string collection, node, version;
  std::function<std::string()> gpu;     // "off", "absent", "ready", "lost"; any thread
  Instant ready_from = Instant::min();  // not ready before: brokers need time to find this leaf
  std::function<std::string()> refusals = [] { return std::string(); };  // GpuState::refusals(); any thread
  std::string machine = {};
  std::vector<Budget> budgets = {};
};
struct CacheState {
  std::uint64_t bytes = 0, limit = 0, hits = 0, misses = 0;
};

class LeafService {
 public:
  // Sends the reply's bytes to the requester; from any thread.
  using Answer = std::function<void(ByteBuffer)>;

  // `brokers` records every hello. It and `taken`, which the services of a leaf share, outlive this object.
  LeafService(SearchParts parts, Identity identity, std::function<CacheState()> cache_state,
              generation::BrokerRoll& brokers, RequestsInFlight& taken);

  // Called on the socket's thread; does not block or throw. No lock is held while `answer` is called. `answer` is
  // called at most once, now or later; never for a request that `peer` cancels. withdraw() and announce() call the
  // `answer` of each broker's latest hello once more.
  void on_request(const wire::Peer& peer, ByteView bytes, const Answer& answer);
  // Any thread.
  void withdraw();
  // Tells brokers at once that other generations are served now. Any thread.
  void announce();
  // Whether a broker knows no other leaf for some partition of this leaf. If so, serve on even after withdraw().
  bool needed() const { return brokers_.needed(parts_.clock.now()); }
  // Serves a generation, is past `ready_from`, and is not withdrawn.
  bool ready() const { return why_not_ready().empty(); }
  std::string why_not_ready() const;  // empty: ready
  wire::HelloReply hello(std::uint64_t request_id) const;
  void list_again(const GenerationId& wanted);

 private:
  enum Kind { kSearch, kFetch, kHello, kMalformed, kKinds };
  using InFlight = std::shared_ptr<RequestsInFlight::Entry>;  // null: of a kind that is answered at once
  void take_search(const wire::Peer& peer, const wire::SearchHead& head, ByteView bytes, Instant arrival,
                   const Answer& answer);
  struct Taken {  // a search
    Deadline deadline;
    Instant arrival;
    Answer answer;
    InFlight entry;
  };
  struct Decoded {
    std::shared_ptr<SearchQuery> query;  // null: it is malformed, and answered
    Result<void> room;                   // its memory
    void start(const SearchQuery::Waited& waited) const {
      if (query != nullptr) query->start(room ? waited : SearchQuery::Waited(room.error()));
    }
  };
  Decoded decode(ByteView message, Taken taken);
  bool search_at_once(const Decoded& search, Instant arrival, schedule::Task& task);
  std::vector<std::string> snippet_terms(const wire::SearchRequest& request);
  void dispatch(const wire::Peer& peer, wire::Request request, Instant arrival, const Answer& answer);
  // Counts a request, and times its reply. Drops the reply if the request was cancelled.
  std::function<void(const wire::Reply&)> replying(Kind kind, Instant arrival, Answer answer, InFlight entry = {});

  AnalyzerPool analyzers_;  // of clauses
  const SearchParts parts_;
  const Identity identity_;
  const std::function<CacheState()> cache_state_;
  generation::BrokerRoll& brokers_;
  RequestsInFlight& taken_;
  SearchMetrics search_metrics_;
  DocumentHandler documents_;
  std::atomic<bool> withdrawn_{false};
  InTurn telling_;  // what is served is described and queued in one turn: a broker hears of changes in their order
  metrics::Counter requests_[kKinds], cancelled_[kKinds];
  metrics::Histogram durations_[kKinds];
};

}  // namespace frond::leaf::serve
