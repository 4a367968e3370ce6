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
    // More: one that was idle, or in its handshake, for a second is closed; or the new one, with 503 where a word needs
    // no handshake.
    std::size_t max_connections = 4096;
    std::size_t max_pipelined = 16;  // unanswered requests a connection; more wait unread
    // Bytes of answers that clients have not taken yet, all together. An answer of more than 16 KiB past them becomes a
    // 503; past half of them, who has taken nothing for two seconds is closed.
    std::size_t max_unsent = 256 << 20;
    // A request must have come whole within this of its first byte (408), the next must begin within this of the last
    // answer (closed), and a client that takes none of an answer's bytes for this long is closed.
    std::chrono::seconds idle_timeout{60};
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
  virtual std::uint16_t port() const = 0;
  virtual const Config& config() const = 0;
  virtual std::size_t connections() const = 0;
  // What the server does for its clients now, and has refused them. Io thread.
  struct Counters {
    std::size_t connections = 0;
    std::size_t body_bytes = 0;        // of Config::max_body_bytes
    std::uint64_t refused_bodies = 0;  // past it
  };
  virtual Counters counters() const = 0;
  // Stops accepting; open requests are answered, then connections close; done() is called on the io thread when all
  // have. Bounded by idle_timeout for clients that stall: a process with less patience stops its io_context.
  virtual void drain(std::function<void()> done) = 0;
};

}  // namespace frond::http
