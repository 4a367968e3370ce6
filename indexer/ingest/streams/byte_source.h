#pragma once
// A file's content, decompressed by the method that its first bytes name, through buffers of fixed size. gzip and bzip2
// files of many streams are decompressed by limits.threads threads, and large files that are not compressed read by
// half of these.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "indexer/ingest/streams/decompress.h"
#include "indexer/ingest/streams/read_ahead.h"

namespace frond::indexer::ingest {

class ByteSource {
 public:
  // kUnavailable: the file can't be opened or read.
  static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path, const InputLimits& limits = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The next bytes of the content, valid until the next call; empty at the end. kCorrupt: the compressed stream is
  // damaged or cut short; kInvalid: its window is too long; kUnavailable: reading failed. Messages name the file and
  // the offset in it.
  Result<ByteView> read();
  // How many line feeds the bytes have that read() gave last, if they may be taken; no value if they may not.
  std::optional<std::uint64_t> lines_to_take() const;
  // These bytes themselves, so that they need not be copied; `memory` is used in their place. Once after read().
  std::string take(std::string memory);
  // Whether one of the streams that the file is compressed in, such as a member of gzip, ends at this place of the
  // content, which was read. Knows the last kMaxStreams.
  static constexpr std::size_t kMaxStreams = 1 << 20;
  bool ends_stream(std::uint64_t offset) const { return std::ranges::binary_search(stream_ends_, offset); }
  // A decoder of what is in the file is about to take a window of so many bytes: tells it to limits.on_window, with the
  // file's own, once for the largest. False: the limits do not allow both.
  bool hold_window(std::uint64_t bytes);
  // The memory that windows of this file may take, for deciding which records fit beside them: of gzip and bzip2 with
  // what several threads might take, whether there are any or not, so that the number of threads decides nothing.
  std::uint64_t window_bytes() const;
  // Bytes of the stored (compressed) file that were read so far.
  std::uint64_t stored_bytes_read() const { return stored_bytes_; }
  Compression compression() const { return compression_; }

 private:
  ByteSource(files::Descriptor file, std::string path, const InputLimits& limits);
  Result<std::size_t> read_file(std::span<std::byte> to) const;
  Result<void> fill();
  Result<void> fill_from_parts();
  void begin_ahead();
  Result<void> read_raw(std::size_t max_bytes);
  Result<FilePart> cut_part();
  void note_stream_end(std::uint64_t offset);
  Error damaged(const Error& why) const;
  Error cannot_read(const std::string& why) const;

  files::Descriptor file_;
  std::string path_;
  std::uint64_t own_window_ = 0, held_window_ = 0;
  InputLimits limits_;
  Compression compression_ = Compression::kNone;
  std::unique_ptr<Decompressor> decompressor_;  // null: the file is not compressed
  ByteBuffer stored_, plain_;
  std::size_t begin_ = 0, end_ = 0;   // of stored_ not yet used
  std::uint64_t stored_bytes_ = 0;    // read from the file, stored_[begin_, end_) among them
  bool at_end_ = false;               // of the file
  std::unique_ptr<ReadAhead> reads_;  // what is behind stored_, if the file is large and not compressed
  bool read_ahead_ = false;           // what read() gave last came from there
  // If several threads decompress: what was read, but not yet cut into parts; the parts; the content of the part at
  // hand.
  AheadPlan ahead_;
  ByteBuffer raw_;
  bool raw_begins_stream_ = true, raw_ended_ = false;
  std::unique_ptr<Unpackers> unpackers_;
  ByteBuffer content_;
  std::size_t content_at_ = 0;
  std::uint64_t given_ = 0;                // bytes of content, by decompressor_ or of parts that were taken
  std::deque<std::uint64_t> stream_ends_;  // places in the content
};

// The content of one file, with the place that was reached in it.

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
