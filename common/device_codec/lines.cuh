#pragma once
// docIDs of lrc, lrcseg, seglrc and hs-lrc: the line's value at each position plus a deviation, with no prefix sum. (Ao
// et al. 2011 §4.2, §4.3.) Format: docs/formats/lrc.md; single docIDs: common/codec/lines/line_elements.h.
#include "common/codec/lines/line_elements.h"
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"

namespace frond::device_codec {

using codec::Line;
using device::unpack_rows;

// Where a block's deviations are, and the line that they are added to.
struct BlockBesideLine {
  std::uint32_t word, width;
  std::uint32_t offset;    // added to each docID
  std::uint32_t position;  // of the block's first docID on the line
  std::uint32_t slope_low, slope_high, fraction;

  __device__ void set(const codec::LineStretch& stretch, std::uint64_t begin, std::uint32_t skipped) {
    word = static_cast<std::uint32_t>(begin / 4);
    width = stretch.width;
    offset = stretch.offset;
    position = static_cast<std::uint32_t>(stretch.position) + skipped;
    slope_low = static_cast<std::uint32_t>(stretch.line.slope);
    slope_high = static_cast<std::uint32_t>(stretch.line.slope >> 32);
    fraction = stretch.line.fraction;
  }
};

__device__ inline void docids_beside(StreamWords stream, const BlockOfList& of, const BlockBesideLine& at,
                                     std::uint32_t lane, Four& docids) {
  if (of.full()) {
    docids = unpack_rows(stream.words + at.word, at.width, lane);
  } else {
    for (std::uint32_t i = 4 * lane; i < 4 * lane + 4 && i < of.size(); ++i)
      docids.at[i % 4] = stream.bits(std::uint64_t{at.word} * 32 + i * at.width, at.width);
  }
  const std::uint64_t slope = static_cast<std::uint64_t>(at.slope_high) << 32 | at.slope_low;
  std::uint64_t product = slope * (std::uint64_t{at.position} + 4 * lane);
  for (std::uint32_t& docid : docids.at) {
    docid += at.offset + static_cast<std::uint32_t>(product >> at.fraction);
    product += slope;
  }
}

struct BesideLineReader {
  RowReader<true> rows;
  std::uint64_t slope, product;
  std::uint32_t offset, fraction;
  __device__ BesideLineReader(StreamWords stream, const BlockOfList&, const BlockBesideLine& at, std::uint32_t first)
      : rows(stream.words + at.word, at.width, first),
        slope(static_cast<std::uint64_t>(at.slope_high) << 32 | at.slope_low),
        product(slope * (std::uint64_t{at.position} + first)),
        offset(at.offset),
        fraction(at.fraction) {}
  __device__ Four next() {
    Four docids = rows.next();
    for (std::uint32_t& docid : docids.at) {
      docid += offset + static_cast<std::uint32_t>(product >> fraction);
      product += slope;
    }
    return docids;
  }
};

struct Lrc {
  static constexpr std::uint32_t kRun = 8, kAhead = 2, kResident = 1;
  static constexpr bool kAdds = false, kSimple = false;
  struct Scratch {};
  using Place = BlockBesideLine;
  using Reader = BesideLineReader;

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    codec::LrcLines lines;
    codec::LineStretch list;
    // In a truncated stream the blocks before the cut can still be decoded.
    if (!lines.open(stream, of.count) && stream.size < codec::kLrcHeaderBytes) return false;
    lines.stretch_of(stream, of.first(), list);
    const std::uint64_t begin = list.begin + std::uint64_t{16} * list.width * of.block;
    place.set(list, begin, of.first());
    return begin + codec::deviation_bytes(of.size(), list.width) <= stream.size;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    docids_beside(stream, of, place, lane, out.numbers);
    return true;
  }
};

template <bool kOneLine>
struct SegmentLrc {
  static constexpr std::uint32_t kRun = 8, kAhead = 2, kResident = 1;
  static constexpr bool kAdds = false, kSimple = false;
  struct Scratch {};
  using Place = BlockBesideLine;
  using Reader = BesideLineReader;

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    codec::SegmentLines lines(kOneLine);
    if (!lines.open(stream, of.count)) return false;
    const codec::LineStretch segment = lines.segment(stream, of.block / codec::kSegmentBlocksOfLrc);
    const std::uint32_t part = of.block % codec::kSegmentBlocksOfLrc;
    const std::uint64_t begin = segment.begin + std::uint64_t{16} * segment.width * part;
    place.set(segment, begin, part * kBlockLength);
    return segment.width <= 32 && begin + codec::deviation_bytes(of.size(), segment.width) <= lines.payload();
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    docids_beside(stream, of, place, lane, out.numbers);
    return true;
  }
};

