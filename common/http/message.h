#pragma once
// Requests, responses, and what a handler answers with. Values; any thread, but for what Responder says.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace frond::http {

struct Request {
  std::string method;
  std::string target;  // as sent: path and query
  std::string host;    // whom it is for, as sent: the target's own, if it has one, else Host; with its port
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
  // Content-Type, Content-Length, Date, Connection and X-Content-Type-Options are the server's; others go here. JSON is
  // not to be stored (Cache-Control), unless that is here. No CR or LF in them.
  std::vector<std::pair<std::string, std::string>> headers;
};

// application/problem+json (RFC 9457). `parameter`, when not empty, becomes the member "parameter".
Response problem(int status, std::string_view title, std::string_view detail, std::string_view parameter = {});

// 413, saying what the body may have; 0: nothing.
Response body_too_large(std::size_t max_body);

// So long an answer is still worked for after its client has ended its side of the connection.
inline constexpr std::chrono::milliseconds kAnswerAfterEnd{300};

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
  // is sent: it lost the connection, or ended its side of it kAnswerAfterEnd ago. Whether it closed the connection then
  // or only said that it sends no more looks the same until an answer is written. An answer is still taken, and reaches
  // a client that only ended its side. To be called by the handler, before it returns; the last call counts.
  void on_client_gone(std::function<void()> gone);
  // Which of the program's routes this is ("/v1/search"; a literal), for Config::on_answer.
  void set_route(std::string_view route) { route_ = route; }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t sequence_;
  std::string_view route_;
};

using Handler = std::function<void(Request&&, Responder)>;

// "a=1&b=%20" to decoded pairs in order; '+' is a space. kInvalid: broken escapes.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace frond::http
