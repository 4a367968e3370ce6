#pragma once
// Heads: the id, URL and title of a document, stored apart from its body for answers that show no text. A chunk holds
// the heads of adjacent documents, uncompressed. Layout: docs/formats/partition.md. Internal to this folder.
//
// Readers use chunks as mapped, without a checksum of the whole, so each head has a checksum of its own. It also tells
// when the bytes of a file that was cut short read as zeros (mapped_file.h).
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// A chunk ends with the head that fills it.
inline constexpr std::size_t kHeadChunkBytes = 128u << 10;
// A stored head, with its checksum and lengths. Three fields of the lengths that ingest allows fit
// (common/text/limits.h). Longer heads are not stored: their places are empty, and readers take the block of
// stored fields.
inline constexpr std::size_t kMaxHeadBytes = 4u << 10;

// Appends the document's head to `heads`; nothing if it is too long.
void append_head(const StoredDocument& document, DocId docid, ByteBuffer& heads);
// A chunk of the heads of documents from `first` on. ends: where each head ends in `heads`.
ByteBuffer encode_head_chunk(ByteView heads, std::span<const std::uint32_t> ends);

// A chunk of which `count` heads are expected. Any bytes are survived, also bytes that become zeros meanwhile: nothing
// that was read is relied on later.
class HeadChunk {
 public:
  HeadChunk(ByteView bytes, std::uint32_t count) : bytes_(bytes), count_(count) {}
  // Errors: kCorrupt unless the chunk says `count` and its places fit in it. Each place is checked when it is read.
  Result<void> validate() const;
  // The bytes of head `index`, which is below `count`, for parse_head(); empty if the chunk does not have it. Errors:
  // kCorrupt. The chunk is valid.
  Result<ByteView> head(std::uint32_t index) const;
  // Where the place of head `index` is stored, for a prefetch.
  const std::byte* place(std::uint32_t index) const { return bytes_.data() + place_offset(index); }

 private:
  static std::size_t place_offset(std::size_t index) { return sizeof(std::uint32_t) * (1 + index); }
  std::size_t begin_of_heads() const { return place_offset(std::size_t{count_} + 1); }

  ByteView bytes_;
  std::uint32_t count_;
};

// The fields of a head; the body is empty. The views borrow `head`, which is a copy: mapped bytes may change between
// the check and their use. Errors: kCorrupt, also if it is not the head of document `docid`.
Result<StoredDocument> parse_head(ByteView head, DocId docid);

}  // namespace frond::partition
