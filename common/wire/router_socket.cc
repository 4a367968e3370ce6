#include "common/wire/router_socket.h"

#include <algorithm>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/check.h"
#include "common/base/complaint.h"
#include "common/net/address.h"
#include "common/net/local_address.h"
#include "common/wire/curve_gate.h"
#include "common/wire/peer_limits.h"
#include "common/wire/peer_loop.h"

namespace frond::wire {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptAgain{100};  // after there was no descriptor for a connection

// The addresses to listen at, the first of which works.
Result<std::vector<net::Endpoint>> listen_addresses(asio::io_context& io, const std::string& listen) {
  if (net::is_local(listen)) return std::vector{net::local_endpoint(FROND_TRY(net::parse_local_address(listen)))};
  const net::HostPort at = FROND_TRY(net::parse_tcp_endpoint(listen));
  if (at.host.empty() || at.host == "*")
    return std::vector<net::Endpoint>{tcp::endpoint(tcp::v6(), at.port),
                                      tcp::endpoint(tcp::v4(), at.port)};  // the first also takes IPv4
  error_code ec;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(at.host, std::to_string(at.port), tcp::resolver::passive, ec);
  if (ec || found.empty()) return Error(Code::kInvalid, "'" + listen + "': " + ec.message());
  return std::vector<net::Endpoint>{found.begin()->endpoint()};
}

class ZmtpRouterSocket final : public RouterSocket {
 public:
  explicit ZmtpRouterSocket(Config config)
      : config_(std::move(config)), limits_(config_.max_peers, config_.max_peers_by_address), refusals_(config_.log) {
    FROND_CHECK(config_.io_threads >= 1 && config_.io_threads <= 16);
    if (config_.curve) gate_.emplace(*config_.curve, config_.log);
    const PeerLoop::Parts parts{.config = config_,
                                .clock = clock_,
                                .limits = limits_,
                                .counts = counts_,
                                .gate = gate_ ? &*gate_ : nullptr,
                                .dropped = dropped_,
                                .loops = loops_};
    for (unsigned i = 0; i < config_.io_threads; ++i) loops_.push_back(std::make_unique<PeerLoop>(parts, i));
    acceptor_.emplace(loops_[0]->io());
    again_.emplace(loops_[0]->io());
  }
  ~ZmtpRouterSocket() override { stop(std::chrono::milliseconds(0)); }

  Result<void> bind();
  std::uint16_t port() const override { return port_; }
  void start(Receiver receiver, Gone gone) override {
    accept();
    for (const auto& loop : loops_) loop->start(receiver, gone);
  }
  bool send(const Peer& peer, ByteBuffer reply) override {
    return loops_[PeerLoop::number_of(peer) % loops_.size()]->send(peer, std::move(reply));
  }
  void stop(std::chrono::milliseconds linger) override {
    file_.remove();
    for (const auto& loop : loops_) loop->begin_stop(clock_.now() + linger);
    for (const auto& loop : loops_) loop->join();
    error_code ignored;
    acceptor_->close(ignored);  // its loop has ended
  }
  std::uint64_t dropped() const override { return dropped_.load(std::memory_order_relaxed); }
  CurveCounters curve() const override { return gate_ ? gate_->counters() : CurveCounters{}; }
  std::size_t peers() const override { return limits_.size(); }
  const PeerCounts& peer_counts() const override { return counts_; }
  std::vector<Loop> loops() const override;

 private:
  void accept();
  void admit(net::Socket socket, unsigned loop);

