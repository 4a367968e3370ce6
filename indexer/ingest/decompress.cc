#include "indexer/ingest/decompress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "common/base/check.h"

namespace frond::indexer {
namespace {

bool starts_with(ByteView bytes, std::string_view magic) { return as_text(bytes).starts_with(magic); }
bool is_gzip(ByteView head) { return starts_with(head, "\x1f\x8b\x08"); }
// Whether zstd's magic number begins with these bytes, or that of a skippable frame, as parallel compressors write.
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

// What gzip, bzip2 and xz share: streams end to end, zero bytes allowed after the last.
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

 protected:
  virtual Result<void> restart() = 0;
  virtual Result<Progress> advance(ByteView in, std::span<std::byte> out) = 0;
  void stream_ended() { inside_ = false; }

 private:
  bool inside_ = false, padded_ = false;
  std::uint64_t streams_ = 0;
};

class Gzip final : public StreamByStream {
 public:
  Gzip() { FROND_CHECK(inflateInit2(&stream_, 15 + 16) == Z_OK); }
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
  Xz() = default;
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

 private:
  Result<void> restart() override {
    const lzma_ret status = lzma_stream_decoder(&stream_, kMaxXzMemory, 0);  // frees what it had before
    if (status != LZMA_OK) return failed(status);
    return {};
  }
  Result<Progress> advance(ByteView in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_STREAM_END) {
      stream_ended();
    } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
      return failed(status);
    }
    return Progress{in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }
  Error failed(lzma_ret status) const {
    if (status == LZMA_MEMLIMIT_ERROR)
      return {Code::kCorrupt, "xz: its dictionary takes " + std::to_string(lzma_memusage(&stream_) >> 20) +
                                  " MiB, more than " + std::to_string(kMaxXzMemory >> 20) + " MiB"};
    return {Code::kCorrupt, status == LZMA_MEM_ERROR       ? "xz: out of memory"
                            : status == LZMA_FORMAT_ERROR  ? "xz: bytes that are no stream"
                            : status == LZMA_OPTIONS_ERROR ? "xz: a filter that is not supported"
                                                           : "xz: damaged stream"};
  }
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd final : public Decompressor {
 public:
  explicit Zstd(int max_window_log) : context_(ZSTD_createDCtx()) {
    FROND_CHECK(context_ != nullptr);
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, max_window_log);
  }
  ~Zstd() override { ZSTD_freeDCtx(context_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Result<Progress> step(ByteView in, std::span<std::byte> out) override {
    // The library reads frames from before zstd 1.0 too, but only where their magic number comes in one piece.
    const std::size_t missing = std::min(kZstdMagicBytes - magic_.size(), in.size());
    if (missing > 0 && !begins_zstd_frame(magic_ + std::string(as_text(in.first(missing)))))
      return Error(Code::kCorrupt, "zstd: bytes that are no frame");
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
    if (ZSTD_isError(left)) return Error(Code::kCorrupt, std::string("zstd: ") + ZSTD_getErrorName(left));
    // 0 is the end of a frame; a call that did nothing says nothing new.
    if (from.pos > 0 || to.pos > 0) inside_ = left != 0;
    if (inside_)
      magic_ += as_text(in.first(std::min(missing, from.pos)));
    else
      magic_.clear();
    return Progress{from.pos, to.pos};
  }
  bool at_boundary() const override { return !inside_; }

 private:
  ZSTD_DCtx* context_;
  bool inside_ = false;
  std::string magic_;  // of the frame that we are inside of, as far as it was read
};

}  // namespace

std::string_view name_of(Compression compression) {
  constexpr std::string_view kNames[] = {"none", "gzip", "zstd", "bzip2", "xz"};
  return kNames[static_cast<int>(compression)];
}

Compression sniff_compression(ByteView head) {
  if (is_gzip(head)) return Compression::kGzip;
  if (is_zstd(head)) return Compression::kZstd;
  if (is_bzip2(head)) return Compression::kBzip2;
  if (is_xz(head)) return Compression::kXz;
  return Compression::kNone;
}

Result<std::unique_ptr<Decompressor>> Decompressor::create(Compression compression, int max_window_log) {
  switch (compression) {
    case Compression::kGzip:
      return std::unique_ptr<Decompressor>(std::make_unique<Gzip>());
    case Compression::kZstd:
      return std::unique_ptr<Decompressor>(std::make_unique<Zstd>(max_window_log));
    case Compression::kBzip2:
      return std::unique_ptr<Decompressor>(std::make_unique<Bzip2>());
    case Compression::kXz:
      return std::unique_ptr<Decompressor>(std::make_unique<Xz>());
    case Compression::kNone:
      break;
  }
  return Error(Code::kInvalid, "no decompressor for uncompressed bytes");
}

}  // namespace frond::indexer
