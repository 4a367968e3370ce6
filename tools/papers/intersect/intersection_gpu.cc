#include <algorithm>
#include <chrono>

#include "common/device/runtime.h"
#include "tools/bench/measure.h"
#include "tools/papers/intersect/intersection_timing.h"
#include "tools/papers/intersect/intersector.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

bool right(const IntersectionSet& set, const Answers& answers) {
  for (std::size_t q = 0; q < answers.queries(); ++q) {
    const auto got = answers.of(q);
    const auto& wanted = set.answers[answers.first_query + q];
    if (!std::equal(got.begin(), got.end(), wanted.begin(), wanted.end())) return false;
  }
  return true;
}

// Runs all queries once, with as many batches in flight as there are slots. Returns the number of batches.
Result<std::size_t> run_all(const IntersectionSet& set, Intersector& intersector, bool check) {
  std::size_t started = 0, answered = 0, batches = 0;
  while (answered < set.queries.size()) {
    while (started < set.queries.size() && intersector.under_way() < intersector.slots()) {
      started += FROND_TRY(intersector.submit(set.queries, started));
      ++batches;
    }
    const Answers answers = FROND_TRY(intersector.collect());
    answered += answers.queries();
    if (check && !right(set, answers))
      return Error(Code::kCorrupt, "a wrong answer in the batch from query " + std::to_string(answers.first_query));
  }
  return batches;
}

Result<IntersectionTiming> time_threshold(const IntersectionSet& set, const DeviceIndex& index, std::uint32_t threshold,
                                          const IntersectionOptions& options) {
  auto intersector = FROND_TRY(Intersector::create(index, {.threshold = threshold, .slots = options.slots}));
  const std::size_t batches = FROND_TRY(run_all(set, intersector, true));
  IntersectionTiming timing{.threshold = threshold};
  const auto queries = static_cast<double>(set.queries.size());
  // Enough passes for a round of some milliseconds.
  const std::size_t passes = std::max<std::size_t>(1, 200 / batches);
  std::vector<double> seconds, responses;
  for (unsigned round = 0; round < options.rounds; ++round) {
    const auto before = std::chrono::steady_clock::now();
    for (std::size_t pass = 0; pass < passes; ++pass) FROND_TRY(run_all(set, intersector, false));
    seconds.push_back(seconds_since(before));
  }
  timing.queries = rate_of(std::move(seconds), queries * static_cast<double>(passes));
  for (std::size_t pass = 0; pass < passes; ++pass)
    for (std::size_t first = 0; first < set.queries.size();) {
      const auto before = std::chrono::steady_clock::now();
      first += FROND_TRY(intersector.submit(set.queries, first));
      FROND_TRY(intersector.collect());
      responses.push_back(seconds_since(before) * 1e3);
    }
  const Distribution response = distribution_of(std::move(responses));
  timing.response_ms = response.mean;
  timing.response_p99_ms = response.p99;
  timing.batch_queries = queries / static_cast<double>(batches);
  timing.index_bytes = index.bytes();
  return timing;
}

}  // namespace

Result<void> find_gpu() {
  if (device::count_devices() == 0) return Error(Code::kDevice, "GPU: there is none on this machine");
  return device::use(0);
}

Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet& set, Method method,
                                                    const IntersectionOptions& options) {
  FROND_TRY(find_gpu());
  const DeviceIndex index = FROND_TRY(DeviceIndex::create(method, set.lists, set.documents, options.threads));
  std::vector<IntersectionTiming> timings;
  for (const std::uint32_t threshold : options.thresholds)
    timings.push_back(FROND_TRY(time_threshold(set, index, threshold, options)));
  return timings;
}

}  // namespace frond::tools::papers
