#include "indexer/ingest/streams/decompress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "common/base/check.h"

namespace frond::indexer::ingest {
namespace {

bool starts_with(ByteView bytes, std::string_view magic) { return as_text(bytes).starts_with(magic); }
bool is_gzip(ByteView head) { return starts_with(head, "\x1f\x8b\x08"); }
// Whether these bytes are the beginning of zstd's magic number, or of a skippable frame's, which parallel compressors
// write.
constexpr std::size_t kZstdMagicBytes = 4;
bool begins_zstd_frame(std::string_view magic) {
  if (std::string_view("\x28\xb5\x2f\xfd").starts_with(magic)) return true;
  return (static_cast<unsigned char>(magic[0]) & 0xf0) == 0x50 &&
         std::string_view("\x2a\x4d\x18").starts_with(magic.substr(1));
}
bool is_zstd(ByteView head) {
  return head.size() >= kZstdMagicBytes && begins_zstd_frame(as_text(head.first(kZstdMagicBytes)));
}
bool is_bzip2(ByteView head) {
  if (head.size() < 10 || !starts_with(head, "BZh")) return false;
  const char level = as_text(head)[3];
  const ByteView block = head.subspan(4);
  // A block, or the end of an empty stream.
  return level >= '1' && level <= '9' &&
         (starts_with(block, "1AY&SY") || starts_with(block, "\x17\x72\x45\x38\x50\x90"));
}

bool is_xz(ByteView head) {
  return starts_with(head, std::string_view("\xfd"
                                            "7zXZ\0",
                                            6));
}

unsigned clipped(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

// What gzip, bzip2 and xz have in common: several streams may follow one another, and zero bytes the last one.
class StreamByStream : public Decompressor {
 public:
  Result<Progress> step(ByteView in, std::span<std::byte> out) final {
    if (!inside_) {
      std::size_t zeros = 0;
      while (streams_ > 0 && zeros < in.size() && in[zeros] == std::byte{0}) ++zeros;
      if (zeros > 0) {
        padded_ = true;
        return Progress{zeros, 0};
      }
      if (padded_) return Error(Code::kCorrupt, "bytes after the padding behind the last stream");
      FROND_TRY(restart());
      inside_ = true;
      ++streams_;
    }
    return advance(in, out);
  }
  bool at_boundary() const final { return !inside_; }
  bool padded() const final { return padded_; }

 protected:
  virtual Result<void> restart() = 0;
  virtual Result<Progress> advance(ByteView in, std::span<std::byte> out) = 0;
  void stream_ended() { inside_ = false; }

 private:
  bool inside_ = false, padded_ = false;
  std::uint64_t streams_ = 0;
};

// gzip; or the same data in zlib's format, or without any head.
class Gzip final : public StreamByStream {
 public:
  explicit Gzip(int window_bits = 15 + 16) { FROND_CHECK(inflateInit2(&stream_, window_bits) == Z_OK); }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

 private:
  Result<void> restart() override {
    if (inflateReset(&stream_) != Z_OK) return Error(Code::kCorrupt, "gzip: cannot start a stream");
    return {};
  }
  Result<Progress> advance(ByteView in, std::span<std::byte> out) override {
    const unsigned in_bytes = clipped(in.size()), out_bytes = clipped(out.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));  // zlib only reads it
    stream_.avail_in = in_bytes;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_bytes;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      stream_ended();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return Error(Code::kCorrupt, std::string("gzip: ") + (stream_.msg ? stream_.msg : "damaged stream"));
    }
    return Progress{in_bytes - stream_.avail_in, out_bytes - stream_.avail_out};
  }
  z_stream stream_{};
};

class Bzip2 final : public StreamByStream {
 public:
  Bzip2() = default;
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;

