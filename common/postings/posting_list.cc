#include "common/postings/posting_list.h"

#include <algorithm>
#include <string>

namespace frond::postings {

namespace {

Error corrupt(const std::string& what) { return Error(Code::kCorrupt, "list: " + what); }

}  // namespace

Result<ListView> ListView::open(ByteView blob) {
  if (blob.empty()) return corrupt("no bytes");
  const auto first = static_cast<std::uint8_t>(blob[0]);
  if (first == kLongMagic) return open_long(blob);
  if (first > kLastShortMagic) return corrupt("unknown form " + std::to_string(first));
  const ShortForm form = FROND_TRY(open_short(blob));
  ListView view;
  view.blob_ = blob;
  view.short_ = form;
  view.count_ = form.count;
  view.blocks_ = 1;
  view.scale_.min = form.deficit;
  return view;
}

Result<ListView> ListView::open_long(ByteView blob) {
  if (blob.size() < kLongHeaderBytes) return corrupt("header cut off");
  const LongHeader header = read_header(blob);
  if (header.count < kBlockLength || header.count > kSegmentPostings)
    return corrupt(std::to_string(header.count) + " postings in a blob");
  const LongSections at = sections_of(header);
  if (at.end != blob.size())
    return corrupt("header tells of " + std::to_string(at.end) + " bytes, there are " + std::to_string(blob.size()));
  if (header.flag) return corrupt("an unknown flag");
  if (!header.deficits.sound()) return corrupt("deficits without end");
  ListView view;
  view.docid_codec_ = codec::codec_with_id(header.docid_codec);
  if (!view.docid_codec_ || !view.docid_codec_->info().docids)
    return corrupt("unknown docID codec " + std::to_string(header.docid_codec));
  view.frequency_codec_ = codec::codec_with_id(header.frequency_codec);
  if (!view.frequency_codec_ || !view.frequency_codec_->info().frequencies)
    return corrupt("unknown frequency codec " + std::to_string(header.frequency_codec));
  view.blob_ = blob;
  view.count_ = header.count;
  view.blocks_ = (header.count + kBlockLength - 1) / kBlockLength;
  view.scale_ = header.deficits;
  view.best_ = header.best;
  view.last_docids_ = blob.data() + at.last_docids;
  view.deficits_ = blob.data() + at.deficits;
  view.docids_ = blob.subspan(at.docids, at.frequencies - at.docids);
  view.frequencies_ = blob.subspan(at.frequencies, at.last_docids - at.frequencies);
  if (view.last_docid() == kNoDoc) return corrupt("a wrong last docID");
  return view;
}

std::uint32_t ListView::find_block(DocId target, std::uint32_t from) const {
  // Steps of 1, 2, 4, … until a block ends at or behind the target, then halving between the last two.
  std::uint32_t low = from, step = 1;
  while (low < blocks_ && last_docid(low) < target) {
    const std::uint32_t next = low + step;
    if (next >= blocks_ || last_docid(next) >= target) {
      std::uint32_t high = std::min(next, blocks_);  // the answer is in (low, high]
      while (low + 1 < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        (last_docid(middle) < target ? low : high) = middle;
      }
      return high;
    }
    low = next;
    step *= 2;
  }
  return std::min(low, blocks_);
}

Result<void> ListView::decode_docids(std::uint32_t block, BlockBuffer out) const {
  if (!docid_codec_) {
    decode_short_docids(blob_, short_, out.first(count_));
    return {};
  }
  const DocId before = block ? last_docid(block - 1) : kNoDoc, last = last_docid(block);
  FROND_TRY(docid_codec_->decode(docids_, count_, codec::Numbers::kDocIds, block, before, out));
  if (out[block_size(block) - 1] != last || last > last_docid() || (block && before == kNoDoc)) [[unlikely]]
    return corrupt("docIDs of block " + std::to_string(block) + " are not those of its index");
  return {};
}

Result<void> ListView::decode_frequencies(std::uint32_t block, BlockBuffer out) const {
  if (!frequency_codec_) return decode_short_frequencies(blob_, short_, out.first(count_));
  return frequency_codec_->decode(frequencies_, count_, codec::Numbers::kFrequencies, block, 0, out);
}

void ListView::prefetch() const {
  constexpr std::size_t kLine = 64, kSmall = 24 * kLine;
  if (blob_.size() <= kSmall) {
    for (std::size_t at = 0; at < blob_.size(); at += kLine) __builtin_prefetch(blob_.data() + at);
    return;
  }
  // Codecs keep the index of a stream at its end.
  for (const std::byte* at :
       {docids_.data(), frequencies_.data() - kLine, last_docids_ - kLine, last_docids_, deficits_})
    __builtin_prefetch(at);
}

ListView::Sizes ListView::sizes() const {
  if (!docid_codec_) {
    const std::size_t docids_end = (short_.frequency_bit + 7) / 8;
    return {.header = short_.header_bytes - 1u,
            .bounds = 1,
            .docids = docids_end - short_.header_bytes,
            .frequencies = blob_.size() - docids_end};
  }
  const std::size_t list_bounds = sizeof scale_.min + best_.size();  // in the header
  return {.header = kLongHeaderBytes - list_bounds,
          .index = std::size_t{blocks_} * 4,
          .bounds = list_bounds + blocks_,
          .docids = docids_.size(),
          .frequencies = frequencies_.size()};
}

namespace {

Error corrupt(std::size_t segment, const char* what) {
  return Error(Code::kCorrupt, "segment " + std::to_string(segment) + ": " + what);
}

}  // namespace

Result<PostingList> PostingList::open(std::span<const ByteView> segments) {
  PostingList list;
  list.segments_.reserve(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    auto opened = ListView::open(segments[i]);
    if (!opened) return std::move(opened).error().within("segment " + std::to_string(i));
    const ListView& view = *opened;
    if (i + 1 < segments.size() && view.count() != kSegmentPostings)
      return corrupt(i, "is not full, but another follows");
    if (i > 0 && view.last_docid() <= list.segments_.back().last_docid())
      return corrupt(i, "does not ascend from the one before");
    list.count_ += view.count();
    list.blocks_ += view.blocks();
    list.list_deficit_ = std::min(list.list_deficit_, view.list_deficit());
    list.segments_.push_back(view);
  }
  return list;
}

std::uint32_t PostingList::find_block(DocId target, std::uint32_t from) const {
  if (from >= blocks_) return blocks_;
  std::uint32_t segment = from / kSegmentBlocks, inside = from % kSegmentBlocks;
  const auto segments = static_cast<std::uint32_t>(segments_.size());
  while (segment < segments && segments_[segment].last_docid() < target) ++segment, inside = 0;
  return segment == segments ? blocks_ : segment * kSegmentBlocks + segments_[segment].find_block(target, inside);
}

scoring::PackedDeficit PostingList::least_deficit(std::uint32_t first, std::uint32_t last) const {
  scoring::PackedDeficit least = block_deficit(first);
  for (std::uint32_t block = first + 1; block <= last;) {
    // As far as one segment goes, whose deficits lie side by side.
    const std::uint32_t end = std::min(last, block | (kSegmentBlocks - 1)) + 1;
    least = std::min(least, segment_of(block).least_deficit(block % kSegmentBlocks, end - block));
    block = end;
  }
  return least;
}

Result<void> PostingList::decode_first_docids(std::uint32_t block, BlockBuffer out) const {
  FROND_TRY(segment_of(block).decode_docids(0, out));
  if (block > 0 && out[0] <= last_docid(block - 1))
    return corrupt(block / kSegmentBlocks, "does not ascend from the one before");
  return {};
}

}  // namespace frond::postings
