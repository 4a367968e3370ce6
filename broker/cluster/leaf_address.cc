#include "broker/cluster/leaf_address.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace frond::broker::cluster {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr std::chrono::seconds kLookUpAgain{1};
constexpr std::string_view kScheme = "tcp://";
}  // namespace

struct LeafAddress::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, const std::string& endpoint) : resolver(io) {
    const auto colon = endpoint.rfind(':');
    if (endpoint.starts_with(kScheme) && colon > kScheme.size() && colon != endpoint.npos) {
      host = endpoint.substr(kScheme.size(), colon - kScheme.size());
      port = endpoint.substr(colon + 1);
    }
    boost::system::error_code not_a_number;
    asio::ip::make_address(host, not_a_number);
    const bool is_port =
        !port.empty() && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (host.empty() || host.front() == '[' || !not_a_number || !is_port) {
      host.clear();
      current = endpoint;
    }
  }

  void take(const boost::system::error_code& ec, const tcp::resolver::results_type& found,
            const std::function<void(const std::string&)>& changed) {
    std::vector<std::string> addresses;
    for (const auto& entry : found) {
      const auto address = entry.endpoint().address();
      const std::string text = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
      addresses.push_back(std::string(kScheme) + text + ":" + port);
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
