// The listener: accepts connections, sweeps them, drains them.
#include "common/http/server/server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/http/server/server_core.h"
#include "common/http/server/session.h"
#include "common/net/address.h"
#include "common/net/local_address.h"

namespace frond::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::chrono::seconds kSweepInterval{1};  // timeouts are looked at this often
constexpr std::chrono::milliseconds kPause{50};    // before connections are accepted again after a failure

void stamp_date(ServerCore& core) { core.date = utc_text("Date: %a, %d %b %Y %H:%M:%S GMT\r\n"); }

void sweep_each_second(const std::shared_ptr<ServerCore>& core, SteadyClock::time_point before) {
  core->sweeper.expires_after(kSweepInterval);
  core->sweeper.async_wait([core, before](const ErrorCode& ec) {
    if (ec || core->closed) return;
    stamp_date(*core);
    // If this comes late, the thread was busy, and clients could not be heard meanwhile: they have another second.
    const auto now = SteadyClock::now();
    if (now - before < 3 * kSweepInterval) sweep(*core);
    sweep_each_second(core, now);
  });
}

void accept(const std::shared_ptr<ServerCore>& core) {
  core->acceptor.async_accept([core](const ErrorCode& ec, net::Socket socket) {
    if (core->closed || core->draining || ec == asio::error::operation_aborted) return;
    if (ec) {  // out of descriptors, mostly: take one from a client that waits, breathe, then go on
      make_room(*core);
      const auto pause = std::make_shared<asio::steady_timer>(core->io, kPause);
      pause->async_wait([core, pause](const ErrorCode&) {
        if (!core->closed && !core->draining) accept(core);
      });
      return;
    }
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);  // which a local socket does not have
    let_in(core, std::move(socket));
    accept(core);
  });
}

// "host:port", "[v6]:port" or "unix:PATH"; an empty host or "*" means all IPv4 addresses. Looks names up, which may
// block. kInvalid.
Result<net::Endpoint> listen_address(asio::io_context& io, const std::string& listen) {
  if (net::is_local(listen)) return net::local_endpoint(FROND_TRY(net::parse_local_address(listen)));
  auto parsed = net::parse_host_port(listen);
  if (!parsed) return std::move(parsed).error().within("listen address");
  const std::uint16_t port = parsed->port;
  const std::string host = parsed->host.empty() || parsed->host == "*" ? "0.0.0.0" : parsed->host;
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) return net::Endpoint(tcp::endpoint(address, port));
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
  if (ec || found.empty())
    return Error(Code::kInvalid, "listen address: '" + listen + "' cannot be resolved: " + ec.message());
  return net::Endpoint(found.begin()->endpoint());
}

class AsioServer final : public Server {
 public:
  explicit AsioServer(std::shared_ptr<ServerCore> core) : core_(std::move(core)) {}
  ~AsioServer() override {
    core_->closed = true;
    core_->drained = nullptr;
    stop_accepting();
    for_all([](Session& session) { session.close(); });
  }
  std::uint16_t port() const override { return port_; }
  const Config& config() const override { return core_->config; }
  std::size_t connections() const override { return core_->session_count; }
  Counters counters() const override {
    const ServerGroup& group = *core_->group;
    return {.connections = group.sessions,
            .most_of_an_address = group.clients.most_connections(),
            .body_bytes = group.bodies.used(),
            .unsent_bytes = group.unsent.used(),
            .refused_connections = group.refused_connections,
            .refused_of_address = group.refused_of_address,
            .refused_bodies = group.bodies.refusals(),
            .refused_answers = group.unsent.refusals(),
            .gave_way = group.gave_way,
            .slow_headers = group.slow_headers,
            .slow_bodies = group.slow_bodies,
            .slow_readers = group.slow_readers,
            .idle = group.idle,
            .failed_reads = group.failed_reads};
  }
  void drain(std::function<void()> done) override {
    core_->draining = true;
    stop_accepting();
    if (core_->session_count == 0) {
      asio::post(core_->io, std::move(done));
      return;
    }
    core_->drained = std::move(done);
    for_all([](Session& session) { session.drain(); });
  }

  Result<void> listen(const net::Endpoint& endpoint) {
    ErrorCode ec;
    auto& acceptor = core_->acceptor;
    const auto failed = [&](std::string_view what) {
      return Error(Code::kUnavailable,
                   "cannot " + std::string(what) + " " + core_->config.listen + ": " + ec.message());
    };
    const bool shares = core_->group->servers() > 1;
    core_->number = core_->group->join(core_);
    if (shares && core_->number == 0 && is_taken(endpoint, ec)) return failed("bind");
    if (net::open(acceptor, endpoint, ec); ec) return failed("open a socket for");
    if (shares && acceptor.set_option(ReusePort(true), ec)) return failed("share the port of");
    if (acceptor.bind(endpoint, ec)) return failed("bind");
    if (acceptor.listen(1024, ec)) return failed("listen on");
    port_ = net::port_of(acceptor.local_endpoint(ec));
    stamp_date(*core_);
    accept(core_);
    sweep_each_second(core_, SteadyClock::now());
    return {};
  }

 private:
  using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

