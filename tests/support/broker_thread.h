#pragma once
// A search service as one of several threads of a broker, over a scripted leaf of its own that serves both partitions
// of generation 1. A test may run all of them on one thread, in any order that it likes (Here), or each on its own.
#include <deque>
#include <functional>
#include <utility>

#include "broker/http/search/search_service.h"
#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "tests/support/scripted_cluster.h"
#include "tests/support/scripted_replies.h"

namespace frond::support {

// Keeps what is posted until the test runs it.
class Mailbox final : public broker::cluster::HomeThread {
 public:
  // While it lives, the calling thread is this one.
  class Here {
   public:
    explicit Here(const Mailbox& home) : before_(std::exchange(here(), &home)) {}
    ~Here() { here() = before_; }
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;

   private:
    const Mailbox* const before_;
  };
  bool is_here() const override { return here() == this; }
  void post(std::function<void()> action) override {
    const MutexLock lock(mutex_);
    mail_.push_back(std::move(action));
  }
  // Runs the oldest. False: there is none.
  bool run_one() {
    std::function<void()> action;
    {
      const MutexLock lock(mutex_);
      if (mail_.empty()) return false;
      action = std::move(mail_.front());
      mail_.pop_front();
    }
    const Here at(*this);
    action();
    return true;
  }

 private:
  static const Mailbox*& here() {
    thread_local const Mailbox* current = nullptr;
    return current;
  }
  Mutex mutex_;
  std::deque<std::function<void()>> mail_ FROND_GUARDED_BY(mutex_);
};

struct BrokerThread {
  BrokerThread(const broker::http::SearchService::Config& config, broker::http::SearchService::Shared& shared,
               metrics::Registry& registry)
      : search_metrics(registry), service(scatter, config, shared, home, search_metrics) {
    leaf().hellos.answer(hello({served(1, 2, {0, 1})}));
  }
  ScriptedLeaf& leaf() { return cluster.leaf(0); }
  // Answers every open search and fetch.
  void play() {
    const Mailbox::Here here(home);
    while (leaf().searches.open() > 0) leaf().searches.answer(found({{0, 9}, {1, 8}}));
    while (leaf().fetches.open() > 0)
      for (const auto& asked : leaf().fetches.asked)
        if (*asked.done) {
          leaf().fetches.answer(documents(wire::FetchRequest(asked.request)));
          break;
        }
  }

  ScriptedCluster cluster{1};
  broker::scatter::ScatterContext scatter{cluster.map, cluster.timers};
  Mailbox home;
  broker::http::SearchMetrics search_metrics;
  broker::http::SearchService service;
};

}  // namespace frond::support
