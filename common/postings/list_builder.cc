#include "common/postings/list_builder.h"

#include <algorithm>

#include "common/postings/list_view.h"
#include "common/postings/long_form.h"
#include "common/postings/short_form.h"

namespace frond::postings {

ListBuilder::ListBuilder(const codec::ListCodec& codec, std::span<const std::uint32_t> lengths, double b,
                         double average_length)
    : codec_(codec), lengths_(lengths), b_(b), average_length_(average_length) {}

scoring::PackedDeficit ListBuilder::least_deficit(std::span<const DocId> docids,
                                                  std::span<const Frequency> frequencies) const {
  float least = scoring::deficit(b_, average_length_, frequencies[0], lengths_[docids[0]]);
  for (std::size_t i = 1; i < docids.size(); ++i)
    least = std::min(least, scoring::deficit(b_, average_length_, frequencies[i], lengths_[docids[i]]));
  return scoring::pack_deficit(least);
}

ByteBuffer ListBuilder::build_long(std::span<const DocId> docids, std::span<const Frequency> frequencies) const {
  const std::size_t count = docids.size();
  LongHeader header{.codec = codec_.id(), .deficit = 0xffff, .count = static_cast<std::uint32_t>(count)};
  const LongSections at = sections_of(header);
  ByteBuffer blob(at.docids);
  for (std::size_t first = 0, block = 0; first < count; first += kBlockLength, ++block) {
    const std::size_t size = std::min<std::size_t>(kBlockLength, count - first);
    const auto deficit = least_deficit(docids.subspan(first, size), frequencies.subspan(first, size));
    header.deficit = std::min(header.deficit, deficit);
    store_le(blob.data() + kLongHeaderBytes + block * 4, docids[first + size - 1]);
    store_le(blob.data() + at.deficits + block * 2, deficit);
  }
  codec_.encode(docids, codec::Numbers::kDocIds, blob);
  header.docid_units = static_cast<std::uint32_t>((blob.size() - at.docids) / 16);
  const std::size_t frequencies_at = blob.size();
  codec_.encode(frequencies, codec::Numbers::kFrequencies, blob);
  header.frequency_units = static_cast<std::uint32_t>((blob.size() - frequencies_at) / 16);
  write_header(header, blob.data());
  return blob;
}

std::vector<ByteBuffer> ListBuilder::build(std::span<const DocId> docids,
                                           std::span<const Frequency> frequencies) const {
  FROND_CHECK(!docids.empty() && docids.size() == frequencies.size() && docids.back() < lengths_.size());
  std::vector<ByteBuffer> segments;
  for (std::size_t first = 0; first < docids.size(); first += kSegmentPostings) {
    const std::size_t size = std::min<std::size_t>(kSegmentPostings, docids.size() - first);
    const auto some_docids = docids.subspan(first, size);
    const auto some_frequencies = frequencies.subspan(first, size);
    if (size >= kBlockLength) {
      segments.push_back(build_long(some_docids, some_frequencies));
    } else {
      ByteBuffer blob;
      encode_short(some_docids, some_frequencies, least_deficit(some_docids, some_frequencies), blob);
      segments.push_back(std::move(blob));
    }
  }
  return segments;
}

}  // namespace frond::postings