// A block's docIDs may be in several buckets, which are decoded one after the other.
struct HsLrc {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = false, kSimple = false;
  struct Scratch {};
  struct Place {
    std::uint32_t bucket;  // of the docID before the block; the block's first is in it or in a later one
  };

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    codec::HsLrcLines lines;
    if (!lines.open(stream, of.count)) return false;
    place.bucket = of.block ? of.before >> lines.shift() : 0;
    return place.bucket < lines.buckets() &&
           (place.bucket == 0 || lines.end_of(stream, place.bucket - 1) <= of.first());
  }
  // The first bucket from `bucket` on that ends behind `position`; buckets(): none. Tests 32 at a time.
  __device__ static std::uint32_t bucket_of(StreamWords stream, const codec::HsLrcLines& lines, std::uint32_t bucket,
                                            std::uint32_t position, std::uint32_t lane) {
    for (; bucket < lines.buckets(); bucket += 32) {
      const bool behind = bucket + lane < lines.buckets() && lines.end_of(stream, bucket + lane) > position;
      if (const unsigned those = __ballot_sync(kFullWarp, behind); those != 0)
        return bucket + static_cast<std::uint32_t>(__ffs(static_cast<int>(those)) - 1);
    }
    return lines.buckets();
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    codec::HsLrcLines lines;
    lines.open(stream, of.count);
    const std::uint32_t size = of.size();
    for (std::uint32_t done = 0, at = place.bucket; done < size; ++at) {
      at = bucket_of(stream, lines, at, of.first() + done, lane);
      if (at == lines.buckets()) return false;
      const codec::LineStretch bucket = lines.bucket(stream, at);
      const std::uint32_t skipped = of.first() + done - bucket.first, some = min(bucket.size - skipped, size - done);
      const std::uint64_t bits = (std::uint64_t{skipped} + some) * bucket.width;
      if (bucket.width > 32 || bucket.begin + (bits + 7) / 8 > lines.payload()) return false;
      for (std::uint32_t i = 4 * lane; i < 4 * lane + 4; ++i)
        if (i - done < some) out.numbers.at[i % 4] = bucket.docid(stream, skipped + (i - done));
      done += some;
    }
    return true;
  }
  // The warp: whether the index gives the bucket of each docID of this block exactly, so that a docID can be looked up
  // by its bucket alone. `before`: the docID before the block, kNoDoc at the stream's begin.
  __device__ static bool index_agrees(StreamWords stream, const BlockOfList& of, DocId before, const Four& docids,
                                      std::uint32_t lane) {
    codec::HsLrcLines lines;
    lines.open(stream, of.count);
    DocId previous = __shfl_up_sync(kFullWarp, docids.at[3], 1);
    if (lane == 0) previous = before;
    bool fine = true;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t bucket = docids.at[i] >> lines.shift(), position = of.first() + 4 * lane + i;
      fine = fine && bucket < lines.buckets() && lines.end_of(stream, bucket) > position;
      // All buckets from that of the docID before end here.
      for (std::uint32_t b = previous == kNoDoc ? 0 : previous >> lines.shift(); fine && b < bucket; ++b)
        fine = lines.end_of(stream, b) == position;
      previous = docids.at[i];
    }
    return fine;
  }
  struct Reader {
    StreamWords stream;
    codec::HsLrcLines lines;
    codec::LineStretch stretch;
    std::uint32_t bucket, position;
    __device__ Reader(StreamWords its_stream, const BlockOfList& of, const Place& place, std::uint32_t first)
        : stream(its_stream), bucket(place.bucket), position(of.first() + first) {
      lines.open(stream, of.count);
      find();
    }
    // The bucket of `position`.
    __device__ void find() {
      while (bucket < lines.buckets() && lines.end_of(stream, bucket) <= position) ++bucket;
      if (bucket < lines.buckets()) stretch = lines.bucket(stream, bucket);
    }
    __device__ Four next() {
      Four docids{};
      for (std::uint32_t& docid : docids.at) {
        if (position - stretch.first >= stretch.size) find();
        if (bucket == lines.buckets()) return docids;
        docid = stretch.docid(stream, position - stretch.first);
        ++position;
      }
      return docids;
    }
  };
};

}  // namespace frond::device_codec
