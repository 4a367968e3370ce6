#include "common/postings/list_view.h"

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

}  // namespace frond::postings
