// The listener: accepts connections, sweeps them, drains them.
#include "common/http/server.h"

#include <array>
#include <ctime>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/crowd.h"
#include "common/http/listen_address.h"
#include "common/http/server_core.h"
#include "common/http/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSweepInterval{1};  // timeouts are looked at this often
constexpr std::chrono::milliseconds kPause{50};    // before connections are accepted again after a failure

void stamp_date(ServerCore& core) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 64> text{};
  const auto n = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  core.date.assign(text.data(), n);
}

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
  core->acceptor.async_accept([core](const ErrorCode& ec, tcp::socket socket) {
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
    socket.set_option(tcp::no_delay(true), ignored);
    let_in(core, std::move(socket));
    accept(core);
  });
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

  Result<void> listen(const tcp::endpoint& endpoint) {
    ErrorCode ec;
    auto& acceptor = core_->acceptor;
    const auto failed = [&](std::string_view what) {
      return Error(Code::kUnavailable,
                   "cannot " + std::string(what) + " " + core_->config.listen + ": " + ec.message());
    };
    const bool shares = core_->group->servers() > 1;
    core_->number = core_->group->join(core_);
    if (shares && core_->number == 0 && is_taken(endpoint, ec)) return failed("bind");
    if (acceptor.open(endpoint.protocol(), ec)) return failed("open a socket for");
    acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (shares && acceptor.set_option(ReusePort(true), ec)) return failed("share the port of");
    if (acceptor.bind(endpoint, ec)) return failed("bind");
    if (acceptor.listen(1024, ec)) return failed("listen on");
    port_ = acceptor.local_endpoint(ec).port();
    stamp_date(*core_);
    accept(core_);
    sweep_each_second(core_, SteadyClock::now());
    return {};
  }

 private:
  using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

  // Whether another process listens there already, or the address cannot be used for another reason. With SO_REUSEPORT
  // the system would let it share the port with that process.
  bool is_taken(const tcp::endpoint& endpoint, ErrorCode& why) {
    tcp::acceptor alone(core_->io);
    if (alone.open(endpoint.protocol(), why)) return true;
    alone.set_option(tcp::acceptor::reuse_address(true), why);
    return static_cast<bool>(alone.bind(endpoint, why));
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

}  // namespace frond::http
