#include "common/postings/long_form.h"

namespace frond::postings {
namespace {

// Numbers that share the last 8 bytes of the header, lowest first.
constexpr unsigned kCountBits = 19, kUnitBits = 20, kShiftBits = 4;

}  // namespace

LongHeader read_header(ByteView blob) {
  std::uint64_t sizes = load_le<std::uint64_t>(blob.data() + 8);
  const auto take = [&sizes](unsigned bits) {
    const auto value = static_cast<std::uint32_t>(sizes & ((std::uint64_t{1} << bits) - 1));
    sizes >>= bits;
    return value;
  };
  LongHeader header;
  header.docid_codec = load_le<std::uint8_t>(blob.data() + 1);
  header.frequency_codec = load_le<std::uint8_t>(blob.data() + 2);
  for (std::size_t i = 0; i < header.best.size(); ++i) header.best[i] = load_le<std::uint8_t>(blob.data() + 3 + i);
  header.deficits.min = load_le<scoring::PackedDeficit>(blob.data() + 6);
  header.count = take(kCountBits);
  header.docid_units = take(kUnitBits);
  header.frequency_units = take(kUnitBits);
  header.deficits.shift = take(kShiftBits);
  header.flag = sizes != 0;
  return header;
}

void write_header(const LongHeader& header, std::byte* blob) {
  store_le(blob, kLongMagic);
  store_le(blob + 1, header.docid_codec);
  store_le(blob + 2, header.frequency_codec);
  for (std::size_t i = 0; i < header.best.size(); ++i) store_le(blob + 3 + i, header.best[i]);
  store_le(blob + 6, header.deficits.min);
  FROND_CHECK(header.count >> kCountBits == 0 && header.docid_units <= LongHeader::kMaxUnits &&
              header.frequency_units <= LongHeader::kMaxUnits && header.deficits.shift >> kShiftBits == 0);
  const std::uint64_t flag = std::uint64_t{header.flag} << (kCountBits + 2 * kUnitBits + kShiftBits);
  store_le(blob + 8,
           flag | sizes_word(header.count, header.docid_units, header.frequency_units, header.deficits.shift));
}

LongSections sections_of(const LongHeader& header) {
  const std::uint64_t blocks = (std::uint64_t{header.count} + codec::kBlockLength - 1) / codec::kBlockLength;
  LongSections at;
  at.docids = kLongHeaderBytes;
  at.frequencies = at.docids + std::uint64_t{header.docid_units} * 16;
  at.last_docids = at.frequencies + std::uint64_t{header.frequency_units} * 16;
  at.deficits = at.last_docids + blocks * 4;
  at.end = at.deficits + blocks;
  return at;
}

}  // namespace frond::postings
