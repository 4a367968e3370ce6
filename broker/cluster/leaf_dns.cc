#include "broker/cluster/leaf_dns.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <utility>

#include "common/net/address.h"

namespace frond::broker::cluster {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr std::chrono::seconds kLookUpAgain{1};
}  // namespace

struct NameLookUp::State {
  tcp::resolver resolver;
  const std::string host, port;
  bool under_way = false, alive = true;
};

NameLookUp::NameLookUp(asio::io_context& io, std::string host, std::string port)
    : state_(new State{tcp::resolver(io), std::move(host), std::move(port)}) {}
NameLookUp::~NameLookUp() {
  state_->alive = false;
  state_->resolver.cancel();
}

const std::string& NameLookUp::host() const { return state_->host; }
bool NameLookUp::under_way() const { return state_->under_way; }

void NameLookUp::start(std::function<void(std::vector<std::string>, const std::string&)> done) {
  state_->under_way = true;
  state_->resolver.async_resolve(
      state_->host, state_->port,
      [state = state_, done = std::move(done)](const boost::system::error_code& ec,
                                               const tcp::resolver::results_type& found) {
        state->under_way = false;
        if (!state->alive) return;
        std::vector<std::string> endpoints;
        for (const auto& entry : found)
          endpoints.push_back("tcp://" + net::join(entry.endpoint().address().to_string(), state->port));
        done(std::move(endpoints), ec ? ec.message() : "it has no address");
      });
}

LeafAddress::LeafAddress(asio::io_context& io, const std::string& endpoint) {
  const auto address = net::parse_tcp_endpoint(endpoint);
  boost::system::error_code not_a_number;
  if (address) asio::ip::make_address(address->host, not_a_number);
  if (!address || address->host.empty() || !not_a_number)
    current_ = endpoint;
  else
    name_.emplace(io, address->host, std::to_string(address->port));
}

void LeafAddress::look_up(Instant now, std::function<void()> changed) {
  if (!name_ || name_->under_way() || now < again_) return;
  again_ = now + kLookUpAgain;
  name_->start([this, changed = std::move(changed)](const std::vector<std::string>& addresses, const std::string& why) {
    take(addresses, why, changed);
  });
}

void LeafAddress::take(const std::vector<std::string>& addresses, const std::string& why,
                       const std::function<void()>& changed) {
  why_none_ = addresses.empty() ? "cannot look '" + name_->host() + "' up: " + why : "";
  if (addresses.empty()) return;
  const auto last = std::find(addresses.begin(), addresses.end(), current_);
  const auto next = last == addresses.end() || last + 1 == addresses.end() ? addresses.begin() : last + 1;
  if (std::exchange(current_, *next) != *next) changed();
}

LeafDns::LeafDns(asio::io_context& io, TimerQueue& timers, SetLeaves set_leaves, Logger& log, std::string host,
                 std::uint16_t port, std::chrono::milliseconds interval)
    : name_(io, std::move(host), std::to_string(port)),
      timers_(timers),
      set_leaves_(std::move(set_leaves)),
      log_(log),
      interval_(interval) {
  look_up();
}

void LeafDns::look_up() {
  name_.start([this](std::vector<std::string> endpoints, const std::string& why) {
    next_ = timers_.after(interval_, [this] { look_up(); });
    take(std::move(endpoints), why);
  });
}

void LeafDns::take(std::vector<std::string> endpoints, const std::string& why) {
  if (endpoints.empty()) {
    if (!std::exchange(failing_, true)) log_.warn("cannot look leaves up", {{"name", name_.host()}, {"error", why}});
    return;
  }
  failing_ = false;
  std::sort(endpoints.begin(), endpoints.end());
  endpoints.erase(std::unique(endpoints.begin(), endpoints.end()), endpoints.end());
  if (endpoints == last_) return;
  const auto set = set_leaves_(endpoints);
  if (set) {
    last_ = std::move(endpoints);
    unusable_.clear();
    return;
  }
  last_.clear();  // try again after the next look-up: the process may have run out of sockets
  if (unusable_ == set.error().message()) return;
  unusable_ = set.error().message();
  log_.error("a leaf's address is not usable", {{"error", unusable_}});
}

}  // namespace frond::broker::cluster
