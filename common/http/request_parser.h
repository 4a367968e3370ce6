#pragma once
// Bytes of a connection to Requests, one after the other. Survives any bytes (tests/fuzz/http_request). What it makes
// of them does not depend on how they are cut. Beast parses. One thread.
//
// Strict: where RFC 9112 lets a server choose, what another reader could cut into other requests is refused. Beast
// takes these, and the checks around it refuse them: a folded field, a second Content-Length (an equal one, too), a
// list in one, any Transfer-Encoding but one "chunked", a Transfer-Encoding in HTTP/1.0, no Host or two of them, a Host
// or a target that is none, control characters in a chunk's extensions. Beast itself refuses the rest: line ends other
// than CRLF, control characters, names that are no tokens, both a Content-Length and "chunked". One empty line before a
// request is forgiven.
#include <cstddef>
#include <optional>
#include <string_view>

#include "common/http/request_message.h"

namespace frond::http {

class RequestParser {
 public:
  struct Limits {
    std::size_t max_header = 16 << 10;  // request line and fields, bytes; a chunked body's extensions and trailers, too
    std::size_t max_body = 1 << 20;     // bytes after chunked decoding; until allow_body() says otherwise
  };
  explicit RequestParser(Limits limits) : limits_(limits), message_(limits.max_body) {}

  // kNeedMore: what was not used must come again with more behind it. kHeader: the header is whole, and a body follows:
  // see header(), say allow_body(), then feed on. kDone: the request is whole; take() it before feeding on; comes
  // without a kHeader where there is no body. kFailed: answer failure() and close; the stream is lost.
  enum class State { kNeedMore, kHeader, kDone, kFailed };
  struct Progress {
    std::size_t used;
    State state;
  };
  // Uses bytes from the front and says how many. A header is used as a whole, and so are a chunk's header and the
  // trailers: up to Limits::max_header and 1 KiB stay unused meanwhile. No byte is looked through twice.
  Progress feed(std::string_view bytes);

  // Whether the first byte of a request has come. Only then is its client expected to go on.
  bool begun() const { return begun_; }
  // The request so far. Valid from kHeader or kDone to take().
  const Request& header() const { return message_.request(); }
  // After kHeader: what this request's body may have. False: it has promised more; answer failure() and close.
  bool allow_body(std::size_t max) { return message_.allow_body(max); }
  // True from the header's end, once, for a client that waits for 100 Continue before it sends its body.
  bool take_expect_continue() { return message_.take_expect_continue(); }
  // Memory that an unfinished body takes now.
  std::size_t body_capacity() const;

  // Whether the connection may live on after this request. Valid when kDone.
  bool keep_alive() const { return message_.keep_alive(); }
  Request take();
  // 400, 413, 414, 431 or 505, as a problem document. Valid when kFailed.
  const Response& failure() const { return message_.failure(); }

 private:
  enum class Part { kStart, kHeader, kBody, kChunkHeader, kTrailers, kWhole };
  enum class Found { kLine, kNeedMore, kTooLong, kBareLineFeed, kFolded };
  using Step = std::optional<State>;  // nothing: go on

  Step step(std::string_view& rest);
  Step start(std::string_view& rest);
  Step take_header(std::string_view& rest);
  Step take_body(std::string_view& rest);
  Step take_chunk_header(std::string_view& rest);
  Step take_trailers(std::string_view& rest);
  Found find_line(std::string_view rest, std::size_t end);
  Found find_empty_line(std::string_view rest, std::size_t end);
  Step go_on(Part next, std::size_t line_begin = 0);
  Step refuse(std::string_view why);

  Limits limits_;
  RequestMessage message_;
  Part part_ = Part::kStart;
  // In the bytes that are not used yet:
  std::size_t line_begin_ = 0;  // of the line that is looked for
  std::size_t looked_at_ = 0;   // it does not end before here
  std::string_view line_;       // the last one found, without its CRLF
  std::size_t trailers_end_ = 0;
  std::size_t overhead_ = 0;  // bytes of chunk extensions
  bool begun_ = false, forgiven_ = false;
};

}  // namespace frond::http
