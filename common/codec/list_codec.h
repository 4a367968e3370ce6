#pragma once
// Seam: the numbers of one posting list (docIDs, or frequencies) to bytes and back, a block at a time.
//
// A stream is the code of one list of one kind of number inside a list blob. It starts on a 16-byte boundary of its
// blob, is position-independent, and is laid out so that one warp or one thread block of a GPU can decode any block of
// it. Lists of fewer than kBlockLength postings never come here: the short form of the blob packs them itself
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
// Readable bytes that a caller keeps after any blob: decoders load whole vectors.
inline constexpr std::size_t kReadSlack = 64;

enum class Numbers : std::uint8_t {
  kDocIds,       // strictly ascending, below kNoDoc
  kFrequencies,  // each at least 1
};

// What a codec is. A new byte layout takes a new name and a new id; old ones stay readable, and no id is used twice.
struct CodecInfo {
  std::string_view name;
  std::uint8_t id;          // recorded with every list; 0 is none
  std::string_view family;  // "byte", "binary packing", "rice", "patched", "linear regression"
  std::string_view source;  // paper and section
  bool docids = true;       // kinds that it encodes
  bool frequencies = true;
  bool encodes(Numbers kind) const { return kind == Numbers::kDocIds ? docids : frequencies; }
};

class ListCodec {
 public:
  virtual ~ListCodec() = default;
  // Constant; lives as long as the program.
  virtual const CodecInfo& info() const = 0;
  std::string_view name() const { return info().name; }
  std::uint8_t id() const { return info().id; }
  // Appends the stream of 1 .. 2^32-2 numbers, of a kind that it encodes, to `out`, whose size is a multiple of 16
  // before and after. A stream has less than 2^32 bytes.
  virtual void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const = 0;
  // Decodes block `block` of the stream of `count` numbers into out[0 .. kBlockLength): all 128 may be written, the
  // numbers of the block are valid. block < ceil(count / kBlockLength). `before` is the docID before the block's first
  // (the previous block's last), kNoDoc for block 0; unused for frequencies. Any bytes are survived: kCorrupt, or
  // garbage numbers, never an access outside stream + kReadSlack or out. Even garbage docIDs ascend strictly from
  // `before`, and garbage frequencies are at least 1.
  virtual Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                              std::span<std::uint32_t, kBlockLength> out) const = 0;

 protected:
  Error corrupt_block(std::string_view what, std::uint32_t block) const;
};

// The table of codecs, in registry.cc. Null: no such codec.
std::span<const ListCodec* const> all_codecs();
const ListCodec* codec_named(std::string_view name);
const ListCodec* codec_with_id(std::uint8_t id);
inline constexpr std::string_view kDefaultCodec = "simd-bp128";

}  // namespace frond::codec
