// The queries of tests/differential/queries on leaves with a GPU: each answer is what looks at each document say, with
// the scheduler's choice of processor and with the GPU asked for by name. FROND_QUERIES and FROND_SEED as there.
#include "leaf/gpu/gpu_engine.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/differential/queries/queries_run.h"

namespace frond::queries_test {
namespace {

using leaf::gpu::GpuEngine;

std::atomic<std::uint64_t> of_gpu = 0, of_clauses = 0, with_phrase = 0;                // plans
std::atomic<std::uint64_t> of_any = 0, of_some = 0, with_boosts = 0, with_fields = 0;  // of clauses

class DeviceOfLeaf final : public LeafDevice {
 public:
  DeviceOfLeaf(leaf::engine::QueryEngine& cpu, const Clock& clock)
      : clock_(clock),
        pool_({1, 1000}, clock_, nullptr),
        gpu_(*GpuEngine::create({.memory_bytes = std::size_t{64} << 20,
                                 .runners = 1,
                                 .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller},
                                cpu)),
        queries_({},
                 {[this](std::span<const leaf::engine::Plan> plans, leaf::engine::BatchTimes& times) {
                    auto answers = gpu_->try_search(plans, clock_, &times);
                    for (std::size_t i = 0; i < plans.size(); ++i) {
                      of_clauses += answers[i] && is_of_clauses(plans[i]);
                      with_phrase += answers[i] && plans[i].phrase;
                      if (!answers[i]) continue;
                      const bool conjunction = plans[i].mode == leaf::engine::Mode::kAnd;
                      of_any += !conjunction && plans[i].minimum == 1;
                      of_some += plans[i].minimum > (conjunction ? 0 : 1);
                      with_boosts += std::ranges::any_of(
                          plans[i].terms, [](const auto& term) { return term.factor != query::Factor(); });
                      with_fields += !plans[i].fields.empty();
                    }
                    return answers;
                  },
                  {}},
                 pool_, clock_, nullptr) {}
  ~DeviceOfLeaf() override {
    pool_.drain();
    queries_.drain();
    pool_.drain();
    of_gpu += gpu_->counters().plans;
  }
  leaf::schedule::Scheduler& pool() override { return pool_; }
  void add_to(leaf::serve::SearchParts& parts) override {
    parts.queries = &queries_;
    parts.device = &gpu_->lists();
    parts.min_gpu_postings = 0;
  }

 private:
  const Clock& clock_;
  leaf::schedule::WorkerPool pool_;
  const std::unique_ptr<GpuEngine> gpu_;
  leaf::schedule::QueryScheduler queries_;
};

TEST(QueriesOnGpu, AreAnsweredAsLooksAtEachDocumentSay) {
  compare_queries(
      1200, [](std::uint32_t) { return *leaf::engine_named("cpu"); },
      [](leaf::engine::QueryEngine& cpu, const Clock& clock) { return std::make_unique<DeviceOfLeaf>(cpu, clock); });
  std::cout << of_gpu << " plans ran on the GPU, " << of_clauses << " of clauses, " << with_phrase << " with a phrase, "
            << of_any << " of any terms, " << of_some << " of a number of some, " << with_boosts << " with boosts, "
            << with_fields << " of fields" << std::endl;
  EXPECT_GT(of_gpu, 100u);
  EXPECT_GT(of_clauses, 20u);
  EXPECT_GT(with_phrase, 10u);
  for (const auto* plans : {&of_any, &of_some, &with_boosts, &with_fields}) EXPECT_GT(*plans, 10u);
}

}  // namespace
}  // namespace frond::queries_test
