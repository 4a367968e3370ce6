#pragma once
// One request through Beast's parser, which stays in the .cc. Internal to this folder. One thread.
//
// Beast is told a header, a chunk's header or all trailers at once, so that nothing depends on how bytes arrive. What
// Beast lets through and RequestParser does not is refused here where it is told in parts: the target, Host, the fields
// that frame, Expect. RequestParser refuses what only the bytes show.
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

class RequestMessage {
 public:
  static constexpr std::size_t kMaxFields = 100;  // and as many trailers

  explicit RequestMessage(std::size_t max_body);
  ~RequestMessage();

  // How many bytes are used: all of a header; of a body what belongs to it, or to the chunk; all of a chunk's header,
  // with the CRLF before it, but none of the last chunk's without the trailers. Nothing: failure() is the answer.
  std::optional<std::size_t> give(std::string_view bytes);

  bool is_header_whole() const;
  bool is_whole() const;
  // Valid from the header's end: how the body is framed, and what is still to come of it or of its chunk.
  bool is_chunked() const;
  std::uint64_t left() const;
  const Request& request() const;
  bool keep_alive() const;
  bool take_expect_continue();
  // What the body may have. False: it has promised more.
  bool allow_body(std::size_t max);

  void refuse(std::string_view why);  // 400
  void refuse_body();                 // 413
  void fail(Response failure);
  const Response& failure() const;

  // The request, and ready for the next one.
  Request take();

 private:
  class Parser;
  struct Impl;
  std::size_t max_body_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace frond::http
