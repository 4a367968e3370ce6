#pragma once
// POST /v1/msearch: one JSON search a line in, one answer or problem document a line out, in the same order.
//
// A body's lines are evaluated several at a time; each line's time is counted from when it is begun. What is held is
// bounded: lines a request, lines at work, requests at a time, and bytes of answers: past those, lines are answered
// with a problem (413) instead.
#include <cstddef>
#include <memory>
#include <string>

#include "broker/http/search_service.h"

namespace frond::broker {

class MultiSearch {
 public:
  struct Config {
    std::size_t max_lines = 10'000;
    std::size_t max_requests = 8;  // at a time; more are answered 429
    std::size_t at_work = 64;      // lines of one request
    std::size_t max_answer_bytes = 64 << 20;
    std::size_t max_line = 64 << 10;  // bytes; the line is answered with a problem (413) instead
    // Begun before others on the thread get their turn, whichever comes first: parsing takes time, too.
    std::size_t lines_a_turn = 256;
    std::size_t bytes_a_turn = 128 << 10;
  };
  MultiSearch(SearchService& service, TimerQueue& timers, Config config)
      : service_(service), timers_(timers), config_(config) {}
  MultiSearch(const MultiSearch&) = delete;
  MultiSearch& operator=(const MultiSearch&) = delete;

  // 200 with application/x-ndjson; 400 naming the body if it has no line or too many.
  void run(std::string body, SearchService::Reply reply);

 private:
  struct Batch;
  void pump(const std::shared_ptr<Batch>& batch);
  void settle(const std::shared_ptr<Batch>& batch, std::size_t line, http::Response response);

  SearchService& service_;
  TimerQueue& timers_;
  Config config_;
  std::size_t running_ = 0;
};

}  // namespace frond::broker
