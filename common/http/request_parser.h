#pragma once
// Bytes of a connection to Requests, one after the other. Survives any bytes (tests/fuzz/http_request); what it makes
// of them does not depend on how they are cut. One thread.
//
// Strict: where RFC 9112 lets a server choose, what another reader could cut into other requests is refused (see
// request_head.h). Lines end in CRLF. One empty line before a request is forgiven.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/http/request_head.h"

namespace frond::http {

class RequestParser {
 public:
  struct Limits {
    std::size_t max_header = 16 << 10;  // request line and fields, bytes; a chunked body's extensions and trailers, too
    std::size_t max_body = 1 << 20;     // bytes after chunked decoding; until allow_body() says otherwise
  };
  explicit RequestParser(Limits limits) : limits_(limits), max_body_(limits.max_body) {}

  // kNeedMore: what was not used must come again with more behind it. kHeader: the header is whole, and a body follows:
  // see header(), say allow_body(), then feed on. kDone: the request is whole; take() it before feeding on; comes
  // without a kHeader where there is no body. kFailed: answer failure() and close; the stream is lost.
  enum class State { kNeedMore, kHeader, kDone, kFailed };
  struct Progress {
    std::size_t used;
    State state;
  };
  // Uses bytes from the front and says how many.
  Progress feed(std::string_view bytes);

  // Whether the first byte of a request has come. Only then is its client expected to go on.
  bool begun() const { return begun_; }
  // The request so far. Valid from kHeader or kDone to take().
  const Request& header() const { return head_.request(); }
  // After kHeader: what this request's body may have. False: it has promised more; answer failure() and close.
  bool allow_body(std::size_t max);
  // True from the header's end, once, for a client that waits for 100 Continue before it sends its body.
  bool take_expect_continue();
  // Memory that an unfinished body takes now.
  std::size_t body_capacity() const;

  // Whether the connection may live on after this request. Valid when kDone.
  bool keep_alive() const { return head_.keep_alive(); }
  Request take();
  // 400, 413, 414, 431 or 505, as a problem document. Valid when kFailed.
  const Response& failure() const { return failure_ ? *failure_ : head_.failure(); }

 private:
  enum class Part { kStart, kRequestLine, kFields, kLength, kChunkSize, kChunk, kChunkEnd, kTrailers, kWhole };
  enum class Step { kOn, kNeedMore, kHeader, kDone, kFailed };
  enum class Found { kLine, kNeedMore, kTooLong, kBareLineFeed };

  Step step(std::string_view& rest);
  Step start(std::string_view& rest);
  Step take_header_line(std::string_view& rest);
  Step end_header();
  Step take_body(std::string_view& rest, Part next);
  Step take_chunk_size(std::string_view& rest);
  Step take_chunk_end(std::string_view& rest);
  Step take_trailer(std::string_view& rest);
  Found find_line(std::string_view rest, std::size_t limit);
  std::string_view take_line(std::string_view& rest);
  Step refuse(std::string_view why);
  Step too_large();

  Limits limits_;
  RequestHead head_;
  Part part_ = Part::kStart;
  std::size_t max_body_;
  std::uint64_t left_ = 0;     // of the body or the chunk
  std::size_t overhead_ = 0;   // bytes of the header; then of chunk extensions and trailers
  std::size_t trailers_ = 0;   // lines
  std::size_t looked_at_ = 0;  // bytes of an unfinished line that have no end in them
  std::size_t line_ = 0;       // the length of the line found, without its CRLF
  std::optional<Response> failure_;
  bool begun_ = false, forgiven_ = false, awaited_ = false;
};

}  // namespace frond::http
