#pragma once
// The content of one file, with the place that was reached in it.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/byte_source.h"

namespace frond::indexer::ingest {

// How many lines to cut at a time. A cut of several has at most twice as many bytes.
struct LinesAtOnce {
  std::size_t bytes = 0;  // 0: one record at a time
  std::uint32_t lines = 0;
};

// One thread. Errors as ByteSource's.
class ContentStream {
 public:
  explicit ContentStream(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  // What is left of the piece at hand; reads the next piece if nothing is. Empty: the end. Valid until the next call.
  Result<std::string_view> window();
  void consume(std::size_t bytes) {
    window_.remove_prefix(bytes);
    offset_ += bytes;
  }
  // The same piece as memory of its own, if it may be taken and has no more bytes than `most`, and fewer lines. The
  // part of it that was consumed before is `front`.
  struct Taken {
    std::string bytes;
    std::size_t front = 0;
    std::uint64_t lines = 0;  // that end behind `front`
  };
  // Behind window(), which gave this piece. It is consumed then. `memory` is used in its place, and empty then.
  std::optional<Taken> take(LinesAtOnce most, std::string& memory);
  // Whether nothing of the piece at hand is consumed and take() would give it.
  bool may_take_all(LinesAtOnce most) const;
  // The next `bytes` of the content, or all if there are fewer; more if they were read anyway. Not consumed. Valid
  // until the next call, as what window() gives then.
  Result<std::string_view> peek(std::size_t bytes);
  // Gives back bytes that were the last to be consumed. They are read again. Copies them, and the rest of the piece, if
  // they were not all of the piece at hand.
  void put_back(std::string_view bytes);
  // As ByteSource::hold_window().
  bool hold_window(std::uint64_t bytes) { return source_->hold_window(bytes); }
  std::uint64_t offset() const { return offset_; }  // of the first byte that is not consumed
  const ByteSource& source() const { return *source_; }

 private:
  void set_window(std::string_view piece) {
    window_ = piece;
    piece_ = piece.data();
  }

  std::unique_ptr<ByteSource> source_;
  std::string head_;  // the pieces that peek() joined
  std::string_view window_;
  const char* piece_ = nullptr;  // where the piece begins that the window is the rest of
  std::uint64_t offset_ = 0;
  std::size_t piece_bytes_ = 0;  // of the piece that the window is the rest of, as the source gave it; 0: another one
};

}  // namespace frond::indexer::ingest
