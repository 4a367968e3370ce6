#pragma once
// A LeafClient that a test plays by hand: requests are kept until the test answers them; deadlines pass when the test's
// clock does.
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/cluster/leaf_client.h"
#include "broker/cluster/timer_queue.h"

namespace frond::support {

class ScriptedLeaf final : public broker::cluster::LeafClient {
 public:
  template <class Request, class Reply>
  struct Asked {
    Request request;
    Deadline deadline;
    std::shared_ptr<broker::cluster::Done<Reply>> done;  // null inside once answered or cancelled
    broker::cluster::RequestId id = 0;
  };
  template <class Request, class Reply>
  class Script {
   public:
    std::size_t open() const {
      std::size_t n = 0;
      for (const auto& one : asked) n += *one.done ? 1 : 0;
      return n;
    }
    // Answers the oldest open request.
    void answer(Result<Reply> reply) {
      for (auto& one : asked)
        if (*one.done) return std::exchange(*one.done, nullptr)(std::move(reply));
      FROND_CHECK(!"nothing was asked");
    }
    const Request& last() const { return asked.back().request; }
    std::deque<Asked<Request, Reply>> asked;
  };

  explicit ScriptedLeaf(broker::cluster::TimerQueue& timers, broker::cluster::News tell = {})
      : news(std::move(tell)), timers_(timers) {}

  broker::cluster::RequestId search(wire::SearchRequest request, Deadline deadline,
                                    broker::cluster::Done<wire::SearchReply> done) override {
    return keep(searches, std::move(request), deadline, std::move(done));
  }
  broker::cluster::RequestId fetch(wire::FetchRequest request, Deadline deadline,
                                   broker::cluster::Done<wire::FetchReply> done) override {
    return keep(fetches, std::move(request), deadline, std::move(done));
  }
  void hello(wire::HelloRequest request, Deadline deadline, broker::cluster::Done<wire::HelloReply> done) override {
    keep(hellos, std::move(request), deadline, std::move(done));
  }
  void cancel(broker::cluster::RequestId request) override {
    cancelled += let_go(searches, request) || let_go(fetches, request);
  }
  std::size_t in_flight() const override { return searches.open() + fetches.open() + hellos.open() + extra_in_flight; }

  Script<wire::SearchRequest, wire::SearchReply> searches;
  Script<wire::FetchRequest, wire::FetchReply> fetches;
  Script<wire::HelloRequest, wire::HelloReply> hellos;
  broker::cluster::News news;  // what the leaf says unasked
  std::size_t extra_in_flight = 0;
  std::size_t cancelled = 0;  // requests that were open

 private:
  template <class S, class Request, class Reply>
  broker::cluster::RequestId keep(S& script, Request request, Deadline deadline, broker::cluster::Done<Reply> done) {
    const auto shared = std::make_shared<broker::cluster::Done<Reply>>(std::move(done));
    script.asked.push_back({std::move(request), deadline, shared, ++last_id_});
    timers_.at(deadline.when(), [shared] {
      if (*shared) std::exchange(*shared, nullptr)(Error(Code::kDeadline, "scripted: no reply in time"));
    });
    return last_id_;
  }
  template <class S>
  bool let_go(S& script, broker::cluster::RequestId request) {
    for (auto& one : script.asked)
      if (one.id == request && *one.done) {
        const auto held = std::exchange(*one.done, nullptr);
        return true;
      }
    return false;
  }
  broker::cluster::RequestId last_id_ = 0;
  broker::cluster::TimerQueue& timers_;
};

}  // namespace frond::support
