#include "indexer/ingest/streams/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "indexer/ingest/records/parse_record.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kStoredBytes = 256 << 10, kPlainBytes = 512 << 10;
constexpr std::uint64_t kAheadShare = 2;  // of the window that the limits allow, what several threads may take
constexpr std::size_t kMaxReaders = 8, kThreadsAReader = 2;
constexpr std::uint64_t kMemoryForReaders = std::uint64_t{1} << 30;  // a limit beside which theirs is little

}  // namespace

ByteSource::ByteSource(files::Descriptor file, std::string path, const InputLimits& limits)
    : file_(std::move(file)), path_(std::move(path)), limits_(limits), stored_(kStoredBytes) {}
ByteSource::~ByteSource() {
  unpackers_.reset();
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

std::uint64_t ByteSource::window_bytes() const {
  const bool by_threads = compression_ == Compression::kGzip || compression_ == Compression::kBzip2;
  return (by_threads ? limits_.window_bytes / kAheadShare : own_window_) + held_window_;
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::filesystem::path& path, const InputLimits& limits) {
  auto opened = files::open_input(path);
  if (!opened)
    return Error(Code::kUnavailable, path.string() + ": cannot open: " + files::reason_of(opened.error(), path));
  files::Descriptor file = *std::move(opened);
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
    if (source->compression_ == Compression::kGzip || source->compression_ == Compression::kBzip2)
      source->ahead_ = plan_ahead(limits.threads, limits.window_bytes / kAheadShare);
    if (source->ahead_.threads > 0) {
      source->raw_.assign(source->stored_.begin(), source->stored_.begin() + static_cast<std::ptrdiff_t>(source->end_));
      source->raw_ended_ = source->at_end_;
      source->stored_.clear();
      source->end_ = source->stored_bytes_ = 0;
      source->at_end_ = false;
    }
  } else {
    source->begin_ahead();
  }
  return source;
}

