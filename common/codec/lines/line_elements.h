#pragma once
// Reads single docIDs of the codecs of linear regression, and tells where a docID may be, without decoding a block:
// what searching in compressed form needs, on CPU and GPU. (Ao et al. 2011 §3.3, §4.3: safe search ranges, random
// access.) Formats: docs/formats/lrc.md.
//
// Each codec has a reader: LrcLines, SegmentLines (lrcseg and seglrc), HsLrcLines. After open(), stretch_of() gives the
// line through the docIDs around a position, and the stretch gives docIDs and bounds; a thread keeps the stretch while
// it searches there. Any bytes are survived: open() or stretch_of() returns false, or docIDs are garbage; nothing is
// read outside the stream and its slack.
#include "common/codec/bits/packed_number.h"
#include "common/codec/lines/hs_lrc.h"
#include "common/codec/lines/line.h"
#include "common/codec/lines/lrc.h"
#include "common/codec/stream_words.h"

namespace frond::codec {

// docIDs along one line: those of a list, a segment or a bucket. docID i of the stretch is offset + line(position + i)
// + deviation i, modulo 2^32.
struct LineStretch {
  Line line;
  std::uint64_t position = 0;  // on the line, of the first docID
  std::uint64_t begin = 0;     // of the deviations, in bytes of the stream, a multiple of 4
  std::uint64_t spread = 0;    // no deviation is greater
  std::uint32_t offset = 0;
  std::uint32_t first = 0, size = 0;  // positions in the list
  std::uint32_t width = 0;            // of the deviations
  bool in_lanes = false;              // full blocks of 128 lie as simd-bp128 packs them; all else is a bit string

  // index < size.
  FROND_HOST_DEVICE std::uint32_t deviation(StreamWords stream, std::uint32_t index) const {
    if (!in_lanes) return stream.bits(begin * 8 + std::uint64_t{index} * width, width);
    const std::uint32_t block = index / kBlockLength, in_block = index % kBlockLength;
    const std::uint64_t at = begin + std::uint64_t{block} * 16 * width;
    if (size - block * kBlockLength < kBlockLength) return stream.bits(at * 8 + std::uint64_t{in_block} * width, width);
    const std::uint32_t bit = in_block / 4 * width;
    const std::uint32_t* word = stream.words + at / 4 + bit / 32 * 4 + in_block % 4;
    return bits_of(word[0], word[4], bit % 32, width);
  }
  FROND_HOST_DEVICE DocId docid(StreamWords stream, std::uint32_t index) const {
    return offset + static_cast<DocId>(line(position + index)) + deviation(stream, index);
  }
  FROND_HOST_DEVICE std::uint64_t bytes() const { return deviation_bytes(size, width); }

  // The positions, from 0, at which the first docID >= target may be, if the stretch has one. last: no docID of the
  // stretch is greater.
  FROND_HOST_DEVICE PositionRange where(DocId target, DocId last) const {
    if (size == 0 || width > 31 || last >= (std::uint64_t{1} << 32) - spread) return {0, size};
    // A base is at most the first docID, and negative by less than the spread: one above `last` is a negative one.
    const auto base = static_cast<std::uint32_t>(offset + static_cast<std::uint32_t>(line(position)));
    const std::int64_t signed_base = base - (base > last ? std::int64_t{1} << 32 : 0);
    return positions_beside(line, position, signed_base - static_cast<std::int64_t>(line(position)), spread, size,
                            target);
  }
};

class LrcLines {
 public:
  FROND_HOST_DEVICE bool open(StreamWords stream, std::uint32_t count) {
    if (stream.size < kLrcHeaderBytes) return false;
    list_.line = {stream.word(0) | static_cast<std::uint64_t>(stream.word(4)) << 32, 32};
    list_.spread = stream.word(12);
    list_.offset = stream.word(8) - stream.word(12);
    list_.size = count;
    for (std::uint64_t left = list_.spread; left != 0; left >>= 1) ++list_.width;
    list_.begin = kLrcHeaderBytes;
    list_.in_lanes = true;
    return list_.begin + list_.bytes() <= stream.size;
  }
  // One line for all.
  FROND_HOST_DEVICE bool stretch_of(StreamWords, std::uint32_t, LineStretch& stretch) const {
    stretch = list_;
    return true;
  }

