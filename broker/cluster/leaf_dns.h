#pragma once
// Leaves given by DNS names: the address of one, and the list of all. Used on one thread, that of its loop.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/timer_queue.h"
#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/result.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

// Looks a name up, on a thread of Asio's resolver, so that a DNS server that does not answer delays nothing else.
class NameLookUp {
 public:
  NameLookUp(boost::asio::io_context& io, std::string host, std::string port);
  // Nothing is called any more.
  ~NameLookUp();
  NameLookUp(const NameLookUp&) = delete;
  NameLookUp& operator=(const NameLookUp&) = delete;

  const std::string& host() const;
  // Calls `done` later with every address as "tcp://host:port"; without one `why` says why. One look-up at a time.
  void start(std::function<void(std::vector<std::string> endpoints, const std::string& why)> done);
  // Whether a look-up is under way. The thread that does it may take long to end.
  bool under_way() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The address of a leaf that may have been given by name.
class LeafAddress {
 public:
  // "tcp://host:port". If the host is a numeric address, or `endpoint` is something else, current() is `endpoint`.
  LeafAddress(boost::asio::io_context& io, const std::string& endpoint);

  // The endpoint to connect to; empty: not known yet.
  const std::string& current() const { return current_; }
  // Why the last look-up failed; empty: it did not, or there was none.
  const std::string& why_none() const { return why_none_; }
  // Looks the name up, at most once a second; call it while the leaf cannot be reached. Of several addresses the one
  // after the current is taken. If the address has changed, `changed` is called later.
  void look_up(Instant now, std::function<void()> changed);
  bool looking_up() const { return name_ && name_->under_way(); }

 private:
  void take(const std::vector<std::string>& addresses, const std::string& why, const std::function<void()>& changed);

  std::optional<NameLookUp> name_;  // none: given by number
  std::string current_, why_none_;
  Instant again_{};
};

// Keeps the leaves equal to the addresses of a DNS name: the pods of a headless service.
class LeafDns {
 public:
  // Called with every leaf as "tcp://host:port", when that has changed. An error: some cannot be used.
  using SetLeaves = std::function<Result<void>(const std::vector<std::string>&)>;

  // Looks `host` up now, and then again `interval` after each look-up. A failed look-up changes nothing; the first of
  // several in a row is logged. An address that cannot be used is tried again after the next look-up.
  LeafDns(boost::asio::io_context& io, TimerQueue& timers, SetLeaves set_leaves, Logger& log, std::string host,
          std::uint16_t port, std::chrono::milliseconds interval);
  ~LeafDns() { timers_.cancel(next_); }
  LeafDns(const LeafDns&) = delete;
  LeafDns& operator=(const LeafDns&) = delete;
  bool looking_up() const { return name_.under_way(); }

 private:
  void look_up();
  void take(std::vector<std::string> endpoints, const std::string& why);

  NameLookUp name_;
  TimerQueue& timers_;
  const SetLeaves set_leaves_;
  Logger& log_;
  const std::chrono::milliseconds interval_;
  TimerQueue::Id next_{};
  std::vector<std::string> last_;  // the last addresses that could all be used
  std::string unusable_;           // the last logged error
  bool failing_ = false;
};

}  // namespace frond::broker::cluster