void ByteSource::begin_ahead() {
  if (limits_.memory_limit > 0 && limits_.memory_limit < kMemoryForReaders) return;
  const std::size_t readers = std::min<std::size_t>(kMaxReaders, limits_.threads / kThreadsAReader);
  struct stat about {};
  if (readers < 2 || ::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  if (static_cast<std::uint64_t>(about.st_size) < stored_bytes_ + ReadAhead::kMinBytes) return;
  reads_ = std::make_unique<ReadAhead>(file_.get(), stored_bytes_, readers,
                                       readers * ReadAhead::blocks_a_thread(limits_.memory_limit), limits_.read_memory);
}

// 0 bytes: the file's end. An error has the system's message.
Result<std::size_t> ByteSource::read_file(std::span<std::byte> to) const {
  for (;;) {
    const ssize_t got = ::read(file_.get(), to.data(), to.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return Error(Code::kUnavailable, std::strerror(errno));
  }
}

// Reads up to max_bytes more of the file into raw_.
Result<void> ByteSource::read_raw(std::size_t max_bytes) {
  const std::size_t before = raw_.size();
  raw_.resize(before + std::min(max_bytes, kStoredBytes));
  const auto got = read_file(std::span(raw_).subspan(before));
  raw_.resize(before + (got ? *got : 0));
  if (!got) return Error(Code::kUnavailable, path_ + ": cannot read: " + got.error().message());
  raw_ended_ = *got == 0;
  return {};
}

// The next part of the file, not empty unless the file is.
Result<FilePart> ByteSource::cut_part() {
  constexpr std::size_t kLeastHandedOver = 128 << 10;  // so that threads are not busy with handing parts over
  std::size_t searched = kLeastHandedOver, end = 0;
  FilePart part;
  for (bool next_begins_stream = false;;) {
    end = find_stream(compression_, as_text(ByteView(raw_)), searched);
    next_begins_stream = end != std::string_view::npos;
    const bool long_stream = raw_.size() >= ahead_.raw_bytes;
    if (next_begins_stream || long_stream || raw_ended_) {
      if (!next_begins_stream) end = raw_ended_ ? raw_.size() : raw_.size() - kStreamMagicBytes;
      part.tried = std::exchange(raw_begins_stream_, next_begins_stream) && (next_begins_stream || raw_ended_);
      break;
    }
    searched = std::max(searched, raw_.size() - std::min(raw_.size(), kStreamMagicBytes));
    FROND_TRY(read_raw(ahead_.raw_bytes - raw_.size()));
  }
  const auto cut = raw_.begin() + static_cast<std::ptrdiff_t>(end);
  part.raw.assign(raw_.begin(), cut);
  raw_.erase(raw_.begin(), cut);
  return part;
}

// Takes the next part: its content, if a thread has found it, or else its bytes, behind those that are not yet used.
Result<void> ByteSource::fill_from_parts() {
  FilePart part;
  if (!unpackers_ && (!raw_ended_ || !raw_.empty())) {
    part = FROND_TRY(cut_part());
    if (!raw_ended_ || !raw_.empty()) {  // there are more
      unpackers_ = std::make_unique<Unpackers>(compression_, ahead_);
      own_window_ = ahead_.memory;
      if (limits_.on_window) limits_.on_window(own_window_ + held_window_);
      unpackers_->give(std::move(part));
    }
  }
  if (unpackers_) {
    while (!unpackers_->full() && (!raw_ended_ || !raw_.empty())) unpackers_->give(FROND_TRY(cut_part()));
    part = unpackers_->empty() ? FilePart() : unpackers_->take();
  }
  at_end_ = part.raw.empty();
  stored_bytes_ += part.raw.size();
  if (part.whole && begin_ == end_ && decompressor_->at_boundary() && !decompressor_->padded()) {
    for (const std::size_t end : part.ends) note_stream_end(given_ + end);
    content_ = std::move(part.plain);
    content_at_ = 0;
    given_ += content_.size();
    return {};
  }
  stored_.erase(stored_.begin(), stored_.begin() + static_cast<std::ptrdiff_t>(begin_));
  stored_.insert(stored_.end(), part.raw.begin(), part.raw.end());
  begin_ = 0;
  end_ = stored_.size();
  return {};
}

// Reads more of the file, behind the bytes that are not yet used.
Result<void> ByteSource::fill() {
  if (ahead_.threads > 0) return fill_from_parts();
  if (begin_ > 0) std::memmove(stored_.data(), stored_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const auto got = read_file(std::span(stored_).subspan(end_));
  if (!got) return cannot_read(got.error().message());
  at_end_ = *got == 0;
  end_ += *got;
  stored_bytes_ += *got;
  return {};
}

void ByteSource::note_stream_end(std::uint64_t offset) {
  if (stream_ends_.size() == kMaxStreams) stream_ends_.pop_front();
  stream_ends_.push_back(offset);
}

Error ByteSource::cannot_read(const std::string& why) const {
  return {Code::kUnavailable, path_ + ": cannot read at byte " + std::to_string(stored_bytes_) + ": " + why};
}

Error ByteSource::damaged(const Error& why) const {
  const std::uint64_t offset = stored_bytes_ - (end_ - begin_);
  return {why.code(), path_ + ": at byte " + std::to_string(offset) + ": " + why.message()};
}

std::optional<std::uint64_t> ByteSource::lines_to_take() const {
  return read_ahead_ ? std::optional(reads_->lines()) : std::nullopt;
}

std::string ByteSource::take(std::string memory) {
  read_ahead_ = false;
  return reads_->take(std::move(memory));
}

Result<ByteView> ByteSource::read() {
  if (!decompressor_) {
    if (begin_ == end_ && reads_) {
      const auto bytes = reads_->next();
      if (!bytes) return cannot_read(bytes.error().message());
      stored_bytes_ += bytes->size();
      read_ahead_ = !bytes->empty();
      return *bytes;
    }
    if (begin_ == end_ && !at_end_) FROND_TRY(fill());
    const ByteView bytes = ByteView(stored_).subspan(begin_, end_ - begin_);
    begin_ = end_;
    return bytes;
  }
  for (;;) {
    if (content_at_ < content_.size()) {
      const std::size_t bytes = std::min(kPlainBytes, content_.size() - content_at_);
      content_at_ += bytes;
      return ByteView(content_).subspan(content_at_ - bytes, bytes);
    }
    if (begin_ == end_) {
      if (!at_end_) FROND_TRY(fill());
      if (begin_ == end_ && decompressor_->at_boundary()) {
        if (at_end_) return ByteView();
        continue;
      }
    }
    // At the end of the file, output may still come without input.
    const ByteView in = ByteView(stored_).subspan(begin_, end_ - begin_);
    Result<Decompressor::Progress> progress = decompressor_->step(in, plain_);
    if (!progress) return damaged(progress.error());
    begin_ += progress->consumed;
    given_ += progress->produced;
    if (decompressor_->at_boundary()) note_stream_end(given_);
    if (progress->produced > 0) return ByteView(plain_).first(progress->produced);
    if (progress->consumed > 0) continue;
    if (at_end_)
      return damaged(Error(Code::kCorrupt, std::string(name_of(compression_)) + ": the stream is cut short"));
    if (end_ - begin_ >= kStoredBytes)
      return damaged(Error(Code::kCorrupt, std::string(name_of(compression_)) + ": no end in sight"));
    FROND_TRY(fill());
  }
}

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
