#pragma once
// The small HTTP/1.1 server that all three processes use: probes, metrics, routes.
//
// One io thread (whoever runs the io_context). A handler gets the request and a responder; it may answer at once or
// later, from any thread, exactly once; a responder that is dropped unanswered answers 500 and closes the connection.
// Keep-alive and pipelining are served in order. A request is routed when its header is whole: what has no route is
// answered without a byte of its body, and no other body is larger than its route says. Limits are in Config; what
// breaks one gets a problem document.
//
// With an identity the whole listener speaks TLS. A handshake counts as a connection and waits for nobody but its own
// client; who speaks plain HTTP is told so, with 400.
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
#include "common/http/host_list.h"
#include "common/http/message.h"
#include "common/http/router.h"

namespace boost::asio {
class io_context;
}

namespace frond::tls {
class ServerIdentity;
}

namespace frond::http {

class Server {
 public:
  struct Config {
    std::string listen;                 // "host:port", "[v6]:port"; port 0 picks one
    std::size_t max_header = 16 << 10;  // bytes of request line and fields; more: 414 or 431
    // Bytes of request bodies that are on their way in, all together, as they grow; a client's address has no more than
    // is left for all others. What goes past that gets a 503. What one request may have is its route's.
    std::size_t max_body_bytes = 64 << 20;
    // More, and whoever has waited longest gives way, if that is a second at least: first a connection that has not yet
    // said what it wants, then one that is idle, then one whose request's body is on its way. If nobody does, the new
    // one is served only what is said to be `reserved` (RouteLimits), and anything else gets a 503. There are
    // reserved_connections() for that, beyond these; when they are all taken, the first of them is closed.
    std::size_t max_connections = 4096;
    // Of one address; 0: half of all. More, and the longest waiting of that address gives way, or the new one is served
    // only what is reserved, and anything else gets a 429.
    std::size_t max_connections_per_address = 0;
    std::size_t max_pipelined = 16;  // unanswered requests a connection; more wait unread
    // Bytes of answers that clients have not taken yet, all together; a client's address has no more than is left for
    // all others. An answer of more than 16 KiB past that becomes a 503.
    std::size_t max_unsent_bytes = 256 << 20;
    // A request's header must be whole within this of its first byte (408).
    std::chrono::milliseconds header_timeout{5000};
    // A request's body must be whole within this of its header (408), a request must begin within this of the
    // connection's start or the last answer (closed), and a client must take something of an answer within this.
    std::chrono::seconds idle_timeout{60};
    // Bytes a second that a client must send of a body (408), and must take of answers of which more than 64 KiB wait
    // for it (closed), on average over each window but the first. 0: no such limit. While the answers that wait take
    // more than half of max_unsent_bytes, a client must take what waits for it within idle_timeout.
    std::size_t min_client_rate = 4096;
    std::chrono::milliseconds rate_window{5000};
    // Who asks under another name gets a 421, but for what is reserved.
    HostList hosts;
    // Each answer's route ("" if no route was set), status and seconds since the request had come whole; on the io
    // thread. Meant for metrics.
    std::function<void(std::string_view route, int status, double seconds)> on_answer;

    // Null: plain HTTP. Used on the io thread, where its owner may refresh() it; outlives the server.
    const tls::ServerIdentity* tls = nullptr;
    std::chrono::seconds handshake_timeout{10};
    // Why: "plain" (no TLS spoken), "closed" (by the client), "refused" (by one of the two), "timeout". On the io
    // thread.
    std::function<void(std::string_view reason)> on_handshake_failure;
    // Of every answer under TLS: Strict-Transport-Security, say. No CR or LF in them.
    std::vector<std::pair<std::string, std::string>> tls_headers;
  };
  // Binds at once: kInvalid (bad address), kUnavailable (port taken). `io` outlives the server and every responder.
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Router router);
  // One handler for everything, with bodies of up to 1 MiB.
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Handler handler);
  virtual ~Server() = default;
  // Connections beyond Config::max_connections, for what is reserved.
  static constexpr std::size_t reserved_connections(std::size_t max_connections) {
    return std::clamp<std::size_t>(max_connections / 16, 16, 64);
  }
  // What an address may have of them.
  static constexpr std::size_t connections_of_an_address(const Config& config) {
    if (config.max_connections_per_address != 0) return config.max_connections_per_address;
    return std::max<std::size_t>(config.max_connections / 2, 1);
  }
  virtual std::uint16_t port() const = 0;
  virtual const Config& config() const = 0;
  virtual std::size_t connections() const = 0;
  // What the server does for its clients now, and what it has refused them. Io thread.
  struct Counters {
    std::size_t connections = 0;         // reserved ones, too
    std::size_t most_of_an_address = 0;  // of these
    std::size_t body_bytes = 0;          // of Config::max_body_bytes
    std::size_t unsent_bytes = 0;        // of Config::max_unsent_bytes
    std::uint64_t refused_connections = 0, refused_of_address = 0, refused_bodies = 0, refused_answers = 0;
    // Connections closed, or requests ended, by the server: to make room; because a header or a body came too slowly;
    // because a client took an answer too slowly; because it was idle.
    std::uint64_t gave_way = 0, slow_headers = 0, slow_bodies = 0, slow_readers = 0, idle = 0;
  };
  virtual Counters counters() const = 0;
  // Stops accepting; open requests are answered, then connections close; done() is called on the io thread when all
  // have. Bounded by idle_timeout for clients that stall: a process with less patience stops its io_context.
  virtual void drain(std::function<void()> done) = 0;
};

}  // namespace frond::http