  const Config config_;
  const SteadyClock clock_;
  PeerLimits limits_;
  PeerCounts counts_;
  Complaint refusals_;
  std::optional<CurveGate> gate_;
  std::atomic<std::uint64_t> dropped_{0};
  std::vector<std::unique_ptr<PeerLoop>> loops_;
  // Of the first loop.
  std::optional<net::Acceptor> acceptor_;
  std::optional<asio::steady_timer> again_;
  unsigned next_loop_ = 0;
  std::uint16_t port_ = 0;
  net::SocketFile file_;
};

Result<void> ZmtpRouterSocket::bind() {
  error_code ec;
  for (const net::Endpoint& at : FROND_TRY(listen_addresses(loops_[0]->io(), config_.listen))) {
    acceptor_->close(ec);
    net::open(*acceptor_, at, ec);
    if (!ec && at.protocol().family() == AF_INET6) acceptor_->set_option(asio::ip::v6_only(false), ec);
    if (!ec) acceptor_->bind(at, ec);
    if (!ec) acceptor_->listen(net::Acceptor::max_listen_connections, ec);
    if (!ec) port_ = net::port_of(acceptor_->local_endpoint(ec));
    if (!ec && net::is_local(config_.listen))
      file_ = net::SocketFile(FROND_TRY(net::parse_local_address(config_.listen)));
    if (!ec || ec == asio::error::address_in_use) break;
  }
  if (!ec) return {};
  return Error(Code::kUnavailable, "'" + config_.listen + "': " + ec.message());
}

void ZmtpRouterSocket::accept() {
  const unsigned loop = next_loop_++ % loops_.size();
  acceptor_->async_accept(loops_[loop]->io(), [this, loop](const error_code& ec, net::Socket socket) {
    if (ec == asio::error::operation_aborted) return;
    if (!ec || ec == asio::error::connection_aborted) {
      accept();  // first, as what follows may throw
      if (!ec) admit(std::move(socket), loop);
      return;
    }
    again_->expires_after(kAcceptAgain);
    again_->async_wait([this](const error_code& cancelled) {
      if (!cancelled) accept();
    });
    counts_.add(PeerOutcome::kDescriptors);
    refusals_.say("a connection has to wait", {{"error", ec.message()}});
  });
}

void ZmtpRouterSocket::admit(net::Socket socket, unsigned loop) {
  error_code ec;
  const net::Endpoint peer = socket.remote_endpoint(ec);
  if (ec) return;  // it has closed the connection already
  const asio::ip::address address = net::address_of(peer);
  auto admission = limits_.admit(address, clock_.now());
  if (admission.place == nullptr) {
    const bool full = admission.refusal == PeerLimits::Refusal::kFull;
    counts_.add(full ? PeerOutcome::kFull : PeerOutcome::kAddress);
    refusals_.say("a connection was refused: there are too many",
                  {{"address", address.to_string()}, {"limit", full ? "--max-peers" : "--max-peers-by-address"}});
    return;
  }
  // It leaves when nobody has it any more, also where what follows gets no memory.
  std::shared_ptr<PeerLimits::Place> place(
      admission.place.get(), [this, held = admission.place](const PeerLimits::Place*) { limits_.leave(*held); });
  if (admission.gives_way)
    for (const auto& other : loops_) other->close(*admission.gives_way, PeerOutcome::kGaveWay);
  loops_[loop]->adopt(std::move(socket), std::move(place), address.to_string());
}

std::vector<Loop> ZmtpRouterSocket::loops() const {
  const auto first = std::min_element(loops_.begin(), loops_.end(),
                                      [](const auto& a, const auto& b) { return a->turned() < b->turned(); });
  std::vector<Loop> loops = {{"socket", (*first)->turned()}};
  if (gate_) loops.push_back({"curve", gate_->turned()});
  return loops;
}

}  // namespace

Result<std::unique_ptr<RouterSocket>> RouterSocket::create(Config config) {
  try {
    auto socket = std::make_unique<ZmtpRouterSocket>(std::move(config));
    FROND_TRY(socket->bind());
    return std::unique_ptr<RouterSocket>(std::move(socket));
  } catch (const std::exception& e) {  // out of descriptors
    return Error(Code::kUnavailable, e.what());
  }
}

}  // namespace frond::wire
