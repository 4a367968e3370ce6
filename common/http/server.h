#pragma once
// The small HTTP/1.1 server that all three processes use: probes, metrics, routes. Beast stays inside this folder's one
// .cc file (request_parser.cc).
//
// One io thread (whoever runs the io_context). A handler gets the request and a responder; it may answer at once or
// later, from any thread, exactly once; a responder that is dropped unanswered answers 500 and closes the connection.
// Keep-alive and pipelining are served in order. Limits are in Config; what breaks one gets a problem document.
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

namespace boost::asio {
class io_context;
}

namespace frond::tls {
class ServerIdentity;
}

namespace frond::http {

struct Request {
  std::string method;
  std::string target;  // as sent: path and query
  std::string path;    // percent-decoding is not applied to the path
  std::string query;   // after '?', undecoded; empty if none
  std::string body;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  // The first of that name; empty if none.
  std::string_view header(std::string_view lower_case_name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;  // not sent to HEAD, but its length is
  // Content-Type, Content-Length, Date and Connection are the server's; others go here. No CR or LF in them.
  std::vector<std::pair<std::string, std::string>> headers;
};

// application/problem+json (RFC 9457). `parameter`, when not empty, becomes the member "parameter".
Response problem(int status, std::string_view title, std::string_view detail, std::string_view parameter = {});

// Answers one request. Movable handle; send() from any thread; the first send counts.
class Responder {
 public:
  // Where the answer goes: the server's connection, or a test's (see tests/support/captured_response.h).
  class Connection {
   public:
    virtual ~Connection() = default;
    // Any thread. `route` is a string that lives for ever: a label for metrics.
    virtual void answer(std::uint64_t sequence, Response response, std::string_view route) = 0;
    // The responder is gone without an answer. Any thread.
    virtual void abandon(std::uint64_t sequence) = 0;
    // See Responder::on_client_gone().
    virtual void watch(std::uint64_t sequence, std::function<void()> gone) = 0;
  };
  Responder(std::shared_ptr<Connection> connection, std::uint64_t sequence);
  ~Responder();
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;
  void send(Response response);
  // `gone` is called once, on the io thread and never from inside another call, if the client leaves before the answer
  // is sent: it closed the connection, lost it, or ended its side of it (which looks the same until an answer is
  // written). An answer is still taken then, and reaches a client that only ended its side. To be called by the
  // handler, before it returns; the last call counts.
  void on_client_gone(std::function<void()> gone);
  // Which of the program's routes this is ("/v1/search"; a literal), for Config::on_answer.
  void set_route(std::string_view route) { route_ = route; }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t sequence_;
  std::string_view route_;
};

using Handler = std::function<void(Request&&, Responder)>;

class Server {
 public:
  struct Config {
    std::string listen;                 // "host:port", "[v6]:port"; port 0 picks one
    std::size_t max_body = 1 << 20;     // bytes; larger: 413
    std::size_t max_header = 16 << 10;  // larger: 431
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
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Handler handler);
  virtual ~Server() = default;
  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  // Stops accepting; open requests are answered, then connections close; done() is called on the io thread when all
  // have. Bounded by idle_timeout for clients that stall: a process with less patience stops its io_context.
  virtual void drain(std::function<void()> done) = 0;
};

// "a=1&b=%20" to decoded pairs in order; '+' is a space. kInvalid: broken escapes.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace frond::http