  // Whether another process listens there already, or the address cannot be used for another reason. With SO_REUSEPORT
  // the system would let it share the port with that process.
  bool is_taken(const net::Endpoint& endpoint, ErrorCode& why) {
    net::Acceptor alone(core_->io);
    net::open(alone, endpoint, why);
    return why || alone.bind(endpoint, why);
  }
  void stop_accepting() {
    ErrorCode ignored;
    core_->acceptor.close(ignored);
    if (core_->closed) core_->sweeper.cancel();
  }
  template <class Action>
  void for_all(Action action) {
    core_->sessions.for_each([&](Session* session) {
      if (const auto alive = session->weak_from_this().lock()) action(*alive);
    });
  }
  std::shared_ptr<ServerCore> core_;
  std::uint16_t port_ = 0;
};

constexpr seconds kMinWait{1};         // before a connection is closed to make room for another
constexpr seconds kRestrictedTime{2};  // for a connection that is served only what is reserved
constexpr seconds kLingerTime{3};      // an early refusal waits for its client to read it
constexpr seconds kBetweenLooks{1};    // at a client that nothing is read from

const AgeList& list_of(const ServerCore& core, Phase phase) { return core.phases[static_cast<std::size_t>(phase)]; }

AgeLink::Time::duration time_limit(const Server::Config& config, Phase phase) {
  switch (phase) {
    case Phase::kHandshake:
      return config.handshake_timeout;
    case Phase::kFresh:
    case Phase::kIdle:
      return config.idle_timeout;
    case Phase::kHeader:
      return config.header_timeout;
    case Phase::kBody:
    case Phase::kWriting:
      return config.rate_window;
    case Phase::kWorking:
      return kBetweenLooks;
    case Phase::kLingering:
      return kLingerTime;
  }
  return config.idle_timeout;
}

bool give_way(Session* session) {
  // Null: it is about to end anyway.
  if (const auto alive = session != nullptr ? session->weak_from_this().lock() : nullptr) alive->give_way();
  return session != nullptr;
}

}  // namespace

std::shared_ptr<ServerGroup> Server::make_group(const Config& config, std::size_t servers) {
  return std::make_shared<ServerGroup>(config, servers);
}

Result<std::unique_ptr<Server>> Server::create(asio::io_context& io, Config config, Router router) {
  const auto endpoint = FROND_TRY(listen_address(io, config.listen));
  auto server = std::make_unique<AsioServer>(std::make_shared<ServerCore>(io, std::move(config), std::move(router)));
  FROND_TRY(server->listen(endpoint));
  return std::unique_ptr<Server>(std::move(server));
}

Result<std::unique_ptr<Server>> Server::create(asio::io_context& io, Config config, Handler handler) {
  return create(io, std::move(config), Router::everything(std::move(handler), {.max_body = 1 << 20}));
}

bool make_room(const ServerCore& core) {
  const auto now = std::chrono::steady_clock::now();
  Session* oldest = nullptr;
  for (const Phase phase : {Phase::kHandshake, Phase::kFresh, Phase::kHeader})
    if (Session* const one = list_of(core, phase).oldest(now, kMinWait))
      if (oldest == nullptr || one->since() < oldest->since()) oldest = one;
  for (const Phase phase : {Phase::kIdle, Phase::kBody})
    if (oldest == nullptr) oldest = list_of(core, phase).oldest(now, kMinWait);
  return give_way(oldest);
}

void let_in(const std::shared_ptr<ServerCore>& core, net::Socket socket) {
  const Server::Config& config = core->config;
  const auto session = std::make_shared<Session>(core, std::move(socket));
  const ClientState& client = session->client();
  auto restriction = Session::Restriction::kNone;
  if (client.connections > Server::connections_of_an_address(config) &&
      !give_way(client.waiting[core->number].oldest(std::chrono::steady_clock::now(), kMinWait))) {
    restriction = Session::Restriction::kAddress;
  } else if (core->group->sessions - core->group->restricted > config.max_connections && !make_room(*core)) {
    restriction = Session::Restriction::kFull;
    core->group->make_room_elsewhere(core->number);  // so that a later connection finds a place
  }
  if (restriction != Session::Restriction::kNone) {
    if (core->group->restricted >= Server::reserved_connections(config.max_connections))
      give_way(core->restricted.oldest(std::chrono::steady_clock::now()));
    session->restrict(restriction);
  }
  session->start();
}

void sweep(const ServerCore& core) {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const auto time = time_limit(core.config, static_cast<Phase>(phase));
    // Whoever is looked at leaves the list or is its last from then on.
    while (Session* const session = core.phases[phase].oldest(now, time)) {
      const auto alive = session->weak_from_this().lock();
      if (alive == nullptr) break;  // it ends on another thread
      alive->expire(now);
    }
  }
  while (Session* const session = core.restricted.oldest(now, kRestrictedTime)) {
    const auto alive = session->weak_from_this().lock();
    if (alive == nullptr) break;
    alive->expire_restricted(now);
  }
}

std::size_t ServerGroup::join(const std::shared_ptr<ServerCore>& core) {
  const MutexLock lock(mutex_);
  FROND_CHECK(cores_.size() < servers_);
  cores_.push_back(core);
  return cores_.size() - 1;
}

void ServerGroup::make_room_elsewhere(std::size_t number) {
  if (servers_ == 1) return;
  const std::size_t others = servers_ - 1;
  const std::size_t next = (number + 1 + turn_.fetch_add(1, std::memory_order_relaxed) % others) % servers_;
  const MutexLock lock(mutex_);
  const auto core = next < cores_.size() ? cores_[next].lock() : nullptr;
  if (!core) return;
  boost::asio::post(core->io, [core] {
    if (!core->closed) make_room(*core);
  });
}

}  // namespace frond::http
