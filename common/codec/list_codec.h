#pragma once
// Seam: encodes the docIDs or the frequencies of one posting list to bytes, and decodes them a block at a time.
//
// A stream is the code of one list's docIDs, or of its frequencies, inside a list blob. It starts on a 16-byte boundary
// of its blob, holds no addresses, and any block of it can be decoded alone, by one warp or one thread block of a GPU.
// Lists of fewer than kBlockLength postings have no streams: the short form of the blob packs them
// (docs/formats/list-blob.md).
//
// Implementations hold no mutable state; every method may be called from any thread.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::codec {

inline constexpr std::uint32_t kBlockLength = 128;  // numbers in every block but the last
// Bytes after any blob that the caller keeps readable, since decoders load whole vectors.
inline constexpr std::size_t kReadSlack = 64;

enum class Numbers : std::uint8_t {
  kDocIds,       // strictly ascending, below kNoDoc
  kFrequencies,  // each at least 1
};

// Describes a codec. A new byte layout takes a new name and a new id. Old layouts stay readable; no id is used twice.
struct CodecInfo {
  std::string_view name;
  std::uint8_t id;          // stored with every list; 0 is none
  std::string_view family;  // "byte", "binary packing", "rice", "patched", "linear regression"
  std::string_view source;  // paper and section
  bool docids = true;       // whether it encodes docIDs,
  bool frequencies = true;  // and frequencies
  bool encodes(Numbers kind) const { return kind == Numbers::kDocIds ? docids : frequencies; }
};

class ListCodec {
 public:
  virtual ~ListCodec() = default;
  // Constant; lives as long as the program.
  virtual const CodecInfo& info() const = 0;
  std::string_view name() const { return info().name; }
  std::uint8_t id() const { return info().id; }
  // Appends the numbers' stream to `out`, whose size is a multiple of 16 afterwards. A stream has less than 2^32 bytes.
  // REQUIRES: 1 .. 2^32-2 numbers, of a kind that the codec encodes; out.size() is a multiple of 16.
  virtual void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const = 0;
  // Decodes a block of the stream of `count` numbers to the front of `out`; what follows the block's numbers in `out`
  // may be overwritten. before: the last docID of the previous block, kNoDoc for block 0; unused for frequencies. Any
  // bytes are survived: the result is kCorrupt or garbage numbers, and nothing outside stream + kReadSlack is read.
  // Even garbage docIDs ascend strictly from `before`, and garbage frequencies are at least 1.
  // REQUIRES: block < ceil(count / kBlockLength); kReadSlack bytes after `stream` are readable.
  virtual Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                              std::span<std::uint32_t, kBlockLength> out) const = 0;

 protected:
  Error corrupt_block(std::string_view what, std::uint32_t block) const;
};

// The table of codecs, in list_codec.cc; the look-ups return null where there is no such codec.
std::span<const ListCodec* const> all_codecs();
const ListCodec* codec_named(std::string_view name);
const ListCodec* codec_with_id(std::uint8_t id);
inline constexpr std::string_view kDefaultCodec = "simd-bp128";

}  // namespace frond::codec
