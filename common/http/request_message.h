#pragma once
// One request through Beast's parser, which stays in the .cc. Internal to this folder. One thread.
//
// Beast gets a header, a chunk's header or all trailers at once, so that the result does not depend on how bytes
// arrive. Some things that Beast accepts are refused here, where it reports them as parts: a bad target or Host,
// ambiguous framing fields, an unknown Expect. RequestParser refuses what is visible only in the bytes.
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

  // Returns how many bytes were used: all of a header; the part of `bytes` that belongs to the body or chunk; all of a
  // chunk's header with the CRLF before it, but none of the last chunk's without its trailers. nullopt: see failure().
  std::optional<std::size_t> give(std::string_view bytes);

  bool is_header_whole() const;
  bool is_whole() const;
  // Valid once the header is whole: how the body is framed, and the bytes of it, or of its chunk, that are missing.
  bool is_chunked() const;
  std::uint64_t left() const;
  // Bytes of memory for the body: see RequestParser::room().
  std::size_t body_room() const;
  const Request& request() const;
  bool keep_alive() const;
  bool take_expect_continue();
  // Sets the limit of the body. False: its Content-Length is larger.
  bool allow_body(std::size_t max);

  void refuse(std::string_view why);  // 400
  void refuse_body();                 // 413
  void fail(Response failure);
  const Response& failure() const;

  // Returns the request and gets ready for the next one.
  Request take();

 private:
  class Parser;
  struct Impl;
  std::size_t max_body_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace frond::http