 private:
  Result<void> restart() override {
    BZ2_bzDecompressEnd(&stream_);  // does nothing the first time
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) return Error(Code::kCorrupt, "bzip2: out of memory");
    return {};
  }
  Result<Progress> advance(ByteView in, std::span<std::byte> out) override {
    const unsigned in_bytes = clipped(in.size()), out_bytes = clipped(out.size());
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));  // bzip2 only reads it
    stream_.avail_in = in_bytes;
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = out_bytes;
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_STREAM_END) {
      stream_ended();
    } else if (status != BZ_OK) {
      return Error(Code::kCorrupt, status == BZ_MEM_ERROR          ? "bzip2: out of memory"
                                   : status == BZ_DATA_ERROR_MAGIC ? "bzip2: bytes that are no stream"
                                                                   : "bzip2: damaged stream");
    }
    return Progress{in_bytes - stream_.avail_in, out_bytes - stream_.avail_out};
  }
  bz_stream stream_{};
};

class Xz final : public StreamByStream {
 public:
  explicit Xz(const InputLimits& limits) : limits_(limits) {}
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

 private:
  Result<void> restart() override {
    const lzma_ret status = lzma_stream_decoder(&stream_, memory_, 0);  // frees what it had before
    if (status != LZMA_OK) return failed(status);
    return {};
  }
  Result<Progress> advance(ByteView in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    while (status == LZMA_MEMLIMIT_ERROR) {
      FROND_TRY(allow(lzma_memusage(&stream_)));
      status = lzma_code(&stream_, LZMA_RUN);
    }
    if (status == LZMA_STREAM_END) {
      stream_ended();
    } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
      return failed(status);
    }
    return Progress{in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }
  // The decoder may take `bytes`, and stops before it takes more; then the need of the block at hand is known.
  Result<void> allow(std::uint64_t bytes) {
    if (bytes > std::min(kMaxXzMemory, limits_.window_bytes))
      return Error(Code::kInvalid, "xz: " + limits_.too_wide("a dictionary that takes", bytes, kMaxXzMemory));
    const lzma_ret status = lzma_memlimit_set(&stream_, bytes);
    if (status != LZMA_OK) return failed(status);
    memory_ = bytes;
    if (limits_.on_window) limits_.on_window(memory_);
    return {};
  }
  static Error failed(lzma_ret status) {
    return {Code::kCorrupt, status == LZMA_MEM_ERROR       ? "xz: out of memory"
                            : status == LZMA_FORMAT_ERROR  ? "xz: bytes that are no stream"
                            : status == LZMA_OPTIONS_ERROR ? "xz: a filter that is not supported"
                                                           : "xz: damaged stream"};
  }
  InputLimits limits_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::uint64_t memory_ = 1;  // which no block keeps to
};
// The window that a frame beginning with `head` needs: RFC 8878, 3.1.1.1. No value: more bytes are needed to tell.
constexpr std::size_t kZstdHeadBytes = 17;  // magic, descriptor, up to 4 bytes of a dictionary's id, up to 8 of a size
std::optional<std::uint64_t> window_of(std::string_view head) {
  if (head.size() < kZstdMagicBytes + 1) return std::nullopt;
  const auto at = [head](std::size_t place) { return static_cast<std::uint8_t>(head[place]); };
  if ((at(0) & 0xf0) == 0x50) return 0;  // a skippable frame has none
  const std::uint8_t descriptor = at(4);
  const bool single_segment = (descriptor & 0x20) != 0;
  if (!single_segment) {
    if (head.size() < 6) return std::nullopt;
    const std::uint64_t base = std::uint64_t{1} << (10 + (at(5) >> 3));
    return base + base / 8 * (at(5) & 7);
  }
  // The whole content is one segment, as long as its size says.
  constexpr std::size_t kIdBytes[] = {0, 1, 2, 4}, kSizeBytes[] = {1, 2, 4, 8};
  const std::size_t begin = 5 + kIdBytes[descriptor & 3], bytes = kSizeBytes[descriptor >> 6];
  if (head.size() < begin + bytes) return std::nullopt;
  std::uint64_t size = bytes == 2 ? 256 : 0;
  for (std::size_t i = 0; i < bytes; ++i) size += std::uint64_t{at(begin + i)} << (8 * i);
  return size;
}

