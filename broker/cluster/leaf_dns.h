#pragma once
// Leaves given by DNS names: the address of one, and the list of all. One thread.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/result.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

// The address of a leaf that was given by name. The name is looked up on a thread of Asio's resolver, so that a DNS
// server that does not answer delays nothing else. Its loop's thread only.
class LeafAddress {
 public:
  // "tcp://host:port". If the host is a numeric address, or `endpoint` is something else, current() is `endpoint`.
  LeafAddress(boost::asio::io_context& io, const std::string& endpoint);
  ~LeafAddress();
  LeafAddress(const LeafAddress&) = delete;
  LeafAddress& operator=(const LeafAddress&) = delete;

  // The endpoint to connect to; empty: not known yet.
  const std::string& current() const;
  // Why the last look-up failed; empty: it did not, or there was none.
  const std::string& why_none() const;
  // Looks the name up, at most once a second; call it while the leaf cannot be reached. Of several addresses the one
  // after the current is taken. If the address has changed, `changed` is called later with the former one.
  void look_up(Instant now, std::function<void(const std::string& before)> changed);
  // Whether a look-up is under way. The thread that does it may take long to end.
  bool looking_up() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Keeps the leaves equal to the addresses of a DNS name: the pods of a headless service.
class LeafDns {
 public:
  // Called with every leaf as "tcp://host:port", when that has changed. An error: some cannot be used.
  using SetLeaves = std::function<Result<void>(const std::vector<std::string>&)>;

  // Looks `host` up now, and then again `interval` after each look-up. A failed look-up changes nothing; the first of
  // several in a row is logged. An address that cannot be used is tried again after the next look-up.
  LeafDns(boost::asio::io_context& io, SetLeaves set_leaves, Logger& log, std::string host, std::uint16_t port,
          std::chrono::milliseconds interval);
  ~LeafDns();
  // Whether a look-up is under way. The thread that does it may take long to end.
  bool looking_up() const;
  LeafDns(const LeafDns&) = delete;
  LeafDns& operator=(const LeafDns&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace frond::broker::cluster
