#pragma once
// POST /v1/msearch: one JSON search a line in, one answer or problem document a line out, in the same order.
//
// A body's lines are evaluated several at a time; each line's time is counted from when it is begun. What is held is
// bounded: lines a request, lines at work, requests at a time, and bytes of answers: past those, lines are answered
// with a problem (413) instead. The lines of all requests together have a share of what may be in flight (admission.h),
// for which requests take turns; and a request has a time as a whole, after which its remaining lines get 504.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "broker/http/search_service.h"

namespace frond::broker::http {

class MultiSearch {
  struct Batch;

 public:
  struct Config {
    std::chrono::milliseconds timeout{60'000};  // of a whole request
    std::size_t max_lines = 10'000;
    std::size_t max_requests = 8;  // at a time; more are answered 429
    std::size_t at_work = 64;      // lines of one request
    std::size_t max_answer_bytes = 64 << 20;
    std::size_t max_line = 64 << 10;  // bytes; the line is answered with a problem (413) instead
    // Begun before others on the thread get their turn, whichever comes first: parsing takes time, too.
    std::size_t lines_a_turn = 256;
    std::size_t bytes_a_turn = 128 << 10;
  };
  struct Counters {
    std::uint64_t late_lines = 0, abandoned = 0;  // lines answered 504 unbegun; requests whose client left
  };
  using Ticket = std::weak_ptr<Batch>;

  MultiSearch(SearchService& service, cluster::TimerQueue& timers, Config config)
      : service_(service), timers_(timers), config_(config) {}
  MultiSearch(const MultiSearch&) = delete;
  MultiSearch& operator=(const MultiSearch&) = delete;

  // 200 with application/x-ndjson; 400 naming the body if it has no line or too many.
  Ticket run(std::string body, SearchService::Reply reply);
  // Its client has left: no line is begun any more, those at work end, and it is answered 499. Harmless once answered.
  void abandon(const Ticket& ticket);

  const Counters& counters() const { return counters_; }

 private:
  void pump(const std::shared_ptr<Batch>& batch);
  void begin_line(const std::shared_ptr<Batch>& batch, std::size_t line);
  void search_line(const std::shared_ptr<Batch>& batch, std::size_t line);
  void expire(const std::shared_ptr<Batch>& batch);
  void settle(const std::shared_ptr<Batch>& batch, std::size_t line, frond::http::Response response);
  void close(Batch& batch, frond::http::Response response);

  SearchService& service_;
  cluster::TimerQueue& timers_;
  Config config_;
  Counters counters_;
  std::size_t running_ = 0;
};

}  // namespace frond::broker::http