 private:
  LineStretch list_;
};

// lrcseg: one line for all segments; seglrc: each has its own.
class SegmentLines {
 public:
  FROND_HOST_DEVICE explicit SegmentLines(bool one_line) : one_line_(one_line) {}
  FROND_HOST_DEVICE bool open(StreamWords stream, std::uint32_t count) {
    count_ = count;
    segments_ = lrc_segments(count);
    const std::uint64_t bytes = one_line_ ? lrcseg_index_bytes(count) : seglrc_index_bytes(count);
    if (stream.size < bytes) return false;
    payload_ = stream.size - bytes;
    return true;
  }
  // Of segment `segment`, below their number; it may be outside the stream.
  FROND_HOST_DEVICE LineStretch segment(StreamWords stream, std::uint32_t segment) const {
    const std::uint64_t bases = payload_ + segments_, slopes = bases + std::uint64_t{segments_} * 4;
    LineStretch found;
    found.width = stream.byte(payload_ + segment);
    found.spread = (std::uint64_t{1} << found.width % 64) - 1;
    found.first = segment * kLrcSegment;
    found.size = count_ - found.first < kLrcSegment ? count_ - found.first : kLrcSegment;
    found.in_lanes = true;
    if (one_line_) {
      found.line = {stream.word(stream.size - 8) | static_cast<std::uint64_t>(stream.word(stream.size - 4)) << 32, 32};
      found.position = found.first;
    } else {
      found.line = {stream.word(slopes + std::uint64_t{segment} * 4), stream.word(stream.size - 4) % 32};
    }
    found.offset =
        stream.word(bases + std::uint64_t{segment} * 4) - static_cast<std::uint32_t>(found.line(found.position));
    found.begin =
        stream.block_begin(payload_, one_line_ ? slopes : slopes + std::uint64_t{segments_} * 4, segment) * 32;
    return found;
  }
  FROND_HOST_DEVICE bool stretch_of(StreamWords stream, std::uint32_t position, LineStretch& stretch) const {
    stretch = segment(stream, position / kLrcSegment);
    return stretch.width <= 32 && stretch.begin + stretch.bytes() <= payload_;
  }
  FROND_HOST_DEVICE std::uint64_t payload() const { return payload_; }  // bytes of deviations

 private:
  bool one_line_;
  std::uint32_t count_ = 0, segments_ = 0;
  std::uint64_t payload_ = 0;
};

class HsLrcLines {
 public:
  FROND_HOST_DEVICE bool open(StreamWords stream, std::uint32_t count) {
    if (stream.size < 8) return false;
    count_ = count;
    buckets_ = stream.word(stream.size - 8);
    const std::uint32_t trailer = stream.word(stream.size - 4);
    shift_ = trailer % 32;
    fraction_ = trailer / 256 % 32;
    const std::uint64_t bytes = hs_lrc_index_bytes(buckets_);
    if (buckets_ == 0 || bytes > stream.size) return false;
    payload_ = stream.size - bytes;
    return true;
  }
  FROND_HOST_DEVICE std::uint32_t buckets() const { return buckets_; }
  FROND_HOST_DEVICE std::uint32_t shift() const { return shift_; }
  FROND_HOST_DEVICE std::uint64_t payload() const { return payload_; }  // bytes of deviations
  // Position behind the last docID of a bucket.
  FROND_HOST_DEVICE std::uint32_t end_of(StreamWords stream, std::uint32_t bucket) const {
    return entry(stream, 0, bucket);
  }
  // Of bucket `bucket` < buckets(); it may be outside the stream, end before it begins or behind the list.
  FROND_HOST_DEVICE LineStretch bucket(StreamWords stream, std::uint32_t bucket) const {
    LineStretch found;
    found.first = bucket ? end_of(stream, bucket - 1) : 0;
    found.size = end_of(stream, bucket) - found.first;
    found.begin = std::uint64_t{4} * entry(stream, 1, bucket);
    found.offset = entry(stream, 2, bucket);
    found.line = {entry(stream, 3, bucket), fraction_};
    found.width = stream.byte(payload_ + bucket);
    found.spread = (std::uint64_t{1} << found.width % 64) - 1;
    return found;
  }
  FROND_HOST_DEVICE bool holds(const LineStretch& bucket) const {
    return bucket.width <= 32 && bucket.size <= count_ && bucket.first <= count_ - bucket.size &&
           bucket.begin + bucket.bytes() <= payload_;
  }
  // The bucket that holds a docID if the list does, computed from the docID alone (Ao §3.4). False: no bucket.
  FROND_HOST_DEVICE bool stretch_for(StreamWords stream, DocId docid, LineStretch& stretch) const {
    if (docid >> shift_ >= buckets_) return false;
    stretch = bucket(stream, docid >> shift_);
    return holds(stretch);
  }
  // The greatest docID that the bucket of `docid` can have.
  FROND_HOST_DEVICE DocId last_of_bucket(DocId docid) const { return docid | ((DocId{1} << shift_) - 1); }
  FROND_HOST_DEVICE bool stretch_of(StreamWords stream, std::uint32_t position, LineStretch& stretch) const {
    std::uint32_t low = 0, high = buckets_ - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (end_of(stream, middle) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    stretch = bucket(stream, low);
    return holds(stretch) && stretch.first <= position && position - stretch.first < stretch.size;
  }

 private:
  FROND_HOST_DEVICE std::uint32_t entry(StreamWords stream, std::uint32_t array, std::uint32_t bucket) const {
    return stream.word(payload_ + buckets_ + (std::uint64_t{buckets_} * array + bucket) * 4);
  }
  std::uint32_t count_ = 0, buckets_ = 0, shift_ = 0, fraction_ = 0;
  std::uint64_t payload_ = 0;
};

}  // namespace frond::codec
