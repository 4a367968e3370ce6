#pragma once
// Where a leaf is that was given by a name. ZeroMQ would look the name up as well, but on its one I/O thread, where a
// DNS that does not answer keeps every leaf's connection waiting. Broker's thread only.
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
  // "tcp://host:port". Where the host is a number, or this is something else, current() is just that.
  LeafAddress(boost::asio::io_context& io, const std::string& endpoint);
  ~LeafAddress();
  LeafAddress(const LeafAddress&) = delete;
  LeafAddress& operator=(const LeafAddress&) = delete;

  // What to connect to; empty: not known yet.
  const std::string& current() const;
  // Why the last look-up gave nothing; empty: it did, or there was none.
  const std::string& why_none() const;
  // The leaf is not reached: looks its name up, once a second at most. Where it has several addresses the next is
  // taken. `changed` is called later, if there is another address than before, with that.
  void look_up(Instant now, std::function<void(const std::string& before)> changed);
  // A look-up is under way: its thread, which may take long, ends with it.
  bool looking_up() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace frond::broker::cluster
