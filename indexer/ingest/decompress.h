#pragma once
// Compressed streams to plain bytes, piece by piece: gzip, zstd, bzip2 and xz, each possibly several streams end to
// end.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "indexer/ingest/input_limits.h"

namespace frond::indexer::ingest {

enum class Compression { kNone, kGzip, kZstd, kBzip2, kXz };
std::string_view name_of(Compression compression);

// How a file that starts with `head` is compressed; kSniffBytes are enough to tell.
inline constexpr std::size_t kCompressionSniffBytes = 10;
Compression sniff_compression(ByteView head);

// What decompressing xz may take: xz -9 needs 65 MiB. A stream that asks for more is refused.
inline constexpr std::uint64_t kMaxXzMemory = std::uint64_t{80} << 20;

// One compressed file. Memory is fixed, under 4 MiB, but for a zstd frame's window and xz's dictionary, which the
// limits bound, touched as used.
class Decompressor {
 public:
  struct Progress {
    std::size_t consumed = 0, produced = 0;
  };
  virtual ~Decompressor() = default;
  // Decompresses from the front of `in` to the front of `out` (not empty). Nothing consumed and nothing produced: it
  // needs more input. An empty `in` asks for the output still to come. kCorrupt: damaged bytes, or bytes after a
  // stream's end that start no further stream (zero bytes after gzip, bzip2 and xz are padding); the caller knows
  // where. kInvalid: a window or a dictionary that takes more than the limits allow.
  virtual Result<Progress> step(ByteView in, std::span<std::byte> out) = 0;
  // Whether the input may end here: between two streams, all output given.
  virtual bool at_boundary() const = 0;

  static Result<std::unique_ptr<Decompressor>> create(Compression compression, const InputLimits& limits = {});
};

}  // namespace frond::indexer::ingest
