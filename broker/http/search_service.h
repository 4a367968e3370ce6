#pragma once
// From a search's parameters to its HTTP answer: analysis, cache, admission, evaluation, and what a lacking answer
// means. Broker's thread only.
//
// Equal searches share an evaluation (broker/cache/flights.h) that ends in time for each of them, and not much before:
// so each gets what it would have got alone, a part where that is all there is in its time. However many ask, no more
// than a few equal evaluations are in flight. An evaluation goes on as long as anybody waits for it.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "broker/cache/flights.h"
#include "broker/cache/result_cache.h"
#include "broker/http/admission.h"
#include "broker/http/broker_metrics.h"
#include "broker/http/evaluation.h"
#include "broker/http/search_parameters.h"
#include "broker/query/analyzed_query.h"
#include "broker/scatter/scatter_context.h"
#include "common/http/server.h"
#include "common/scoring/bm25.h"

namespace frond::broker::http {

class SearchService {
  struct Job;

 public:
  struct Config {
    std::chrono::milliseconds default_timeout{1000};
    std::chrono::milliseconds max_timeout{60'000};
    std::uint32_t max_depth = kMaxDepth;  // offset + k
    std::size_t max_terms = scoring::kMaxQueryTerms;
    bool allow_exhaustive = true;  // processor=exhaustive
    Admission::Limits in_flight;   // evaluations; a search past them is answered 429
    std::size_t cache_bytes = 64 << 20;
  };
  // Called once, perhaps before search() returns. A 200's body is one line without its end.
  using Reply = std::function<void(frond::http::Response)>;

  // Of a search that was not answered at once; empty: it was. Lets go of what it names by itself.
  class Ticket {
   public:
    explicit operator bool() const { return !job_.expired(); }
    // It has not begun: it waits until others end.
    bool waits() const;

   private:
    friend class SearchService;
    std::weak_ptr<Job> job_;
  };
  // A line of an msearch. It is not shed but waits for its turn, and its time counts from when that has come.
  struct Line {
    Deadline latest;                 // of the whole request: no line has more time
    std::function<void()> on_begun;  // called if it had to wait
  };

  SearchService(scatter::ScatterContext& scatter, Config config, SearchMetrics& metrics);
  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

  // 200: an answer, degraded or not. 400 naming the parameter. 429: too many evaluations in flight, or every leaf
  // refused. 503: nobody has any partition, or some are lacking and allow_partial is false. 504: the same, for time.
  Ticket search(const SearchParameters& parameters, Reply reply) {
    return search(parameters, std::move(reply), nullptr);
  }
  Ticket search(const SearchParameters& parameters, Reply reply, Line line) {
    return search(parameters, std::move(reply), &line);
  }
  // Answers a search that is not answered yet with `instead`, and ends what works for nobody else.
  void end(const Ticket& ticket, frond::http::Response instead, Outcome outcome);
  // Its client has left: 499, which reaches one that only ended its side of the connection.
  void abandon(const Ticket& ticket);

  std::size_t in_flight() const { return admission_.all(); }
  const Admission& admission() const { return admission_; }
  const Config& config() const { return config_; }
  const cache::ResultCache& cache() const { return cache_; }
  const cache::Flights& flights() const { return flights_; }

 private:
  Ticket search(const SearchParameters& parameters, Reply reply, Line* line);
  void give_time(Job& job);
  void begin(const std::shared_ptr<Job>& job);
  bool join(const std::shared_ptr<Job>& job);
  void lead(const std::shared_ptr<Job>& job);
  cache::Flights::Waiter waiter(const std::shared_ptr<Job>& job);
  void release(Job& job);
  void answer(Job& job, const Answer& answer);
  void finish(Job& job, frond::http::Response response, Outcome outcome);

  scatter::ScatterContext& scatter_;
  Config config_;
  SearchMetrics& metrics_;
  query::QueryAnalyzer analyzer_;
  cache::ResultCache cache_;
  cache::Flights flights_;
  Admission admission_;
};

// 499, as a client gets it that has ended its side of the connection, and what the log of a proxy shows.
frond::http::Response abandoned();

}  // namespace frond::broker::http
