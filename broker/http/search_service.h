#pragma once
// From a search's parameters to its HTTP answer: analysis, cache, admission, evaluation, and what a lacking answer
// means. Broker's thread only.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "broker/cache/result_cache.h"
#include "broker/http/broker_metrics.h"
#include "broker/http/search_parameters.h"
#include "broker/query/analyzed_query.h"
#include "broker/scatter/scatter_context.h"
#include "broker/scatter/search.h"
#include "common/http/server.h"

namespace frond::broker {

class SearchService {
 public:
  struct Config {
    std::chrono::milliseconds default_timeout{1000};
    std::chrono::milliseconds max_timeout{60'000};
    std::size_t max_in_flight = 512;  // evaluations; a search past it is answered 429
    std::size_t cache_bytes = 64 << 20;
  };
  // Called once, perhaps before search() returns. A 200's body is one line without its end.
  using Reply = std::function<void(http::Response)>;
  // Lines of an msearch wait their turn there, so they are not shed one by one.
  enum class Admission { kShed, kAlways };

  SearchService(ScatterContext& scatter, Config config, SearchMetrics& metrics);
  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

  // 200: an answer, degraded or not. 400 naming the parameter. 429: too many evaluations in flight, or every leaf
  // refused. 503: nobody has any partition, or some are lacking and allow_partial is false. 504: the same, for time.
  void search(const SearchParameters& parameters, Reply reply, Admission admission = Admission::kShed);

  std::size_t in_flight() const { return in_flight_; }
  const Config& config() const { return config_; }
  const ResultCache& cache() const { return cache_; }

 private:
  struct Job;
  struct Answer;
  void evaluate(const std::shared_ptr<Job>& job, std::function<void(std::shared_ptr<const Answer>)> done);
  void share(const std::shared_ptr<Job>& job);
  void lead(const std::shared_ptr<Job>& job);
  void answer(Job& job, const Answer& answer);
  void finish(Job& job, http::Response response, Outcome outcome);
  bool shed(Job& job);

  ScatterContext& scatter_;
  Config config_;
  SearchMetrics& metrics_;
  QueryAnalyzer analyzer_;
  ResultCache cache_;
  std::size_t in_flight_ = 0;
};

}  // namespace frond::broker
