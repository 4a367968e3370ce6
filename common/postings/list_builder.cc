#include "common/postings/list_builder.h"

#include <algorithm>
#include <utility>

#include "common/postings/list_view.h"
#include "common/postings/long_form.h"
#include "common/postings/short_form.h"

namespace frond::postings {
namespace {

scoring::PackedDeficit least_of(std::span<const float> deficits) {
  return scoring::pack_deficit(*std::min_element(deficits.begin(), deficits.end()));
}

// What the postings of each of kBestRanks do not exceed. Reorders the deficits.
void store_best(std::span<float> deficits, std::byte* out) {
  std::size_t sorted = 0;  // the least so many are in front, as the next rank is larger
  for (const std::uint32_t rank : kBestRanks) {
    scoring::PackedDeficit best = kNoDeficit;
    if (rank <= deficits.size()) {
      std::nth_element(deficits.begin() + static_cast<std::ptrdiff_t>(sorted), deficits.begin() + (rank - 1),
                       deficits.end());
      best = scoring::pack_deficit_up(deficits[rank - 1]);
      sorted = rank;
    }
    store_le(out, best);
    out += sizeof(best);
  }
}

}  // namespace

ListBuilder::ListBuilder(codec::CodecChoice codecs, std::span<const std::uint32_t> lengths, double b,
                         double average_length)
    : codecs_(std::move(codecs)), lengths_(lengths), b_(b), average_length_(average_length) {}

std::vector<float> ListBuilder::deficits_of(std::span<const DocId> docids,
                                            std::span<const Frequency> frequencies) const {
  std::vector<float> deficits(docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i)
    deficits[i] = scoring::deficit(b_, average_length_, frequencies[i], lengths_[docids[i]]);
  return deficits;
}

ByteBuffer ListBuilder::build_long(std::span<const DocId> docids, std::span<const Frequency> frequencies) const {
  const std::size_t count = docids.size();
  LongHeader header{.count = static_cast<std::uint32_t>(count)};
  const LongSections at = sections_of(header);
  ByteBuffer blob(at.docids);
  auto deficits = deficits_of(docids, frequencies);
  scoring::PackedDeficit least = kNoDeficit;
  for (std::size_t first = 0, block = 0; first < count; first += kBlockLength, ++block) {
    const std::size_t size = std::min<std::size_t>(kBlockLength, count - first);
    const auto deficit = least_of(std::span(deficits).subspan(first, size));
    least = std::min(least, deficit);
    store_le(blob.data() + kLongHeaderBytes + block * 4, docids[first + size - 1]);
    store_le(blob.data() + at.deficits + block * 2, deficit);
  }
  store_le(blob.data() + at.list_bounds, least);
  store_best(deficits, blob.data() + at.list_bounds + 2);
  header.docid_codec = codec::encode_smallest(codecs_.docids, docids, codec::Numbers::kDocIds, blob).id();
  header.docid_units = static_cast<std::uint32_t>((blob.size() - at.docids) / 16);
  const std::size_t frequencies_at = blob.size();
  header.frequency_codec =
      codec::encode_smallest(codecs_.frequencies, frequencies, codec::Numbers::kFrequencies, blob).id();
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
      encode_short(some_docids, some_frequencies, least_of(deficits_of(some_docids, some_frequencies)), blob);
      segments.push_back(std::move(blob));
    }
  }
  return segments;
}

}  // namespace frond::postings
