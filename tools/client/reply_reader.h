#pragma once
// Parses HTTP/1.1 replies as our broker sends them: bodies with Content-Length, keep-alive. Written by hand because
// `frond load` reads 100,000 replies a second on one core. Safe for any input bytes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::tools {

struct ReplyView {
  int status = 0;
  bool keep_alive = true;
  std::uint32_t retry_after_s = 0;  // Retry-After in seconds; 0: none
  std::string_view body;            // valid until the next call of a non-const member
};

// One reader per connection; one thread. Bytes are appended at the end, replies are taken from the front.
class ReplyReader {
 public:
  static constexpr std::size_t kMaxHead = 64 << 10;
  static constexpr std::size_t kMaxBody = 256 << 20;

  // Room for at least `bytes` more bytes. Report with received() how many were filled.
  char* room(std::size_t bytes);
  std::size_t room_size() const { return buffer_.size() - end_; }
  void received(std::size_t bytes) { end_ += bytes; }

  // The next whole reply; empty: not complete yet. kCorrupt: not HTTP/1.x, no or a bad Content-Length, or a head over
  // kMaxHead; kOverloaded: a body over kMaxBody. The connection cannot be used after that.
  Result<std::optional<ReplyView>> next();
  bool empty() const { return begin_ == end_; }
  void reset();

 private:
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace frond::tools
