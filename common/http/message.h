#pragma once
// Requests, responses, and the handle through which a handler answers. Values, for any thread; see Responder.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/http/trace.h"

namespace frond::http {

class Permit;

// A client's address as IPv6 writes it: of an IPv6 address only the first 64 bits, since a client chooses the rest.
using ClientAddress = std::array<std::uint8_t, 16>;
// Who asks: one key's requests have the same, whatever their address; without a key, those of an address have.
using ClientId = std::array<std::uint8_t, 16>;

// Who asks, and what the request is known by.
struct Asker {
  ClientId client{};
  Trace trace = {};
  std::uint32_t weight = 1;  // the client's, beside others
};

struct Request {
  std::string method;
  std::string target;  // as sent: path and query
  std::string host;    // as sent, with its port: from the target if it has one, else from Host
  std::string path;    // percent-decoding is not applied to the path
  std::string query;   // after '?', undecoded; empty if none
  std::string body;    // decoded, if it came with a Content-Encoding
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  // From the server's Gatekeeper (below); null: nothing is counted. Whoever keeps it keeps the request's place.
  std::shared_ptr<Permit> permit;
  ClientId client{};
  std::uint32_t client_weight = 1;
  Trace trace;  // given by the server
  // Its bytes, counted in Server::Config::max_body_bytes: whoever keeps the body keeps this, too. Null: few.
  std::shared_ptr<const void> counted;
  // The first field of that name; empty if there is none.
  std::string_view header(std::string_view lower_case_name) const;
  Asker asker() const { return {client, trace, client_weight}; }
};

// A body that is read while it is sent: a file, say. It outlives the answer's connection for as long as a read takes.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // Bytes in all; never changes.
  virtual std::uint64_t size() const = 0;
  // Fills `to` with the bytes from `offset` on, which are all inside the body. One call at a time, on a thread of
  // Server::Config::run_aside, so it may block. After an error the connection is closed in the middle of the answer:
  // its header is sent already.
  virtual Result<void> read(std::uint64_t offset, std::span<std::byte> to) = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;  // not sent to HEAD, but its length is
  // Other fields than Content-Type, Content-Length, Date, Connection and X-Content-Type-Options, which the server adds.
  // It also adds "Cache-Control: no-store" to JSON without a Cache-Control of its own. No CR or LF in them.
  std::vector<std::pair<std::string, std::string>> headers;
  // Not null: the body, in place of `body`.
  std::shared_ptr<BodyReader> reader;
  std::uint64_t body_bytes() const { return reader ? reader->size() : body.size(); }
};

// application/problem+json (RFC 9457). `parameter`, when not empty, becomes the member "parameter", and `position` the
// place in it.
Response problem(int status, std::string_view title, std::string_view detail, std::string_view parameter = {},
                 std::optional<std::size_t> position = {});

// 413, with the limit in its detail; 0: the request may have no body.
Response body_too_large(std::size_t max_body);

// After a client has ended its side of the connection, its answers are still worked on for this long.
inline constexpr std::chrono::milliseconds kAnswerAfterEnd{300};

// Answers one request. A movable handle; send() may be called from any thread, and only the first call counts.
class Responder {
 public:
  // Takes the answer: a server's connection, or a test's (tests/support/captured_response.h).
  class Connection {
   public:
    virtual ~Connection() = default;
    // Any thread. `route` is a literal: a label for metrics.
    virtual void answer(std::uint64_t sequence, Response response, std::string_view route) = 0;
    // The responder was destroyed without an answer. Any thread.
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
  // is sent: the connection broke, or the client ended its side kAnswerAfterEnd ago. (Until an answer is written, a
  // client that only sends no more looks the same as one that closed the connection; an answer still reaches the
  // former.) To be called by the handler before it returns; the last call counts.
  void on_client_gone(std::function<void()> gone);
  // The route ("/v1/search"; a literal) that Config::on_answer is called with.
  void set_route(std::string_view route) { route_ = route; }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t sequence_;
  std::string_view route_;
};

using Handler = std::function<void(Request&&, Responder)>;

// Decodes "a=1&b=%20" to pairs, in order; '+' is a space. kInvalid: a broken escape.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

// What stands in `path` where `pattern` has the first name in braces ("/v1/collections/{collection}/documents/{id}"),
// or the one after `which` others; undecoded. A name stands for a whole segment. Empty if the path does not match.
std::string_view raw_path_value(std::string_view path, std::string_view pattern, std::size_t which = 0);
// The same, decoded: '+' stays as it is. kInvalid: a broken escape.
Result<std::string> path_value(std::string_view path, std::string_view pattern, std::size_t which = 0);

// Who may ask for what: the access that a route needs, and how a server asks whether a request may be served. The rules
// are somebody else's (common/keys/guard.h).

// kOpen: whoever connects, such as probes and pages without data. The others are for those who may search, change what
// is served, or see how it is served.
enum class Access : std::uint8_t { kOpen, kSearch, kWrite, kAdmin };

// What an admitted request holds: for one, its place among those that its client may have at a time. Destroyed when the
// request is answered or its connection has ended, on any thread.
class Permit {
 public:
  virtual ~Permit() = default;
  // The request asks for `more` things besides the first: it counts as so many further requests. Any thread.
  virtual void charge(std::size_t more) = 0;
};

struct Admittance {
  std::optional<Response> refusal;  // empty: the request is admitted
  std::shared_ptr<Permit> permit;   // may be null
  std::optional<ClientId> client;   // by its key; empty: its address
  std::uint32_t weight = 1;         // its share beside other clients
};

// Called on the io thread with a request's header, before any of its body is read, for routes that are not kOpen.
using Gatekeeper = std::function<Admittance(const Request& header, const ClientAddress& from, Access needed)>;

}  // namespace frond::http
