// Searches whose lists are on the GPU: their plans have leases on the lists there, and on the arrays that they need.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

// Counts the lists that searches ask for.
class CountingStore final : public lists::ListStore {
 public:
  explicit CountingStore(lists::ListStore& below) : below_(below) {}
  Result<std::vector<lists::ListLease>> fetch(std::span<const lists::ListKey> keys, Deadline deadline) override {
    asked += keys.size();
    return below_.fetch(keys, deadline);
  }
  std::atomic<std::size_t> asked{0};

 private:
  lists::ListStore& below_;
};

// Device memory that has all lists, or none if it is not `full`.
class HostAsDevice final : public lists::DeviceLists {
 public:
  struct OnDevice : lists::CachedList {
    lists::ListLease list;
  };
  explicit HostAsDevice(lists::ListStore& store) : store_(store) {}
  lists::DeviceLease find(const lists::ListKey& key) override {
    const auto list = (*store_.fetch({&key, 1}, Deadline::never()))[0];
    if (!full || list->postings.count() == 0) return nullptr;
    const auto found = std::make_shared<OnDevice>();
    found->list = list;
    const MutexLock lock(mutex_);
    kept_.push_back(found);
    return found;
  }
  std::shared_ptr<const void> find_array(const std::shared_ptr<const void>& owner) override {
    return full && arrays ? owner : nullptr;
  }
  std::atomic<bool> full{true}, arrays{true};

 private:
  lists::ListStore& store_;
  Mutex mutex_;
  std::vector<lists::DeviceLease> kept_ FROND_GUARDED_BY(mutex_);
};

// The plan with lists in host memory in place of the leases.
engine::Plan with_lists(const engine::Plan& plan) {
  engine::Plan whole = plan;
  for (engine::PlanTerm& term : whole.terms)
    if (term.list == nullptr) term.list = std::static_pointer_cast<const HostAsDevice::OnDevice>(term.on_device)->list;
  return whole;
}

TEST(SearchQuery, TouchesNoListsInHostMemoryIfTheyAreOnTheDevice) {
  auto documents = support::random_documents(200, 27);
  for (std::size_t i = 0; i < documents.size(); i += 2) documents[i].prior = static_cast<scoring::Prior>(i * 300);
  ServedCollection served(documents, 3);
  const auto generation = std::const_pointer_cast<generation::ServedGeneration>(served.board.get()->front());
  generation->partitions[1].hidden =
      std::make_shared<const partition::HiddenDocuments>(66, std::vector<DocId>{0, 3, 65});
  std::vector<wire::SearchRequest> requests;
  for (int i = 0; i < 60; ++i) {
    const wire::Mode mode = i % 3 == 0 ? wire::Mode::kAnd : i % 3 == 1 ? wire::Mode::kOr : wire::Mode::kAuto;
    requests.push_back(request_of(mode, {"t" + std::to_string(i % 7), "t" + std::to_string(3 + i % 8)}, 3));
    requests.back().processor = wire::Processor::kGpu;
    if (i % 2 == 0) requests.back().terms.push_back({"own" + documents[0].id, 1});  // in one partition
  }
  for (const int handed_back : {0, 2}) {  // of four plans
    CountingStore store(served.store);
    HostAsDevice device(served.store);
    TermTable table(std::size_t{1} << 20);
    std::atomic<int> of_leases{0}, of_lists{0}, asked{0};
    const auto search = [&](std::span<const engine::Plan> plans, engine::BatchTimes&) {
      std::vector<schedule::GpuAnswer> answers;
      for (const engine::Plan& plan : plans) {
        ++(of_device_leases(plan) ? of_leases : of_lists);
        EXPECT_EQ(plan.hidden_on_device != nullptr, of_device_leases(plan) && plan.hidden != nullptr);
        EXPECT_EQ(plan.priors_on_device != nullptr, of_device_leases(plan) && adds_priors(plan));
        const engine::Plan whole = with_lists(plan);
        if (asked++ % 4 < handed_back)
          answers.emplace_back();
        else
          answers.emplace_back(std::move(engine::ExhaustiveEngine().search({&whole, 1}, served.clock)[0]));
      }
      return answers;
    };
    schedule::WorkerPool pool({3, 10'000}, served.clock, nullptr);
    schedule::QueryScheduler queries({}, {search, {}}, pool, served.clock, nullptr);
    SearchParts parts{served.board, store, served.engine, served.oracle, pool, served.clock};
    parts.queries = &queries;
    parts.terms = &table;
    parts.device = &device;
    Searches searches(parts);
    const auto ask_all = [&] {
      for (const auto& request : requests) {
        std::promise<wire::SearchReply> promised;
        searches.start(request, Deadline::never(), [&](wire::SearchReply got) { promised.set_value(std::move(got)); });
        expect_same_hits(promised.get_future().get(), served.search(request));
      }
    };
    device.full = false;  // which partitions lack a term is only known once its lists were asked for
    ask_all();
    EXPECT_EQ(of_leases, 0);
    EXPECT_GE(of_lists, 100);
    device.full = true;
    store.asked = 0;
    of_lists = 0;
    ask_all();
    EXPECT_GE(of_leases, 100);
    // Where the CPU had to answer, it has fetched the lists, which the search then uses for OR as well.
    EXPECT_EQ(of_lists == 0, handed_back == 0) << of_lists;
    EXPECT_EQ(store.asked == 0, handed_back == 0) << store.asked;
    device.arrays = false;  // all partitions need some
    of_leases = 0;
    ask_all();
    EXPECT_EQ(of_leases, 0);
    pool.drain();
    queries.drain();
    pool.drain();
  }
}

}  // namespace
}  // namespace frond::leaf::serve
