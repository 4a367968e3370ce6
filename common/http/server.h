#pragma once
// The small HTTP/1.1 server that all three processes use: probes, metrics, routes. Beast stays inside this folder's one
// .cc file.
//
// One io thread (the caller of run()). A handler gets the request and a responder; it may answer at once or later, from
// any thread, exactly once; dropping the responder unanswered closes the connection. Keep-alive and pipelining are
// served in order. Limits are in Config.
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

namespace frond::http {

struct Request {
  std::string method;
  std::string target;  // as sent: path and query
  std::string path;    // percent-decoding is not applied to the path
  std::string query;   // after '?', undecoded; empty if none
  std::string body;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string_view header(std::string_view lower_case_name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// application/problem+json (RFC 9457). `parameter`, when not empty, becomes the member "parameter".
Response problem(int status, std::string_view title, std::string_view detail, std::string_view parameter = {});

// Answers one request. Copyable handle; thread-safe; the first send counts. closed(): the client went away.
class Responder {
 public:
  class Connection;
  Responder(std::shared_ptr<Connection> connection, std::uint64_t sequence);
  ~Responder();
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;
  void send(Response response);

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t sequence_;
};

using Handler = std::function<void(Request&&, Responder)>;

class Server {
 public:
  struct Config {
    std::string listen;                  // "host:port", "[v6]:port"; port 0 picks one
    std::size_t max_body = 1 << 20;      // bytes; larger: 413
    std::size_t max_header = 16 << 10;   // larger: 431
    std::size_t max_connections = 4096;  // more: accepted and closed with 503
    std::size_t max_pipelined = 16;      // unanswered requests a connection
    std::chrono::seconds idle_timeout{60};
  };
  // Binds at once: kInvalid (bad address), kUnavailable (port taken). `io` outlives the server.
  static Result<std::unique_ptr<Server>> create(boost::asio::io_context& io, Config config, Handler handler);
  virtual ~Server() = default;
  virtual std::uint16_t port() const = 0;
  // Stops accepting; open requests are answered, then connections close; done() is called on the io thread when all
  // have.
  virtual void drain(std::function<void()> done) = 0;
};

// "a=1&b=%20" to decoded pairs in order; '+' is a space. kInvalid: broken escapes.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace frond::http
