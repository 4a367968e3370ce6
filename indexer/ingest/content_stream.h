#pragma once
// The content of one file, with the place that was reached in it.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/byte_source.h"

namespace frond::indexer::ingest {

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
  // The first `bytes` of the content, or all if there are fewer; more if they were read anyway. Only before the first
  // consume().
  Result<std::string_view> peek(std::size_t bytes);
  // As ByteSource::hold_window().
  bool hold_window(std::uint64_t bytes) { return source_->hold_window(bytes); }
  std::uint64_t offset() const { return offset_; }  // of the first byte that is not consumed
  const ByteSource& source() const { return *source_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // the pieces that peek() joined
  std::string_view window_;
  std::uint64_t offset_ = 0;
};

}  // namespace frond::indexer::ingest
