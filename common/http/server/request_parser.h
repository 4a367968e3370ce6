#pragma once
// Makes requests of a connection's bytes, one after the other, with Beast's parser. The result does not depend on how
// the bytes are cut into pieces. Any bytes are safe (tests/fuzz/http_request). One thread.
//
// It is strict: where RFC 9112 leaves a choice, it refuses what another reader could split into different requests.
// Beast accepts the following, and checks around it refuse them: a folded field, a second Content-Length (even an equal
// one), a list in one, any Transfer-Encoding but one "chunked", a Transfer-Encoding in HTTP/1.0, no Host or two, an
// invalid Host or target, control characters in a chunk's extensions. Beast itself refuses line ends other than CRLF,
// control characters, names that are not tokens, and Content-Length together with "chunked". One empty line before a
// request is accepted.
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

class BeastRequest;

class RequestParser {
 public:
  struct Limits {
    std::size_t max_header = 16 << 10;  // request line and fields, bytes; a chunked body's extensions and trailers, too
    std::size_t max_body = 1 << 20;     // bytes after chunked decoding; until allow_body() says otherwise
  };
  explicit RequestParser(Limits limits);
  ~RequestParser();

  // kNeedMore: feed the unused bytes again, with more after them. kHeader: the header is whole and a body follows; look
  // at header(), call allow_body(), then feed on. kDone: the request is whole; take() it before feeding on. Without a
  // body there is no kHeader before it. kFailed: answer with failure() and close; what follows can't be understood.
  enum class State { kNeedMore, kHeader, kDone, kFailed };
  struct Progress {
    std::size_t used;
    State state;
  };
  // Uses bytes from the front and returns how many. A header, a chunk's header and the trailers are used as a whole:
  // until then up to Limits::max_header + 1 KiB bytes stay unused. No byte is searched twice for line ends.
  Progress feed(std::string_view bytes);

  // Whether a request has begun and is not whole: its first byte has come, and take() was not called since.
  bool begun() const { return begun_; }
  // The request so far. Valid from kHeader or kDone to take().
  const Request& header() const;
  // After kHeader: sets the limit of this body. False: its Content-Length is larger; answer failure() and close.
  bool allow_body(std::size_t max);
  // True once for each request whose client waits for 100 Continue before it sends the body.
  bool take_expect_continue();
  // Bytes of memory that the request takes, once its header is whole: of a body of known length all of it, even before
  // it comes; of a chunked one what it takes now, or first.
  std::size_t room() const;
  // Of these, those of the header: as it came, and in pieces.
  std::size_t header_room() const { return 2 * header_bytes_; }

  // Whether the connection may stay open after this request. Valid when kDone.
  bool keep_alive() const;
  Request take();
  // 400, 413, 414, 431 or 505, as a problem document. Valid when kFailed.
  const Response& failure() const;

 private:
  enum class Part { kStart, kHeader, kBody, kChunkHeader, kTrailers, kWhole };
  using Step = std::optional<State>;  // nothing: go on

  Step step(std::string_view& rest);
  Step start(std::string_view& rest);
  Step take_header(std::string_view& rest);
  Step take_body(std::string_view& rest);
  Step take_chunk_header(std::string_view& rest);
  Step take_trailers(std::string_view& rest);
  Step find_line(std::string_view rest, std::size_t end, std::string_view too_long);
  Step find_empty_line(std::string_view rest, std::size_t end, std::string_view folded, std::string_view too_long);
  Step go_on(Part next, std::size_t line_begin = 0);
  Step fail(Response failure);
  Step refuse(std::string_view why);

  Limits limits_;
  const std::unique_ptr<std::optional<BeastRequest>> message_;  // has one
  Part part_ = Part::kStart;
  // Positions in the bytes that are not used yet:
  std::size_t line_begin_ = 0;  // of the line whose end is searched
  std::size_t looked_at_ = 0;   // the line does not end before here
  std::string_view line_;       // the last one found, without its CRLF
  std::size_t trailers_end_ = 0;
  std::size_t header_bytes_ = 0;  // of the last request's header
  std::size_t overhead_ = 0;      // bytes of chunk extensions
  bool begun_ = false, forgiven_ = false;
};

}  // namespace frond::http
