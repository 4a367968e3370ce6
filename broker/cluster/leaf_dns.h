#pragma once
// Keeps the leaves equal to the addresses of a DNS name: the pods of a headless service. One thread.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"

namespace boost::asio {
class io_context;
}

namespace frond::broker::cluster {

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
