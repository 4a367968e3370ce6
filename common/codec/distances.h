#pragma once
// Codecs store distances in place of a block's numbers: of a docID, its distance to the previous docID minus one
// (before a list's first docID is kNoDoc, that is -1, so the first is stored as it is); of a frequency, it minus one.
// Sums are modulo 2^32.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Writes one distance for each number (of one block). before: as in ListCodec::decode; unused for frequencies.
void to_distances(std::span<const std::uint32_t> numbers, Numbers kind, DocId before, std::uint32_t* distances);

// Turns distances into numbers, in place. Returns false if no numbers have these distances: docIDs do not ascend from
// `before` because a sum wrapped around, or a frequency is 0.
// REQUIRES: at least one.
[[nodiscard]] bool from_distances(std::span<std::uint32_t> block, Numbers kind, DocId before);

// The same for the first `size` numbers of the buffer. All of the buffer is computed and written, so that a block that
// is not full is as fast as a full one.
// REQUIRES: 1 <= size <= kBlockLength.
[[nodiscard]] bool from_distances(std::span<std::uint32_t, kBlockLength> buffer, std::uint32_t size, Numbers kind,
                                  DocId before);

// Sums a block's differences (distances not less one) to docIDs after `before`, in place, without any check.
void add_differences(std::span<std::uint32_t, kBlockLength> block, DocId before);

// Whether these docIDs ascend strictly, and from `before` on unless that is kNoDoc.
// REQUIRES: at least one.
bool ascend(DocId before, std::span<const DocId> docids);

// Turns a full block of differences (distances as they are, at least 1) into numbers, after exceptions were patched in.

// In place: sums the differences to docIDs after `before` (as in ListCodec::decode), or leaves them as frequencies.
// width: no difference is above 2^width; 32 if that is unknown. Small widths can't make sums wrap around, which saves
// the full check. Returns false if docIDs do not ascend or a frequency is 0.
[[nodiscard]] bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind,
                                            DocId before, unsigned width);

// The last block of a list, if it is not full: a Rice code (bits/rice.h) of its distances less one. Most codecs use it,
// because slots of one width pay only for many numbers.

// Appends the code of distances less one; returns the Rice parameter, for the codec to store.
// REQUIRES: 1 .. kBlockLength distances.
std::uint8_t encode_last_block(std::span<const std::uint32_t> distances, ByteBuffer& out);

// Decodes `count` numbers from byte `begin` of `payload` to the front of `out`, all of which may be written. Returns
// false if the bytes are no such code, docIDs do not ascend or a frequency is 0; any bytes are survived.
// REQUIRES: 1 <= count <= kBlockLength; kReadSlack bytes after `payload` are readable.
bool decode_last_block(ByteView payload, std::uint64_t begin, std::uint32_t parameter, Numbers kind, DocId before,
                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t count);

}  // namespace frond::codec
