#include "broker/cluster/leaf_dns.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/net/address.h"

namespace frond::broker::cluster {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr std::chrono::seconds kLookUpAgain{1};
}  // namespace

struct LeafAddress::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, const std::string& endpoint) : resolver(io) {
    const auto address = net::parse_tcp_endpoint(endpoint);
    boost::system::error_code not_a_number;
    if (address) asio::ip::make_address(address->host, not_a_number);
    if (!address || address->host.empty() || !not_a_number) {
      current = endpoint;
      return;
    }
    host = address->host;
    port = std::to_string(address->port);
  }

  void take(const boost::system::error_code& ec, const tcp::resolver::results_type& found,
            const std::function<void(const std::string&)>& changed) {
    std::vector<std::string> addresses;
    for (const auto& entry : found) {
      addresses.push_back("tcp://" + net::join(entry.endpoint().address().to_string(), port));
    }
    if (ec || addresses.empty()) {
      why_none = "cannot look '" + host + "' up: " + (ec ? ec.message() : "it has no address");
      return;
    }
    why_none.clear();
    const auto last = std::find(addresses.begin(), addresses.end(), current);
    const auto next = last == addresses.end() || last + 1 == addresses.end() ? addresses.begin() : last + 1;
    if (*next == current) return;
    changed(std::exchange(current, *next));
  }

  tcp::resolver resolver;
  std::string host, port;  // host empty: given by number
  std::string current, why_none;
  Instant again{};
  bool looking_up = false, alive = true;
};

LeafAddress::LeafAddress(asio::io_context& io, const std::string& endpoint)
    : state_(std::make_shared<State>(io, endpoint)) {}
LeafAddress::~LeafAddress() {
  state_->alive = false;
  state_->resolver.cancel();
}

const std::string& LeafAddress::current() const { return state_->current; }
const std::string& LeafAddress::why_none() const { return state_->why_none; }
bool LeafAddress::looking_up() const { return state_->looking_up; }

void LeafAddress::look_up(Instant now, std::function<void(const std::string& before)> changed) {
  if (state_->host.empty() || state_->looking_up || now < state_->again) return;
  state_->looking_up = true;
  state_->again = now + kLookUpAgain;
  state_->resolver.async_resolve(state_->host, state_->port,
                                 [state = state_, changed = std::move(changed)](
                                     const boost::system::error_code& ec, const tcp::resolver::results_type& found) {
                                   state->looking_up = false;
                                   if (state->alive) state->take(ec, found, changed);
                                 });
}

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
