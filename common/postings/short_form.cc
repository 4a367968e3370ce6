#include "common/postings/short_form.h"

#include <array>

#include "common/codec/bits/rice.h"
#include "common/codec/list_codec.h"
#include "common/postings/short_code.h"

namespace frond::postings {
namespace {

using codec::kBlockLength;

static_assert(kCompact + kDeficits - 1 == kLastShortMagic);

Error corrupt(const char* what) { return Error(Code::kCorrupt, std::string("short list: ") + what); }

// Distances less one to docIDs; false if one is not below kNoDoc.
bool add_up(std::span<std::uint32_t> numbers) {
  std::uint64_t docid = ~std::uint64_t{0};
  for (std::uint32_t& number : numbers) {
    docid += std::uint64_t{number} + 1;
    number = static_cast<DocId>(docid);
  }
  return docid < kNoDoc;
}

// A single posting: docID, then the frequency less one unless that is 0, as varints.
Result<ShortForm> open_single(ByteView blob, ShortForm form) {
  ByteReader in(blob.subspan(form.header_bytes));
  const std::uint64_t docid = in.get_varint();
  if (!in.ok() || docid >= kNoDoc) return corrupt("a wrong docID");
  form.last_docid = static_cast<DocId>(docid);
  form.frequency_bit = static_cast<std::uint32_t>(blob.size() - in.left()) * 8;
  return form;
}

// The docID of a compact single posting: 4 bits in the second byte, and the others as one to four bytes behind it.
Result<ShortForm> open_compact_single(ByteView blob, ShortForm form) {
  if (blob.size() > 6) return corrupt("bytes behind the docID");
  std::uint64_t docid = 0;
  for (std::size_t i = blob.size(); i-- > 2;) docid = docid << 8 | static_cast<std::uint8_t>(blob[i]);
  docid = docid << 4 | (static_cast<std::uint8_t>(blob[1]) & 15u);
  if (docid >= kNoDoc) return corrupt("a wrong docID");
  form.last_docid = static_cast<DocId>(docid);
  form.frequency_bit = static_cast<std::uint32_t>(blob.size()) * 8;
  return form;
}

// Decodes the docIDs once: their last, and where the frequencies begin.
Result<ShortForm> open_docids(ByteView blob, ShortForm form) {
  std::array<DocId, kBlockLength> docids;
  const auto out = std::span(docids).first(form.count);
  const std::uint64_t end = codec::decode_rice(blob, form.header_bytes * 8u, form.docid_parameter, out);
  if (end == 0 || end > 0xffffffff) return corrupt("docIDs are cut off");
  if (!add_up(out)) return corrupt("a docID is out of range");
  form.frequency_bit = static_cast<std::uint32_t>(end);
  form.last_docid = out.back();
  return form;
}

Result<ShortForm> open_compact(ByteView blob, ShortForm form) {
  const auto second = static_cast<std::uint8_t>(blob[1]);
  form.count = second / 16u + 1;
  form.deficit =
      deficit_from_byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(blob[0]) - kCompact + kFirstDeficit));
  form.header_bytes = 2;
  if (form.count == 1) return open_compact_single(blob, form);
  form.docid_parameter = static_cast<std::uint8_t>(second % 16u + kFirstParameter);
  return open_docids(blob, form);
}

void put_bytes(const ShortBytes& bytes, ByteBuffer& out) {
  ByteWriter(out).put_bytes(std::as_bytes(std::span(bytes.at).first(bytes.size)));
}

}  // namespace

scoring::PackedDeficit deficit_from_byte(std::uint8_t byte) {
  return byte == 0 ? scoring::PackedDeficit{0} : static_cast<scoring::PackedDeficit>((byte + kDeficitOffset) << 3);
}

void encode_short(std::span<const DocId> docids, std::span<const Frequency> frequencies, scoring::PackedDeficit deficit,
                  ByteBuffer& out) {
  const std::size_t count = docids.size();
  FROND_CHECK(count > 0 && count < kBlockLength && frequencies.size() == count);
  if (count == 1) return put_bytes(single_blob(docids[0], frequencies[0], deficit_to_byte(deficit)), out);
  std::array<std::uint32_t, kBlockLength> distances, extras;
  for (std::size_t i = 0; i < count; ++i) {
    distances[i] = i ? docids[i] - docids[i - 1] - 1 : docids[0];
    extras[i] = frequencies[i] - 1;
  }
  const auto docid_part = std::span(distances).first(count), frequency_part = std::span(extras).first(count);
  const unsigned docid_rice = codec::choose_rice(docid_part).parameter;
  const unsigned frequency_rice = codec::choose_rice(frequency_part).parameter;
  put_bytes(short_header(static_cast<std::uint32_t>(count), deficit_to_byte(deficit), docid_rice, frequency_rice), out);
  codec::BitWriter bits(out);
  codec::encode_rice(docid_part, docid_rice, bits);
  codec::encode_rice(frequency_part, frequency_rice, bits);
}

Result<ShortForm> open_short(ByteView blob) {
  if (blob.size() < 3) return corrupt("cut off");
  ShortForm form;
  form.count = static_cast<std::uint8_t>(blob[0]);
  if (form.count >= kCompact && form.count <= kLastShortMagic) return open_compact(blob, form);
  if (form.count == 0 || form.count >= kBlockLength) return corrupt("a wrong number of postings");
  form.deficit = deficit_from_byte(static_cast<std::uint8_t>(blob[1]));
  form.header_bytes = 2;
  if (form.count == 1) return open_single(blob, form);
  const auto parameters = static_cast<std::uint8_t>(blob[2]);
  form.header_bytes = 3;
  form.docid_parameter = parameters & 31;
  form.frequency_parameter = parameters >> 5;
  if (form.frequency_parameter == kSmallFrequencyParameter) {
    if (blob.size() < 4) return corrupt("cut off");
    form.frequency_parameter = static_cast<std::uint8_t>(blob[3]);
    form.header_bytes = 4;
    if (form.frequency_parameter < kSmallFrequencyParameter || form.frequency_parameter > 31)
      return corrupt("a wrong Rice parameter");
  }
  return open_docids(blob, form);
}

void decode_short_docids(ByteView blob, const ShortForm& form, std::span<DocId> out) {
  if (form.count == 1) {
    out[0] = form.last_docid;
    return;
  }
  codec::decode_rice(blob, form.header_bytes * 8u, form.docid_parameter, out);
  add_up(out);
}

Result<void> decode_short_frequencies(ByteView blob, const ShortForm& form, std::span<Frequency> out) {
  if (form.count == 1) {
    ByteReader in(blob.subspan(form.frequency_bit / 8));
    const std::uint64_t extra = in.at_end() ? 0 : in.get_varint();
    if (!in.ok() || !in.at_end() || extra >= 0xffffffff) return corrupt("a wrong frequency");
    out[0] = static_cast<Frequency>(extra) + 1;
    return {};
  }
  const std::uint64_t end = codec::decode_rice(blob, form.frequency_bit, form.frequency_parameter, out);
  if (end == 0) return corrupt("frequencies are cut off");
  if ((end + 7) / 8 != blob.size()) return corrupt("bytes behind the frequencies");
  for (Frequency& frequency : out)
    if (++frequency == 0) return corrupt("a wrong frequency");
  return {};
}

}  // namespace frond::postings
