#pragma once
// The blob of a list of fewer than 128 postings. Most terms have such a list, so every byte counts. The first byte is
// the number of postings, or in the compact form their deficit; it is never a long blob's magic. Format:
// docs/formats/list-blob.md.
//
// Not for readers of lists: ListView knows both forms.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

inline constexpr std::uint8_t kLastShortMagic = 0xef;  // the greatest first byte of a short blob

// The header of a short blob, and what decoding its docIDs once gave.
struct ShortForm {
  std::uint32_t count = 0;  // 1 .. 127
  scoring::PackedDeficit deficit = 0;
  std::uint8_t docid_parameter = 0, frequency_parameter = 0;  // of the Rice codes; none for a single posting
  std::uint8_t header_bytes = 0;
  std::uint32_t frequency_bit = 0;  // where the frequencies begin: a bit of the blob
  DocId last_docid = 0;
};

// Appends the blob of 1 .. 127 postings, in the compact form if possible. `deficit` is rounded down to a byte.
void encode_short(std::span<const DocId> docids, std::span<const Frequency> frequencies, scoring::PackedDeficit deficit,
                  ByteBuffer& out);

// Decodes the docIDs once, to check that they ascend and are below kNoDoc. codec::kReadSlack bytes after `blob` are
// readable. Errors: kCorrupt.
Result<ShortForm> open_short(ByteView blob);
// For a blob that open_short() accepted; out has form.count places.
void decode_short_docids(ByteView blob, const ShortForm& form, std::span<DocId> out);
// Errors: kCorrupt, also if the blob is longer than its postings.
Result<void> decode_short_frequencies(ByteView blob, const ShortForm& form, std::span<Frequency> out);

// The packed deficit of a byte (deficit_to_byte(), short_code.h).
scoring::PackedDeficit deficit_from_byte(std::uint8_t byte);

}  // namespace frond::postings
