#include "broker/cluster/leaf_address.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

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

}  // namespace frond::broker::cluster
