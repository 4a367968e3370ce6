#include "indexer/ingest/content_stream.h"

#include <utility>

#include "indexer/ingest/parse_cost.h"

namespace frond::indexer::ingest {

Result<std::string_view> ContentStream::window() {
  if (!window_.empty()) return window_;
  set_window(as_text(FROND_TRY(source_->read())));
  piece_bytes_ = window_.size();
  return window_;
}

bool ContentStream::may_take_all(LinesAtOnce most) const {
  const std::optional<std::uint64_t> lines = source_->lines_to_take();
  return lines && piece_bytes_ == window_.size() && piece_bytes_ <= most.bytes && *lines < most.lines;
}

std::optional<ContentStream::Taken> ContentStream::take(LinesAtOnce most, std::string& memory) {
  const std::optional<std::uint64_t> lines = source_->lines_to_take();
  if (!lines || piece_bytes_ == 0 || window_.empty()) return std::nullopt;
  const std::size_t front = piece_bytes_ - window_.size();
  if (front > window_.size()) return std::nullopt;  // it would take memory for what is not used
  const std::string_view piece(window_.data() - front, piece_bytes_);
  const std::uint64_t rest = *lines - count_of(piece.substr(0, front), '\n');
  if (window_.size() > most.bytes || rest >= most.lines) return std::nullopt;
  consume(window_.size());
  piece_bytes_ = 0;
  piece_ = nullptr;
  return Taken{source_->take(std::exchange(memory, {})), front, rest};
}

Result<std::string_view> ContentStream::peek(std::size_t bytes) {
  if (window_.size() >= bytes) return window_;
  head_ = std::string(window_);  // which may be a part of it
  while (head_.size() < bytes) {
    const ByteView more = FROND_TRY(source_->read());
    if (more.empty()) break;
    head_.append(as_text(more));
  }
  set_window(head_);
  piece_bytes_ = 0;
  return window_;
}

void ContentStream::put_back(std::string_view bytes) {
  offset_ -= bytes.size();
  piece_bytes_ = 0;
  if (piece_ != nullptr && static_cast<std::size_t>(window_.data() - piece_) >= bytes.size()) {
    window_ = {window_.data() - bytes.size(), window_.size() + bytes.size()};
    return;
  }
  head_ = std::string(bytes).append(window_);
  set_window(head_);
}

}  // namespace frond::indexer::ingest
