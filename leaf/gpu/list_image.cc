#include "leaf/gpu/list_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "common/codec/bits/vertical.h"
#include "common/postings/long_form.h"
#include "leaf/gpu/codecs/served_codecs.h"

namespace frond::leaf::gpu {
namespace {

using codec::kBlockLength;

static_assert(kSegmentBlocks == postings::kSegmentBlocks);
// Ranges of docIDs that a list has marks for, a posting, at most; at least half of them. So of the documents that are
// not in the list, 12 to 22 % are in a marked range, for half a byte to a byte of memory a posting.
constexpr std::uint32_t kMarksOfAPosting = 8;
constexpr std::size_t kMaxLastBlockBytes = 2 * 16 * 32;  // two streams of at most 32 bits a number

std::size_t aligned(std::size_t offset, std::size_t to) { return (offset + to - 1) / to * to; }

// The blocks with the lowest deficits, lowest first; among equal ones the first.
std::vector<std::uint32_t> best_blocks(const postings::PostingList& list) {
  std::vector<std::uint64_t> order(list.blocks());  // deficit, then block
  for (std::uint32_t block = 0; block < list.blocks(); ++block)
    order[block] = std::uint64_t{list.block_deficit(block)} << 32 | block;
  if (order.size() > kBestBlocks) {
    std::nth_element(order.begin(), order.begin() + kBestBlocks, order.end());
    order.resize(kBestBlocks);
  }
  std::sort(order.begin(), order.end());
  return {order.begin(), order.end()};  // the low halves
}

// Appends 128 numbers packed as codec simd-bp128 does it. Returns the width.
std::uint32_t pack_block(const std::array<std::uint32_t, kBlockLength>& numbers, ByteBuffer& out) {
  std::uint32_t all = 0;
  for (const std::uint32_t number : numbers) all |= number;
  const auto width = static_cast<std::uint32_t>(std::bit_width(all));
  codec::simd_bp_pack(numbers, width, out);
  return width;
}

// An entry has 26 bits for where a block begins: in units of 16 bytes for simd-bp128, of 4 for other codecs.
std::size_t max_bytes(std::span<const SegmentPlace> segments) {
  const auto by_words = [](const SegmentPlace::Stream& stream) {
    return stream.codec != 0 && stream.codec != kPackedCodecs && stream.places == 0;
  };
  const bool any = std::any_of(segments.begin(), segments.end(), [&](const SegmentPlace& segment) {
    return by_words(segment.docids) || by_words(segment.frequencies);
  });
  return any ? kMaxImageBytes / 4 : kMaxImageBytes;
}

}  // namespace

Result<ListImage> ListImage::plan(const postings::PostingList& list, std::uint32_t documents) {
  FROND_CHECK(list.count() > 0);
  // Unused places of a short block decode to docIDs that follow its last one; these must not overflow.
  if (documents > 0x7fffffffu || list.count() > documents) return Error(Code::kInvalid, "too many documents");
  ListImage image;
  image.documents_ = documents;
  image.block_count_ = list.blocks();
  image.count_ = static_cast<std::uint32_t>(list.count());
  image.has_last_block_ = list.block_size(list.blocks() - 1) < kBlockLength;
  FROND_TRY(image.place_segments(list));
  image.lay_out(list);
  if (image.bytes_ > max_bytes(image.places_))
    return Error(Code::kInvalid, "a list of " + std::to_string(image.bytes_) + " bytes");
  for (const std::uint32_t block : best_blocks(list)) ByteWriter(image.head_).put(block);
  image.head_.resize(image.segments_ - image.best_);
  ByteWriter(image.head_).put_bytes(std::as_bytes(std::span(image.places_)));
  image.head_.resize(image.last_ - image.best_);
  if (image.has_last_block_) FROND_TRY(image.pack_last_block(list));
  return image;
}

void ListImage::lay_out(const postings::PostingList& list) {
  // At most two ranges for each block, so that few blocks share a range.
  while (table_shift_ < 31 && (documents_ >> table_shift_) > 2 * std::uint64_t{std::max(block_count_, 8u)})
    ++table_shift_;
  table_entries_ = ((documents_ - 1) >> table_shift_) + 2;
  while (marks_shift_ < 31 && (documents_ >> marks_shift_) > kMarksOfAPosting * std::uint64_t{std::max(count_, 64u)})
    ++marks_shift_;
  best_count_ = std::min(block_count_, kBestBlocks);
  table_ = (std::size_t{block_count_} + 2) * sizeof(BlockEntry);
  starts_ = aligned(table_ + std::size_t{table_entries_} * 4, 32);
  std::size_t places = starts_ + std::size_t{block_count_} * kRuns * 4;
  const auto make_room = [&](SegmentPlace::Stream& stream, std::size_t bytes, std::uint32_t blocks) {
    if (bytes != 0) stream.places = static_cast<std::uint32_t>(places);
    places += bytes * blocks;
  };
  for (SegmentPlace& segment : places_) {
    const std::uint32_t full = segment.count / kBlockLength;
    make_room(segment.docids, codecs::place_bytes(static_cast<std::uint8_t>(segment.docids.codec)).docids, full);
    make_room(segment.frequencies,
              codecs::place_bytes(static_cast<std::uint8_t>(segment.frequencies.codec)).frequencies, full);
  }
  marks_ = places;
  best_ = marks_ + std::size_t{((documents_ - 1) >> marks_shift_) / 32 + 1} * 4;
  segments_ = aligned(best_ + std::size_t{best_count_} * 4, 16);
  last_ = aligned(segments_ + list.segments().size() * sizeof(SegmentPlace), 16);
  std::size_t end = last_ + (has_last_block_ ? kMaxLastBlockBytes : 0);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    auto& [begin, blob] = blobs_[i];
    begin = aligned(end, 64);
    end = begin + blob.size();
    if (places_[i].count == 0) continue;
    const postings::LongSections at = postings::sections_of(postings::read_header(blob));
    places_[i].last_docids = static_cast<std::uint32_t>(begin + at.last_docids);
    places_[i].deficits = static_cast<std::uint32_t>(begin + at.deficits);
    places_[i].docids.begin = static_cast<std::uint32_t>(begin + at.docids);
    places_[i].frequencies.begin = static_cast<std::uint32_t>(begin + at.frequencies);
  }
  bytes_ = aligned(end + codec::kReadSlack, 64);
}