class Zstd final : public Decompressor {
 public:
  explicit Zstd(const InputLimits& limits) : limits_(limits), context_(ZSTD_createDCtx()) {
    FROND_CHECK(context_ != nullptr);
    // Our limit is checked by us; the library's must be a power of two, so it is the next larger one.
    const auto log = static_cast<int>(std::bit_width(std::max<std::uint64_t>(limits.window_bytes, 1 << 10) - 1));
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, log);
  }
  ~Zstd() override { ZSTD_freeDCtx(context_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Result<Progress> step(ByteView in, std::span<std::byte> out) override {
    const std::size_t missing = std::min(kZstdHeadBytes - head_.size(), in.size());
    if (missing > 0) FROND_TRY(look_at(head_ + std::string(as_text(in.first(missing)))));
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
    if (ZSTD_isError(left)) return Error(Code::kCorrupt, std::string("zstd: ") + ZSTD_getErrorName(left));
    // 0 means the end of a frame, unless the call did nothing.
    if (from.pos > 0 || to.pos > 0) inside_ = left != 0;
    if (inside_)
      head_ += as_text(in.first(std::min(missing, from.pos)));
    else
      start_anew();
    return Progress{from.pos, to.pos};
  }
  bool at_boundary() const override { return !inside_; }

 private:
  Result<void> look_at(const std::string& head) {
    // The library also reads frames from before zstd 1.0, but only if their magic number comes in one piece.
    if (!begins_zstd_frame(std::string_view(head).substr(0, kZstdMagicBytes)))
      return Error(Code::kCorrupt, "zstd: bytes that are no frame");
    const auto window = window_of(head);
    if (!window || checked_) return {};
    if (*window > limits_.window_bytes)
      return Error(Code::kInvalid, "zstd: " + limits_.too_wide("a window of", *window));
    checked_ = true;
    if (*window <= window_) return {};
    window_ = *window;  // the library keeps the largest
    if (limits_.on_window) limits_.on_window(window_);
    return {};
  }
  void start_anew() {
    head_.clear();
    checked_ = false;
  }

  InputLimits limits_;
  ZSTD_DCtx* context_;
  bool inside_ = false;
  std::string head_;      // of the frame that we are inside of, as far as it was read
  bool checked_ = false;  // that frame's window
  std::uint64_t window_ = 0;
};

}  // namespace

std::string_view name_of(Compression compression) {
  constexpr std::string_view kNames[] = {"none", "gzip", "zstd", "bzip2", "xz", "zlib", "deflate"};
  return kNames[static_cast<int>(compression)];
}

Compression sniff_compression(ByteView head) {
  if (is_gzip(head)) return Compression::kGzip;
  if (is_zstd(head)) return Compression::kZstd;
  if (is_bzip2(head)) return Compression::kBzip2;
  if (is_xz(head)) return Compression::kXz;
  return Compression::kNone;
}

Result<std::unique_ptr<Decompressor>> Decompressor::create(Compression compression, const InputLimits& limits) {
  std::unique_ptr<Decompressor> made;
  if (compression == Compression::kGzip) made = std::make_unique<Gzip>();
  if (compression == Compression::kZstd) made = std::make_unique<Zstd>(limits);
  if (compression == Compression::kBzip2) made = std::make_unique<Bzip2>();
  if (compression == Compression::kXz) made = std::make_unique<Xz>(limits);
  if (compression == Compression::kZlib) made = std::make_unique<Gzip>(15);
  if (compression == Compression::kDeflate) made = std::make_unique<Gzip>(-15);
  if (made) return made;
  return Error(Code::kInvalid, "no decompressor for uncompressed bytes");
}

}  // namespace frond::indexer::ingest
