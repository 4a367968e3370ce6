#pragma once
// The HTTP/1.1 server of all three processes: probes, metrics, routes.
//
// It runs on one io thread, the one that runs the io_context. A handler gets the request and a responder, and answers
// exactly once: at once or later, from any thread. A responder that is destroyed without an answer answers 500 and
// closes the connection. Pipelined requests are answered in order. A request is routed when its header is whole, so a
// request without a route is answered before its body is read, and a body never exceeds its route's limit. Other limits
// are in Config; a request that exceeds one gets a problem document.
//
// Several servers of one Config::group serve the same port, each on its own thread; the system deals connections to
// them (SO_REUSEPORT). The limits hold for the group.
//
// With Config::tls all connections use TLS. A slow handshake delays no other client. Clients that speak plain HTTP get
// a 400 that says so.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/http/message.h"
#include "common/http/server/router.h"

namespace boost::asio {
class io_context;
}

namespace frond::tls {
class ServerIdentity;
}

namespace frond::http {

class ServerGroup;

// A request and its answer, for Server::Config::on_answer.
struct AnsweredRequest {
  std::string_view route;   // "" if none was set
  std::string_view method;  // "" of what was no request
  int status = 0;
  double seconds = 0;       // since the request was whole
  std::uint64_t bytes = 0;  // of the answer's body
  const Trace& trace;       // of the request
};

class Server {
 public:
  struct Config {
    std::string listen;                 // "host:port", "[v6]:port"; port 0 picks one
    std::size_t max_header = 16 << 10;  // bytes of request line and fields; more: 414 or 431
    // Bytes of all requests, from when they come until they are answered and no handler keeps them (Request::counted).
    // A request of known length is counted whole before any of its body is read on, a chunked one as it grows, one with
    // a Content-Encoding with the longest body that its route takes besides, until it is decoded. Requests
    // of less than 4 KiB are not counted; a connection has less than 8 KiB of those unanswered, more waits unread. One
    // client, by its key or else by its address, may hold at most as much as is left for all others. A request that
    // would exceed that waits unread for `body_patience`, but 64 of a client at most, the first to come the first to go
    // on; then it gets a 503. So does a chunked one, at once, that would wait for others that wait for it. The limit of
    // one request is in RouteLimits.
    std::size_t max_body_bytes = 64 << 20;
    std::chrono::milliseconds body_patience{10'000};
    // A further connection closes the one that has waited longest, if that is at least a second: one without a whole
    // request header yet, else an idle one, else one that is sending a body (of this server; another one of its group
    // is told to close one too, if this has none). If there is none, only `reserved` routes
    // (RouteLimits) are served on the new connection, and anything else gets a 503. There are reserved_connections() of
    // those, in addition; when all are taken, the oldest of them is closed.
    std::size_t max_connections = 4096;
    // Of one address; 0: half of all. A further one closes the connection of that address that has waited longest; if
    // there is none, only reserved routes are served on the new one, and anything else gets a 429.
    std::size_t max_connections_per_address = 0;
    std::size_t max_pipelined = 16;  // unanswered requests a connection; more wait unread
    // Bytes of all answers that clients have not taken yet. One client address may hold at most as much as is left for
    // all others. An answer of more than 16 KiB that would exceed that becomes a 503. One that is read while it is sent
    // counts with the two pieces of it that are held, 512 KiB.
    std::size_t max_unsent_bytes = 256 << 20;
    // From a request's first byte to the end of its header (else 408).
    std::chrono::milliseconds header_timeout{5000};
    // From a request's header to the end of its body (else 408); from the connection's start or the last answer to the
    // next request (else closed); and between two bytes of an answer that a client takes (else closed).
    std::chrono::seconds idle_timeout{60};
    // Minimum bytes a second, averaged over each rate_window but the first: of a body that a client sends (else 408),
    // and of answers that it takes while more than 64 KiB wait for it (else closed). 0: no minimum. While all waiting
    // answers together exceed half of max_unsent_bytes, a client must take those that wait for it within idle_timeout.
    std::size_t min_client_rate = 4096;
    std::chrono::milliseconds rate_window{5000};
    // Requests for another host name get a 421, except on reserved routes.
    HostList hosts;
    // Asked about each request for a route that is not Access::kOpen. Null: all are served.
    Gatekeeper gatekeeper;
    // Called for each answer, on the io thread, for metrics and logs.
    std::function<void(const AnsweredRequest&)> on_answer;

    // Runs a function that holds so many bytes on another thread, soon. What it was given must have ended before the
    // io_context is destroyed. For answers with a reader (Response::reader), which get a 500 without it; and to decode
    // and encode long bodies: without it those of requests are decoded on the io thread, those of answers go as they
    // are.
    std::function<void(const ClientId& of, std::size_t bytes, std::function<void()> run)> run_aside;

    // From make_group(); each server of a group has the same limits and the same port. Null: the server is alone.
    std::shared_ptr<ServerGroup> group;

    // Null: plain HTTP. Must outlive the server.
    const tls::ServerIdentity* tls = nullptr;
    std::chrono::seconds handshake_timeout{10};
    // Called on the io thread with "plain" (the client does not speak TLS), "closed" (by the client), "refused" (by
    // either side) or "timeout".
    std::function<void(std::string_view reason)> on_handshake_failure;
    // Sent with every answer under TLS (such as Strict-Transport-Security). No CR or LF in them.
    std::vector<std::pair<std::string, std::string>> tls_headers;
  };
  // Listens when this returns. kInvalid: a bad address; kUnavailable: the port is taken. `io` must outlive the server
  // and every responder.
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Router router);
  // One handler for all requests, with bodies of up to 1 MiB.
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Handler handler);
  virtual ~Server() = default;
  // For `servers` servers. A group of one listens as a server without a group.
  static std::shared_ptr<ServerGroup> make_group(const Config& config, std::size_t servers);
  // How many connections beyond Config::max_connections are kept for reserved routes.
  static constexpr std::size_t reserved_connections(std::size_t max_connections) {
    return std::clamp<std::size_t>(max_connections / 16, 16, 64);
  }
  // How many connections one address may have.
  static constexpr std::size_t connections_of_an_address(const Config& config) {
    if (config.max_connections_per_address != 0) return config.max_connections_per_address;
    return std::max<std::size_t>(config.max_connections / 2, 1);
  }
  virtual std::uint16_t port() const = 0;
  virtual const Config& config() const = 0;
  // Of this server. Io thread.
  virtual std::size_t connections() const = 0;
  // What the group holds for its clients now, and how often it refused or closed.
  struct Counters {
    std::size_t connections = 0;         // with the reserved ones
    std::size_t most_of_an_address = 0;  // the most connections that one address has
    std::size_t body_bytes = 0;          // of Config::max_body_bytes
    std::size_t unsent_bytes = 0;        // of Config::max_unsent_bytes
    std::uint64_t refused_connections = 0, refused_of_address = 0, refused_bodies = 0, refused_answers = 0;
    // Connections that the server closed, or whose request it ended: to make room; because a header or a body came too
    // slowly; because the client took an answer too slowly; because it was idle.
    std::uint64_t gave_way = 0, slow_headers = 0, slow_bodies = 0, slow_readers = 0, idle = 0;
    std::uint64_t failed_reads = 0;  // connections closed since an answer's reader failed
  };
  virtual Counters counters() const = 0;  // any thread
  // Stops accepting, answers the open requests, and closes each connection after its last answer; then calls done() on
  // the io thread. A client that stalls can delay that by idle_timeout; to end sooner, stop the io_context. Each server
  // of a group is drained on its own io thread.
  virtual void drain(std::function<void()> done) = 0;
};

}  // namespace frond::http
