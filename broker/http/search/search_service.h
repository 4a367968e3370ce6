#pragma once
// Answers a search: analysis, cache, admission, evaluation, and the HTTP status of an answer with unsearched
// partitions. One object for each thread of the broker, used on that thread only.
//
// Equal searches share an evaluation (broker/cache/flights.h) that ends before each one's deadline, and not long
// before; so each gets what it would have got alone. However many equal searches there are, only a few evaluations of
// them are in flight. An evaluation goes on as long as any search waits for it.
//
// The threads of a broker share the cache, the flights and the places (SearchService::Shared): a search is answered
// from what any thread has stored, and waits for an equal one on whatever thread that is evaluated. An evaluation stays
// on the thread of the search that began it, and a search on its own: answers cross by HomeThread::post().
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/cache/flights.h"
#include "broker/cache/result_cache.h"
#include "broker/cluster/timer_queue.h"
#include "broker/http/admission/admission.h"
#include "broker/http/admission/known_costs.h"
#include "broker/http/monitoring/broker_metrics.h"
#include "broker/http/monitoring/promises.h"
#include "broker/http/monitoring/slow_searches.h"
#include "broker/http/monitoring/span_export.h"
#include "broker/http/search/search_parameters.h"
#include "broker/http/search/text_reader.h"
#include "broker/merge/merge.h"
#include "broker/query/analyzed_query.h"
#include "broker/query/planned_query.h"
#include "broker/scatter/scatter_context.h"
#include "common/http/server/server.h"
#include "common/scoring/bm25.h"

namespace frond::broker::scatter {
struct SearchPlan;
}

namespace frond::broker::http {

struct Answer;

class SearchService {
  struct Job;

 public:
  struct Config {
    std::chrono::milliseconds default_timeout{1000};
    std::chrono::milliseconds max_timeout{60'000};
    std::uint32_t max_depth = kMaxDepth;  // offset + k
    frond::query::Limits query_limits = {};
    std::size_t max_facet_buckets = 100'000;  // of each facet
    bool allow_exhaustive = true;             // processor=exhaustive
    Admission::Limits in_flight;              // evaluations; a search past these limits is answered 429
    std::size_t cache_bytes = 64 << 20;
    std::chrono::milliseconds slow_from{0};  // searches that take as long are noted (slow_searches.h); 0: none
    std::size_t reading_threads = 0;         // of large requests; 0: they are read where they come
    // Of the broker's collections, which share the cache, the flights and the places: this service's number, and how
    // many there are.
    std::uint32_t collection = 0, collections = 1;
  };
  // What the services of all threads share. Outlives them. Thread-safe.
  struct Shared {
    // `log`: of slow searches; null: none.
    explicit Shared(const Config& config, Logger* log = nullptr)
        : cache(config.cache_bytes),
          admission(config.in_flight),
          reader(config.reading_threads),
          slow(log, config.slow_from) {}
    cache::ResultCache cache;
    cache::Flights flights;
    Admission admission;
    std::atomic<std::size_t> msearch_requests{0};  // at work (multi_search.h)
    TextReader reader;
    KnownCosts known_costs;
    SlowSearches slow;
    Promises promises;
    SpanExport* spans = nullptr;  // of traces that are kept; null: none is
  };
  // Called once, possibly before search() returns. The body of a 200 is one line without its line end.
  using Reply = std::function<void(frond::http::Response)>;
  // Called in its place with what a 200 would be made of, for those who make another answer of it.
  using Found = std::function<void(const Answer&)>;

  // Identifies a search that was not answered at once; empty: it was. Does not keep the search alive.
  class Ticket {
   public:
    explicit operator bool() const { return !job_.expired(); }
    // Whether the search waits for a place.
    bool waits() const;

   private:
    friend class SearchService;
    std::weak_ptr<Job> job_;
  };
  // A line of an msearch request. It waits for a place instead of being answered 429; its time counts from then on.
  struct Line {
    Deadline latest;                 // the whole request's deadline
    std::function<void()> on_begun;  // called when the line gets a place, if it had to wait
  };

  // `home`: the thread that the service is used on.
  SearchService(scatter::ScatterContext& scatter, Config config, Shared& shared, cluster::HomeThread& home,
                SearchMetrics& metrics);
  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

