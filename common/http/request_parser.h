#pragma once
// Bytes of a connection to Requests, one after the other. Beast's HTTP/1.1 parser is behind it and stays in its .cc.
// Survives any bytes (tests/fuzz/http_request). One thread.
#include <cstddef>
#include <memory>
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

class RequestParser {
 public:
  struct Limits {
    std::size_t max_header = 16 << 10;  // start line and fields, bytes
    std::size_t max_body = 1 << 20;     // bytes after chunked decoding
  };
  explicit RequestParser(Limits limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class State { kNeedMore, kDone, kFailed };
  // Uses bytes from the front and says how many. kNeedMore: what was not used must come again with more behind it.
  // kDone: take() the request before feeding on. kFailed: answer failure() and close; the stream is lost.
  struct Progress {
    std::size_t used;
    State state;
  };
  Progress feed(std::string_view bytes);

  // True from the header's end, once, for a client that waits for 100 Continue before it sends its body.
  bool take_expect_continue();
  // Whether the connection may live on after this request. Valid when kDone.
  bool keep_alive() const;
  Request take();
  // 400, 413, 431 or 505, as a problem document. Valid when kFailed.
  const Response& failure() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace frond::http
