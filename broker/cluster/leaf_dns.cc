#include "broker/cluster/leaf_dns.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/net/address.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;
using asio::ip::tcp;

struct LeafDns::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, SetLeaves set, Logger& logger, std::string name, std::uint16_t number,
        std::chrono::milliseconds every)
      : resolver(io),
        timer(io),
        set_leaves(std::move(set)),
        log(&logger),
        host(std::move(name)),
        port(number),
        interval(every) {}

  void look_up() {
    looking_up = true;
    resolver.async_resolve(
        host, std::to_string(port),
        [self = shared_from_this()](const boost::system::error_code& ec, const tcp::resolver::results_type& found) {
          self->looking_up = false;
          if (!self->set_leaves) return;
          self->take(ec, found);
          self->timer.expires_after(self->interval);
          self->timer.async_wait([self](const boost::system::error_code& stopped) {
            if (!stopped && self->set_leaves) self->look_up();
          });
        });
  }
  void take(const boost::system::error_code& ec, const tcp::resolver::results_type& found) {
    if (ec || found.empty()) {
      if (!failing) log->warn("cannot look leaves up", {{"name", host}, {"error", ec.message()}});
      failing = true;
      return;
    }
    failing = false;
    std::vector<std::string> endpoints;
    for (const auto& entry : found) {
      endpoints.push_back("tcp://" + net::join(entry.endpoint().address().to_string(), std::to_string(port)));
    }
    std::sort(endpoints.begin(), endpoints.end());
    endpoints.erase(std::unique(endpoints.begin(), endpoints.end()), endpoints.end());
    if (endpoints == last) return;
    const auto set = set_leaves(endpoints);
    if (set) {
      last = std::move(endpoints);
      unusable.clear();
      return;
    }
    last.clear();  // try again after the next look-up: the process may have run out of sockets
    if (unusable == set.error().message()) return;
    unusable = set.error().message();
    log->error("a leaf's address is not usable", {{"error", unusable}});
  }

  tcp::resolver resolver;
  asio::steady_timer timer;
  SetLeaves set_leaves;  // empty: the owner has ended
  Logger* log;
  std::string host;
  std::uint16_t port;
  std::chrono::milliseconds interval;
  std::vector<std::string> last;  // the last addresses that could all be used
  std::string unusable;           // the last logged error
  bool failing = false, looking_up = false;
};

LeafDns::LeafDns(asio::io_context& io, SetLeaves set_leaves, Logger& log, std::string host, std::uint16_t port,
                 std::chrono::milliseconds interval)
    : state_(std::make_shared<State>(io, std::move(set_leaves), log, std::move(host), port, interval)) {
  state_->look_up();
}
LeafDns::~LeafDns() {
  state_->set_leaves = nullptr;
  state_->resolver.cancel();
  state_->timer.cancel();
}

bool LeafDns::looking_up() const { return state_->looking_up; }

}  // namespace frond::broker::cluster
