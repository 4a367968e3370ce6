#include "common/postings/list_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "common/postings/long_form.h"
#include "common/postings/posting_list.h"
#include "common/postings/short_form.h"

namespace frond::postings {
namespace {

std::uint32_t least_bits_of(std::span<const std::uint32_t> deficits) {
  std::uint32_t least = deficits.front();
  for (const std::uint32_t deficit : deficits) least = std::min(least, deficit);
  return least;
}
scoring::PackedDeficit least_of(std::span<const std::uint32_t> deficits) {
  return scoring::pack_deficit(std::bit_cast<float>(least_bits_of(deficits)));
}

// What the postings of each of kBestRanks do not exceed, or kNoDeficit. Reorders the deficits.
std::array<scoring::PackedDeficit, kBestRanks.size()> best_of(std::span<std::uint32_t> deficits) {
  std::array<scoring::PackedDeficit, kBestRanks.size()> best;
  best.fill(kNoDeficit);
  // How many have each packed value, from the least; the last counts all that are greater.
  std::array<std::uint32_t, 1024> counts{};
  const std::uint32_t least = scoring::pack_deficit_bits_up(least_bits_of(deficits));
  for (const std::uint32_t deficit : deficits)
    ++counts[std::min<std::size_t>(scoring::pack_deficit_bits_up(deficit) - least, counts.size() - 1)];
  std::size_t value = 0;
  std::uint64_t up_to = counts[0];
  for (std::size_t i = 0; i < best.size() && kBestRanks[i] <= deficits.size(); ++i) {
    const std::uint32_t rank = kBestRanks[i];
    while (up_to < rank) up_to += counts[++value];
    if (value + 1 < counts.size()) {
      best[i] = static_cast<scoring::PackedDeficit>(least + value);
      continue;
    }
    std::nth_element(deficits.begin(), deficits.begin() + (rank - 1), deficits.end());
    best[i] = scoring::pack_deficit_bits_up(deficits[rank - 1]);
  }
  return best;
}

// What a header says of a blob's deficits, and a byte a block.
ByteBuffer pack_deficits(std::span<const scoring::PackedDeficit> blocks, std::span<std::uint32_t> deficits,
                         LongHeader& header) {
  const auto best = best_of(deficits);
  const auto [least, most] = std::minmax_element(blocks.begin(), blocks.end());
  scoring::PackedDeficit greatest = *most;
  for (const scoring::PackedDeficit one : best)
    if (one != kNoDeficit) greatest = std::max(greatest, one);
  header.deficits = deficit_scale(*least, greatest);
  FROND_CHECK(header.deficits.sound());
  for (std::size_t i = 0; i < best.size(); ++i)
    if (best[i] != kNoDeficit) header.best[i] = steps_up(header.deficits, best[i]);
  ByteBuffer bytes;
  for (const scoring::PackedDeficit block : blocks) bytes.push_back(std::byte{steps_down(header.deficits, block)});
  return bytes;
}

}  // namespace

ListBuilder::ListBuilder(codec::CodecChoice codecs, std::span<const std::uint32_t> lengths, double b,
                         double average_length, const DeficitTable* table)
    : codecs_(std::move(codecs)), lengths_(lengths), b_(b), average_length_(average_length), table_(table) {}

std::vector<std::uint32_t> ListBuilder::deficits_of(std::span<const DocId> docids,
                                                    std::span<const Frequency> frequencies) const {
  std::vector<std::uint32_t> deficits(docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i) deficits[i] = deficit_of(docids[i], frequencies[i]);
  return deficits;
}

ByteBuffer ListBuilder::build_long(std::span<const DocId> docids, std::span<const Frequency> frequencies) const {
  const std::size_t count = docids.size();
  LongHeader header{.count = static_cast<std::uint32_t>(count)};
  ByteBuffer blob(kLongHeaderBytes);
  header.docid_codec = codec::encode_smallest(codecs_.docids, docids, codec::Numbers::kDocIds, blob).id();
  const std::size_t frequencies_at = blob.size();
  header.docid_units = static_cast<std::uint32_t>((frequencies_at - kLongHeaderBytes) / 16);
  header.frequency_codec =
      codec::encode_smallest(codecs_.frequencies, frequencies, codec::Numbers::kFrequencies, blob).id();
  header.frequency_units = static_cast<std::uint32_t>((blob.size() - frequencies_at) / 16);
  auto deficits = deficits_of(docids, frequencies);
  std::vector<scoring::PackedDeficit> block_deficits;
  ByteWriter writer(blob);
  for (std::size_t first = 0; first < count; first += kBlockLength) {
    const std::size_t size = std::min<std::size_t>(kBlockLength, count - first);
    block_deficits.push_back(least_of(std::span(deficits).subspan(first, size)));
    writer.put(docids[first + size - 1]);
  }
  writer.put_bytes(pack_deficits(block_deficits, deficits, header));
  write_header(header, blob.data());
  return blob;
}

void ListBuilder::append(std::span<const DocId> docids, std::span<const Frequency> frequencies, ByteBuffer& out) const {
  FROND_CHECK(!docids.empty() && docids.size() == frequencies.size() && docids.back() < lengths_.size());
  if (docids.size() >= kBlockLength) {
    FROND_CHECK(docids.size() <= kSegmentPostings);
    const ByteBuffer blob = build_long(docids, frequencies);
    out.insert(out.end(), blob.begin(), blob.end());
    return;
  }
  std::uint32_t least = deficit_of(docids[0], frequencies[0]);
  for (std::size_t i = 1; i < docids.size(); ++i) least = std::min(least, deficit_of(docids[i], frequencies[i]));
  encode_short(docids, frequencies, scoring::pack_deficit(std::bit_cast<float>(least)), out);
}

std::vector<ByteBuffer> ListBuilder::build(std::span<const DocId> docids,
                                           std::span<const Frequency> frequencies) const {
  FROND_CHECK(!docids.empty() && docids.size() == frequencies.size() && docids.back() < lengths_.size());
  std::vector<ByteBuffer> segments;
  for (std::size_t first = 0; first < docids.size(); first += kSegmentPostings) {
    const std::size_t size = std::min<std::size_t>(kSegmentPostings, docids.size() - first);
    const auto some_docids = docids.subspan(first, size);
    const auto some_frequencies = frequencies.subspan(first, size);
    ByteBuffer blob;
    append(some_docids, some_frequencies, blob);
    segments.push_back(std::move(blob));
  }
  return segments;
}

}  // namespace frond::postings
