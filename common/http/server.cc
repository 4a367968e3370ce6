// The listener: accepts connections, sweeps them, drains them.
#include "common/http/server.h"

#include <array>
#include <ctime>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

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
constexpr std::chrono::seconds kLeastIdle{1};      // before a connection is closed to make room for another

void stamp_date(ServerCore& core) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 64> text{};
  const auto n = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  core.date.assign(text.data(), n);
}

void sweep(const std::shared_ptr<ServerCore>& core) {
  core->sweeper.expires_after(kSweepInterval);
  core->sweeper.async_wait([core](const ErrorCode& ec) {
    if (ec || core->closed) return;
    stamp_date(*core);
    // A closing session leaves the set: walk over a copy that keeps each alive.
    std::vector<std::shared_ptr<Session>> all;
    all.reserve(core->sessions.size());
    for (Session* session : core->sessions)
      if (auto alive = session->weak_from_this().lock()) all.push_back(std::move(alive));
    const auto now = SteadyClock::now();
    for (const auto& session : all) session->sweep(now);
    sweep(core);
  });
}

void turn_away(tcp::socket socket) {
  Response response = problem(503, "Unavailable", "Too many connections; try again soon.");
  const std::string text = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + response.content_type +
                           "\r\nContent-Length: " + std::to_string(response.body.size()) +
                           "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" + response.body;
  ErrorCode ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

// Closes the connection that has waited longest for its client, if that is long enough: clients that only hold
// connections must not keep others out, probes among them.
void make_room(const ServerCore& core) {
  Session* oldest = nullptr;
  for (Session* session : core.sessions)
    if (session->idle() && (oldest == nullptr || session->since() < oldest->since())) oldest = session;
  if (oldest == nullptr || SteadyClock::now() - oldest->since() < kLeastIdle) return;
  if (const auto alive = oldest->weak_from_this().lock()) alive->close();
}

void accept(const std::shared_ptr<ServerCore>& core) {
  core->acceptor.async_accept([core](const ErrorCode& ec, tcp::socket socket) {
    if (core->closed || core->draining || ec == asio::error::operation_aborted) return;
    if (ec) {  // out of descriptors, mostly: breathe, then go on
      const auto pause = std::make_shared<asio::steady_timer>(core->io, std::chrono::milliseconds(50));
      pause->async_wait([core, pause](const ErrorCode&) {
        if (!core->closed && !core->draining) accept(core);
      });
      return;
    }
    if (core->sessions.size() >= core->config.max_connections) make_room(*core);
    if (core->sessions.size() >= core->config.max_connections) {
      if (!core->config.tls) turn_away(std::move(socket));  // under TLS a word costs a handshake: closed without
    } else {
      ErrorCode ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(core, std::move(socket))->start();
    }
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
    for (const auto& session : alive()) session->close();
  }
  std::uint16_t port() const override { return port_; }
  const Config& config() const override { return core_->config; }
  std::size_t connections() const override { return core_->sessions.size(); }
  Counters counters() const override {
    return {.connections = core_->sessions.size(),
            .body_bytes = core_->bodies.used(),
            .refused_bodies = core_->bodies.refusals()};
  }
  void drain(std::function<void()> done) override {
    core_->draining = true;
    stop_accepting();
    if (core_->sessions.empty()) {
      asio::post(core_->io, std::move(done));
      return;
    }
    core_->drained = std::move(done);
    for (const auto& session : alive()) session->drain();
  }

  Result<void> listen(const tcp::endpoint& endpoint) {
    ErrorCode ec;
    auto& acceptor = core_->acceptor;
    const auto failed = [&](std::string_view what) {
      return Error(Code::kUnavailable,
                   "cannot " + std::string(what) + " " + core_->config.listen + ": " + ec.message());
    };
    if (acceptor.open(endpoint.protocol(), ec)) return failed("open a socket for");
    acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (acceptor.bind(endpoint, ec)) return failed("bind");
    if (acceptor.listen(1024, ec)) return failed("listen on");
    port_ = acceptor.local_endpoint(ec).port();
    stamp_date(*core_);
    accept(core_);
    sweep(core_);
    return {};
  }

 private:
  void stop_accepting() {
    ErrorCode ignored;
    core_->acceptor.close(ignored);
    if (core_->closed) core_->sweeper.cancel();
  }
  std::vector<std::shared_ptr<Session>> alive() const {
    std::vector<std::shared_ptr<Session>> all;
    for (Session* session : core_->sessions)
      if (auto one = session->weak_from_this().lock()) all.push_back(std::move(one));
    return all;
  }
  std::shared_ptr<ServerCore> core_;
  std::uint16_t port_ = 0;
};

}  // namespace

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