  // 200: an answer, whole or with unsearched partitions. 400: names the parameter. 429: too many evaluations in flight,
  // too many searches wait for a place, or all leaves refused as overloaded. A costly search, or one of a client with
  // less than its share, waits for a place until its deadline. 503: all partitions are unsearched, or some are and
  // allow_partial is false, or some partition has only leaves that are too old for what the search asks for
  // (wire::features_needed); 504: as the first two, if the deadline is a reason. Of search_after, 410: leaves have no
  // more its generation; 503: leaves that may have it are down. A search that lost leaves of its generation while the
  // broker turned to another one is asked of that one, once.
  //
  // `text`: the query string or the JSON that the parameters were read from, for known_answer(); empty: none. `came`:
  // when its time began; empty: now. `found`: empty: all is replied.
  Ticket search(const SearchParameters& parameters, Reply reply, const std::string& text = {},
                const frond::http::Asker& asker = {}, std::optional<Line> line = {}, std::optional<Instant> came = {},
                Found found = {});
  // The answer to a search whose text was answered from the cache before, if the answer is still there: a short way for
  // what comes often. None: read the parameters, and search().
  std::optional<frond::http::Response> known_answer(const std::string& text, const frond::http::Trace& trace = {});
  // Answers an open search with `instead`, and stops its evaluation unless other searches wait for it.
  void end(const Ticket& ticket, frond::http::Response instead, Outcome outcome);
  // Call it when the client has left: answers 499, which a client that only closed its sending side still receives.
  void abandon(const Ticket& ticket);

  // Of all threads.
  std::size_t in_flight() const { return shared_.admission.all(); }
  const Admission& admission() const { return shared_.admission; }
  const Config& config() const { return config_; }
  const cache::ResultCache& cache() const { return shared_.cache; }
  const cache::Flights& flights() const { return shared_.flights; }
  const cache::KnownTexts& known_texts() const { return known_; }  // of this thread
  Shared& shared() { return shared_; }
  Instant now() const { return scatter_.timers.clock().now(); }
  scatter::ScatterContext& scatter() { return scatter_; }
  cluster::HomeThread& home() { return home_; }
  // Whoever works for a request with this service keeps it: the service does not end before.
  const std::shared_ptr<const void>& in_use() const { return in_use_; }
  // Whether nobody does.
  bool idle() const { return in_use_.use_count() == 1; }

 private:
  std::optional<std::pair<frond::http::Response, Outcome>> prepare(Job& job);
  void start(const std::shared_ptr<Job>& job, const std::string& text);
  bool begin_anew(const std::shared_ptr<Job>& job, const cache::CachedAnswer& first);
  std::optional<query::Refusal> understand(Job& job, query::AnalyzedQuery& words);
  void give_time(Job& job, Instant from);
  void begin(const std::shared_ptr<Job>& job);
  void take_place(const std::shared_ptr<Job>& job);
  Instant earliest_end(const Job& job) const;
  bool join(const std::shared_ptr<Job>& job);
  void await_deadline(const std::shared_ptr<Job>& job);
  void stop_timer(Job& job);
  void lead(const std::shared_ptr<Job>& job);
  std::shared_ptr<scatter::Abandonable> evaluate(const std::shared_ptr<Job>& job, cache::Flights::Waiter done);
  cache::Flights::Waiter waiter(const std::shared_ptr<Job>& job);
  std::optional<double> share_of_time(const Job& job, const merge::Page& page, Instant begun) const;
  scatter::SearchPlan plan_with_trace(const Job& job) const;
  bool is_costly(const Job& job) const;
  void learn(const Job& job, const merge::Page& page);
  void release(Job& job);
  void answer(const std::shared_ptr<Job>& job, const cache::CachedAnswer& cached);
  void finish(Job& job, frond::http::Response response, Outcome outcome);
  void note(Job& job, Outcome outcome);
  void add_span(const frond::http::Trace& trace, std::uint64_t id, Instant begun, Outcome outcome, CacheUse use);
  Reply take_reply(Job& job, Outcome outcome);

  scatter::ScatterContext& scatter_;
  Config config_;
  SearchMetrics& metrics_;
  Shared& shared_;
  cluster::HomeThread& home_;
  query::QueryAnalyzer analyzer_;
  cache::KnownTexts known_;
  const std::shared_ptr<const void> in_use_ = std::make_shared<const char>();
};

}  // namespace frond::broker::http
