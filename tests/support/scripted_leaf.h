#pragma once
// A LeafClient that a test controls. It keeps requests until the test answers them. Deadlines pass when the test moves
// its clock and runs the timers.
#include <algorithm>
#include <deque>
#include <limits>
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
    std::shared_ptr<broker::cluster::Done<Reply>> done;  // holds null once answered or cancelled
    broker::cluster::RequestId id = 0;
    bool sent = true;  // false: refused; reported by the next run of the timers
    bool open() const { return sent && *done; }
  };
  template <class Request, class Reply>
  class Script {
   public:
    std::size_t open() const {
      return static_cast<std::size_t>(
          std::count_if(asked.begin(), asked.end(), [](const auto& one) { return one.open(); }));
    }
    // Answers the oldest open request. Not inlined, or g++ 12 warns that the reply inside an error is uninitialized.
    [[gnu::noinline]] void answer(Result<Reply> reply) {
      for (auto& one : asked)
        if (one.open()) return std::exchange(*one.done, nullptr)(std::move(reply));
      FROND_CHECK(!"nothing was asked");
    }
    void fail_all(Code code) {
      while (open() > 0) answer(Error(code, "scripted: the connection was lost"));
    }
    const Request& last() const { return asked.back().request; }
    std::deque<Asked<Request, Reply>> asked;
  };

  explicit ScriptedLeaf(broker::cluster::TimerQueue& timers, broker::cluster::News tell = {})
      : news(std::move(tell)), timers_(timers) {}
  ~ScriptedLeaf() override {
    if (fails_open_requests_at_its_end) lose();
  }

  broker::cluster::RequestId search(wire::SearchRequest request, Deadline deadline,
                                    broker::cluster::Done<wire::SearchReply> done) override {
    return keep(searches, std::move(request), deadline, std::move(done), searches_and_fetches() < max_in_flight);
  }
  broker::cluster::RequestId fetch(wire::FetchRequest request, Deadline deadline,
                                   broker::cluster::Done<wire::FetchReply> done) override {
    return keep(fetches, std::move(request), deadline, std::move(done), searches_and_fetches() < max_in_flight);
  }
  void hello(wire::HelloRequest request, Deadline deadline, broker::cluster::Done<wire::HelloReply> done) override {
    keep(hellos, std::move(request), deadline, std::move(done), hellos.open() < max_in_flight);
  }
  void cancel(broker::cluster::RequestId request) override {
    if (!give_up(searches, request) && !give_up(fetches, request)) return;
    ++cancelled;
    last_cancelled = request;
  }
  std::size_t in_flight() const override { return searches_and_fetches() + hellos.open() + extra_in_flight; }

  // Loses the connection: open requests fail, and so do later ones until the connection is back.
  void lose() {
    lost_ = true;
    searches.fail_all(Code::kUnavailable);
    fetches.fail_all(Code::kUnavailable);
    hellos.fail_all(Code::kUnavailable);
  }
  void come_back() { lost_ = false; }

  Script<wire::SearchRequest, wire::SearchReply> searches;
  Script<wire::FetchRequest, wire::FetchReply> fetches;
  Script<wire::HelloRequest, wire::HelloReply> hellos;
  broker::cluster::News news;  // called with hellos that the leaf sends without a request
  std::size_t max_in_flight = std::numeric_limits<std::size_t>::max();
  std::size_t extra_in_flight = 0;
  std::size_t cancelled = 0;  // open requests that were cancelled
  broker::cluster::RequestId last_cancelled = 0;
  // Whether the destructor fails open requests, as LeafClient promises. Off for tests that end with open requests whose
  // callbacks refer to destroyed objects.
  bool fails_open_requests_at_its_end = false;

 private:
  std::size_t searches_and_fetches() const { return searches.open() + fetches.open(); }
  template <class S, class Request, class Reply>
  broker::cluster::RequestId keep(S& script, Request request, Deadline deadline, broker::cluster::Done<Reply> done,
                                  bool has_room) {
    const auto shared = std::make_shared<broker::cluster::Done<Reply>>(std::move(done));
    const auto end = [this, shared](Instant when, Code code, const char* why) {
      timers_.at(when, [shared, code, why] {
        if (*shared) std::exchange(*shared, nullptr)(Error(code, std::string("scripted: ") + why));
      });
    };
    const bool sent = !lost_ && has_room && !deadline.passed(timers_.clock());
    request.request_id = ++last_id_;
    if constexpr (requires { request.budget; }) request.budget = deadline.left(timers_.clock());
    script.asked.push_back({std::move(request), deadline, shared, last_id_, sent});
    const Instant now = timers_.clock().now();
    if (lost_)
      end(now, Code::kUnavailable, "not connected");
    else if (!has_room)
      end(now, Code::kOverloaded, "too many requests in flight");
    else
      end(deadline.when(), Code::kDeadline, "no reply in time");
    return last_id_;
  }
  // True: the request was open.
  template <class S>
  bool give_up(S& script, broker::cluster::RequestId request) {
    for (auto& one : script.asked)
      if (one.id == request && *one.done) {
        const auto held = std::exchange(*one.done, nullptr);
        return one.sent;
      }
    return false;
  }
  broker::cluster::RequestId last_id_ = 0;
  broker::cluster::TimerQueue& timers_;
  bool lost_ = false;
};

}  // namespace frond::support
