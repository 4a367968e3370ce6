#include "indexer/ingest/content_stream.h"

namespace frond::indexer::ingest {

Result<std::string_view> ContentStream::window() {
  if (window_.empty()) window_ = as_text(FROND_TRY(source_->read()));
  return window_;
}

Result<std::string_view> ContentStream::peek(std::size_t bytes) {
  if (window_.size() >= bytes) return window_;
  head_.assign(window_);
  while (head_.size() < bytes) {
    const ByteView more = FROND_TRY(source_->read());
    if (more.empty()) break;
    head_.append(as_text(more));
  }
  window_ = head_;
  return window_;
}

}  // namespace frond::indexer::ingest
