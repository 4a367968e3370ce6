#pragma once
// What codecs store instead of a block's numbers, and back. docIDs: the distance to the docID before, less one (before
// the first of a list is kNoDoc, that is -1, so it is stored as it is). Frequencies: less one. Sums are modulo 2^32.
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

// Writes as many distances as there are numbers (of one block). before: as ListCodec::decode's; unused for frequencies.
void to_distances(std::span<const std::uint32_t> numbers, Numbers kind, DocId before, std::uint32_t* distances);

// Distances to numbers, in place. False where no numbers have these distances: docIDs that do not ascend from `before`
// because a sum wrapped round, a frequency of 0. At least one number.
[[nodiscard]] bool from_distances(std::span<std::uint32_t> block, Numbers kind, DocId before);

// The same of the first `size` >= 1 numbers of a buffer for a whole block: all of it is written, so that a block that
// is not full needs no loop over single numbers.
[[nodiscard]] bool from_distances(std::span<std::uint32_t, kBlockLength> buffer, std::uint32_t size, Numbers kind,
                                  DocId before);

// A block's distances as they are, not less one, to docIDs behind `before`, in place; nothing is looked at.
void add_differences(std::span<std::uint32_t, kBlockLength> block, DocId before);

// Do these docIDs ascend strictly, from `before` unless that is kNoDoc? At least one.
bool ascend(DocId before, std::span<const DocId> docids);

}  // namespace frond::codec