// The segment as a blob whose docIDs and frequencies are in simd-bp128.
Result<ByteView> ListImage::pack_again(const postings::ListView& segment) {
  std::vector<std::uint32_t> docids, frequencies;
  std::array<std::uint32_t, kBlockLength> block{};
  for (std::uint32_t b = 0; b < segment.blocks(); ++b) {
    FROND_TRY(segment.decode_docids(b, block));
    docids.insert(docids.end(), block.begin(), block.begin() + segment.block_size(b));
    FROND_TRY(segment.decode_frequencies(b, block));
    frequencies.insert(frequencies.end(), block.begin(), block.begin() + segment.block_size(b));
  }
  const codec::ListCodec& packed = *codec::codec_with_id(kPackedCodecs);
  postings::LongHeader header = postings::read_header(segment.bytes());
  const ByteView index = segment.bytes().subspan(postings::sections_of(header).last_docids);
  ByteBuffer& blob = *packed_again_.emplace_back(std::make_unique<ByteBuffer>(postings::kLongHeaderBytes));
  packed.encode(docids, codec::Numbers::kDocIds, blob);
  header.docid_units = static_cast<std::uint32_t>((blob.size() - postings::kLongHeaderBytes) / 16);
  packed.encode(frequencies, codec::Numbers::kFrequencies, blob);
  header.frequency_units =
      static_cast<std::uint32_t>((blob.size() - postings::kLongHeaderBytes) / 16) - header.docid_units;
  header.docid_codec = header.frequency_codec = kPackedCodecs;
  blob.insert(blob.end(), index.begin(), index.end());
  postings::write_header(header, blob.data());
  return ByteView(blob);
}

