#pragma once
// The address of a leaf that was given by name. The name is looked up on a thread of Asio's resolver, so that a DNS
// server that does not answer delays nothing else. Its loop's thread only.
#include <functional>
#include <memory>
#include <string>

#include "common/base/deadline.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

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

}  // namespace frond::broker::cluster
