#include "indexer/ingest/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kStoredBytes = 256 << 10, kPlainBytes = 512 << 10;

}  // namespace

ByteSource::ByteSource(files::Descriptor file, std::string path, const InputLimits& limits)
    : file_(std::move(file)), path_(std::move(path)), limits_(limits), stored_(kStoredBytes) {}
ByteSource::~ByteSource() {
  if ((decompressor_ || held_window_ > 0) && limits_.on_window) {
    decompressor_.reset();
    limits_.on_window(0);
  }
}

bool ByteSource::hold_window(std::uint64_t bytes) {
  if (bytes <= held_window_) return true;
  if (bytes > limits_.window_bytes - std::min(limits_.window_bytes, own_window_)) return false;
  held_window_ = bytes;
  if (limits_.on_window) limits_.on_window(own_window_ + held_window_);
  return true;
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::filesystem::path& path, const InputLimits& limits) {
  files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));  // files::open() has another message
  if (!file.valid()) return Error(Code::kUnavailable, path.string() + ": cannot open: " + std::strerror(errno));
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  std::unique_ptr<ByteSource> source(new ByteSource(std::move(file), path.string(), limits));
  // A pipe may give its first bytes one by one.
  while (!source->at_end_ && source->end_ < kCompressionSniffBytes) FROND_TRY(source->fill());
  source->compression_ = sniff_compression(ByteView(source->stored_).first(source->end_));
  if (source->compression_ != Compression::kNone) {
    InputLimits own = limits;
    own.on_window = [to = source.get()](std::uint64_t bytes) {
      to->own_window_ = bytes;
      if (to->limits_.on_window) to->limits_.on_window(to->own_window_ + to->held_window_);
    };
    source->decompressor_ = FROND_TRY(Decompressor::create(source->compression_, own));
    source->plain_.resize(kPlainBytes);
  }
  return source;
}

// Reads more of the file, behind the bytes that are not yet used.
Result<void> ByteSource::fill() {
  if (begin_ > 0) std::memmove(stored_.data(), stored_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  for (;;) {
    const ssize_t got = ::read(file_.get(), stored_.data() + end_, stored_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error(Code::kUnavailable,
                   path_ + ": cannot read at byte " + std::to_string(stored_bytes_) + ": " + std::strerror(errno));
    at_end_ = got == 0;
    end_ += static_cast<std::size_t>(got);
    stored_bytes_ += static_cast<std::uint64_t>(got);
    return {};
  }
}

Error ByteSource::damaged(const Error& why) const {
  const std::uint64_t offset = stored_bytes_ - (end_ - begin_);
  return {why.code(), path_ + ": at byte " + std::to_string(offset) + ": " + why.message()};
}

Result<ByteView> ByteSource::read() {
  if (!decompressor_) {
    if (begin_ == end_ && !at_end_) FROND_TRY(fill());
    const ByteView bytes = ByteView(stored_).subspan(begin_, end_ - begin_);
    begin_ = end_;
    return bytes;
  }
  for (;;) {
    if (begin_ == end_) {
      if (!at_end_) FROND_TRY(fill());
      if (begin_ == end_ && decompressor_->at_boundary()) return ByteView();
    }
    // At the end of the file, output may still come without input.
    const ByteView in = ByteView(stored_).subspan(begin_, end_ - begin_);
    Result<Decompressor::Progress> progress = decompressor_->step(in, plain_);
    if (!progress) return damaged(progress.error());
    begin_ += progress->consumed;
    if (progress->produced > 0) return ByteView(plain_).first(progress->produced);
    if (progress->consumed > 0) continue;
    if (at_end_)
      return damaged(Error(Code::kCorrupt, std::string(name_of(compression_)) + ": the stream is cut short"));
    if (end_ - begin_ == stored_.size())
      return damaged(Error(Code::kCorrupt, std::string(name_of(compression_)) + ": no end in sight"));
    FROND_TRY(fill());
  }
}

}  // namespace frond::indexer::ingest