// Sets what does not depend on the layout: blobs, sizes and codecs.
Result<void> ListImage::place_segments(const postings::PostingList& list) {
  for (const auto& segment : list.segments()) {
    SegmentPlace& place = places_.emplace_back();
    blobs_.emplace_back(0, segment.bytes());
    if (segment.count() < kBlockLength) continue;  // it has only a last block
    postings::LongHeader header = postings::read_header(segment.bytes());
    if (!codecs::is_served(header.docid_codec) || !codecs::is_served(header.frequency_codec)) {
      blobs_.back().second = FROND_TRY(pack_again(segment));
      header = postings::read_header(blobs_.back().second);
    }
    const postings::LongSections at = postings::sections_of(header);
    place.count = header.count;
    place.min_deficit = header.deficits.min;
    place.deficit_shift = header.deficits.shift;
    place.docids = {.size = static_cast<std::uint32_t>(at.frequencies - at.docids), .codec = header.docid_codec};
    place.frequencies = {.size = static_cast<std::uint32_t>(at.last_docids - at.frequencies),
                         .codec = header.frequency_codec};
    codecs_ = for_both(codecs_, codecs::kernel_for(header.docid_codec, header.frequency_codec));
  }
  return {};
}

Result<void> ListImage::pack_last_block(const postings::PostingList& list) {
  const std::uint32_t block = block_count_ - 1, size = list.block_size(block);
  std::array<std::uint32_t, kBlockLength> docids{}, frequencies{};
  FROND_TRY(list.decode_docids(block, docids));
  FROND_TRY(list.decode_frequencies(block, frequencies));
  DocId before = block % kSegmentBlocks ? list.last_docid(block - 1) : kNoDoc;
  for (std::uint32_t i = 0; i < kBlockLength; ++i) {
    const DocId docid = docids[i];
    docids[i] = i < size ? docid - before - 1 : 0;
    before = docid;
    frequencies[i] = i < size ? frequencies[i] - 1 : 0;
  }
  const auto unit = static_cast<std::uint32_t>(last_ / 16);
  const std::uint32_t width = pack_block(docids, head_);
  last_block_ = {.last = list.last_docid(block),
                 .docids = packed_place(unit, width),
                 .frequencies = packed_place(unit + width, pack_block(frequencies, head_)),
                 .deficit_and_count = std::uint32_t{list.block_deficit(block)} << 16 | size};
  return {};
}

void ListImage::fill(std::size_t from, std::span<std::byte> out) const {
  const auto copy = [&](std::size_t begin, ByteView piece) {
    const std::size_t first = std::max(begin, from), end = std::min(begin + piece.size(), from + out.size());
    if (first < end) std::memcpy(out.data() + (first - from), piece.data() + (first - begin), end - first);
  };
  copy(best_, head_);
  for (const auto& [begin, blob] : blobs_) copy(begin, blob);
}

DeviceList ListImage::at(std::byte* at) const {
  return {.image = at,
          .blocks = reinterpret_cast<const BlockEntry*>(at) + 1,
          .table = reinterpret_cast<const std::uint32_t*>(at + table_),
          .marks = reinterpret_cast<const std::uint32_t*>(at + marks_),
          .starts = reinterpret_cast<const std::uint32_t*>(at + starts_),
          .best = reinterpret_cast<const std::uint32_t*>(at + best_),
          .segments = reinterpret_cast<const SegmentPlace*>(at + segments_),
          .block_count = block_count_,
          .table_shift = table_shift_,
          .marks_shift = marks_shift_,
          .best_count = best_count_,
          .count = count_,
          .codecs = codecs_};
}

}  // namespace frond::leaf::gpu
