#pragma once
// Compressed streams to plain bytes, piece by piece: gzip, zstd, bzip2 and xz. A file may hold several streams one
// after the other.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::ingest {

// The last two are only of bodies: content_coding.h.
enum class Compression { kNone, kGzip, kZstd, kBzip2, kXz, kZlib, kDeflate };
std::string_view name_of(Compression compression);

// How a file that begins with `head` is compressed. kCompressionSniffBytes are enough to tell.
inline constexpr std::size_t kCompressionSniffBytes = 10;
Compression sniff_compression(ByteView head);

// The memory that decompressing xz may take; xz -9 needs 65 MiB. A stream that needs more is refused.
inline constexpr std::uint64_t kMaxXzMemory = std::uint64_t{80} << 20;

// One compressed file. Takes less than 4 MiB of memory beside the window of a zstd frame or the dictionary of xz, which
// InputLimits bounds and of which only used pages take memory.
class Decompressor {
 public:
  struct Progress {
    std::size_t consumed = 0, produced = 0;
  };
  virtual ~Decompressor() = default;
  // Decompresses from the front of `in` to the front of `out` (not empty). If nothing is consumed and nothing produced,
  // more input is needed. An empty `in` asks for the output still to come. kCorrupt: damaged bytes, or bytes after a
  // stream's end that begin no further stream (zero bytes after gzip, bzip2 and xz are padding); the caller adds the
  // place. kInvalid: a window or a dictionary larger than the limits allow.
  virtual Result<Progress> step(ByteView in, std::span<std::byte> out) = 0;
  // Whether the input may end here: it is between two streams, and all output was given.
  virtual bool at_boundary() const = 0;
  // Whether padding has followed the last stream.
  virtual bool padded() const { return false; }

  static Result<std::unique_ptr<Decompressor>> create(Compression compression, const InputLimits& limits = {});
};

}  // namespace frond::indexer::ingest
