#pragma once
// POST /v1/msearch: each line of the body is a search as JSON; each line of the response is its answer or a problem
// document, in the same order. One object for each thread of the broker, used on that thread only.
//
// Several lines of a body are evaluated at a time, all on the request's thread; a line's time counts from its start.
// Memory is bounded by limits for the lines of a request, the requests at a time, and the bytes of answers: lines past
// that limit are answered 413. The lines of all requests share a limit of searches in flight (admission.h), for which
// the requests take turns. A request has a time limit as a whole, after which its remaining lines are answered 504.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "broker/http/search/search_service.h"

namespace frond::broker::http {

class MultiSearch {
  struct Batch;

 public:
  struct Config {
    std::chrono::milliseconds timeout{60'000};  // of a whole request
    std::size_t max_lines = 10'000;
    std::size_t max_requests = 8;  // at a time, of all threads; more are answered 429
    std::size_t at_work = 64;      // lines of one request that are evaluated at a time
    std::size_t max_answer_bytes = 64 << 20;
    std::size_t max_line = kMaxSearchBody;  // bytes; a longer line is answered 413
    // Lines, or bytes of them, that are started before other work on the thread gets its turn.
    std::size_t lines_a_turn = 256;
    std::size_t bytes_a_turn = 128 << 10;
  };
  struct Counters {
    std::uint64_t late_lines = 0;  // answered 504 because the request's time was over before they were started
    std::uint64_t abandoned = 0;   // requests whose client left
  };
  using Ticket = std::weak_ptr<Batch>;

  MultiSearch(SearchService& service, cluster::TimerQueue& timers, Config config)
      : service_(service), timers_(timers), config_(config), running_(service.shared().msearch_requests) {}
  MultiSearch(const MultiSearch&) = delete;
  MultiSearch& operator=(const MultiSearch&) = delete;

  // Answers 200 with application/x-ndjson, 400 if the body has no lines or too many, or 429 past max_requests.
  Ticket run(std::string body, SearchService::Reply reply, const frond::http::Asker& asker = {});
  // Call it when the client has left: open lines are given up, and the request is answered 499. Does nothing once the
  // request was answered.
  void abandon(const Ticket& ticket);

  const Counters& counters() const { return counters_; }
  std::size_t max_requests() const { return config_.max_requests; }

 private:
  void pump(const std::shared_ptr<Batch>& batch);
  void begin_line(const std::shared_ptr<Batch>& batch, std::size_t line);
  void search_line(const std::shared_ptr<Batch>& batch, std::size_t line);
  void search_parsed(const std::shared_ptr<Batch>& batch, std::size_t line, const std::string& text,
                     const ParsedSearch& parsed);
  void late(const std::shared_ptr<Batch>& batch, std::size_t line);
  void expire(const std::shared_ptr<Batch>& batch);
  void settle(const std::shared_ptr<Batch>& batch, std::size_t line, frond::http::Response response);
  void close(Batch& batch, frond::http::Response response);

  SearchService& service_;
  cluster::TimerQueue& timers_;
  Config config_;
  Counters counters_;
  std::atomic<std::size_t>& running_;  // requests, of all threads
};

}  // namespace frond::broker::http
