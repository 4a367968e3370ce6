#pragma once
// Is a document in a list that a codec of linear regression has compressed? Searched in compressed form: a docID is
// read by itself (common/codec/lines/line_elements.h), so a binary search decodes no block. After Ao et al. 2011 §4.3,
// algorithm 1: a safe search range by the regression line of the whole list; the segment, by a binary search in the
// segments' last docIDs; then the docIDs of that segment, which lines of their own narrow again. HS_LRC needs no search
// for the segment.
//
//   payload  the codec's stream, verbatim
//   index    LrcSearch, SegmentSearch: last docID of every segment (lrc: block), u32, to 16 bytes; then LineEntry, a
//            segment (lrc: one). BucketSearch: LineEntry a bucket, and one behind them
//   parts    segments or buckets; shift: of a docID to its bucket
//   slope, offset, left, right: position of a docID, as RegressionBounds has it
//   line_slope, fraction: of the codec's line where the list has one; fraction: also of the slopes of entries
//
// The index says what the stream's own index says, in the order in which a search needs it: one load of 16 bytes in
// place of five.
#include "common/codec/lines/line_elements.h"
#include "leaf/gpu/intersect/plain_search.h"

namespace frond::leaf::gpu::intersect {

struct alignas(16) LineEntry {
  std::uint32_t place = 0;   // of the deviations, in 4 bytes from the stream's begin, and their width in the low 6 bits
  std::uint32_t offset = 0;  // LineStretch::offset
  std::uint32_t slope = 0;   // seglrc, hs-lrc
  std::uint32_t first = 0;   // position of the first docID
};
inline constexpr std::uint64_t kMaxStreamBytes = std::uint64_t{1} << 28;  // what a place reaches

FROND_HOST_DEVICE constexpr std::size_t last_docid_bytes(std::uint32_t parts) {
  return (std::size_t{parts} * 4 + 15) / 16 * 16;
}

FROND_HOST_DEVICE inline codec::StreamWords stream_of(const ListView& list) {
  return {reinterpret_cast<const std::uint32_t*>(list.payload), 0};
}

// What an entry says, but for line, position and size.
FROND_HOST_DEVICE inline codec::LineStretch stretch_at(const LineEntry& entry) {
  codec::LineStretch stretch;
  stretch.begin = std::uint64_t{entry.place >> 6} * 4;
  stretch.width = entry.place & 63;
  stretch.spread = (std::uint64_t{1} << stretch.width) - 1;
  stretch.offset = entry.offset;
  stretch.first = entry.first;
  return stretch;
}

// Where among a stretch's docIDs a document is if it is there; `last` is at least the greatest of them. As
// LineStretch::where, but a few positions wider in place of 64-bit divisions: single precision is right to a quarter of
// a position in stretches of up to 2^20 docIDs.
FROND_HOST_DEVICE inline Bracket where_in(const codec::LineStretch& stretch, DocId docid, DocId last) {
  const Bracket all{0, stretch.size};
  if (stretch.width > 31 || last >= (std::uint64_t{1} << 32) - stretch.spread || stretch.line.slope == 0 ||
      stretch.size > 1u << 20)
    return all;
  const auto base =
      static_cast<std::uint32_t>(stretch.offset + static_cast<std::uint32_t>(stretch.line(stretch.position)));
  const std::int64_t value = std::int64_t{docid} - base + (base > last ? std::int64_t{1} << 32 : 0);
  if (value < 0) return {};
  const float positions_a_docid =
      static_cast<float>(std::uint64_t{1} << stretch.line.fraction) / static_cast<float>(stretch.line.slope);
  const auto most = static_cast<float>(stretch.size);
  const float high = static_cast<float>(value + 2) * positions_a_docid + 2;
  const float low = static_cast<float>(value - 1 - static_cast<std::int64_t>(stretch.spread)) * positions_a_docid - 2;
  return {low <= 0      ? 0
          : low >= most ? stretch.size
                        : static_cast<std::uint32_t>(low),
          high >= most ? stretch.size : static_cast<std::uint32_t>(high)};
}

FROND_HOST_DEVICE inline bool holds_beside(const codec::LineStretch& stretch, codec::StreamWords stream,
                                           Bracket bracket, DocId docid) {
  std::uint32_t low = bracket.low, high = bracket.high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const DocId found = stretch.docid(stream, middle);
    if (found == docid) return true;
    if (found < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

// Positions that the regression line of the whole list leaves; empty: the document is not there.
FROND_HOST_DEVICE inline Bracket safe_range(const ListView& list, DocId docid) {
  const std::int64_t about = RegressionBounds::position_of(list, docid), count = list.count;
  const std::int64_t low = about - list.left, high = about + list.right + 1;
  if (high <= 0 || low >= count) return {};
  return {static_cast<std::uint32_t>(low < 0 ? 0 : low), static_cast<std::uint32_t>(high > count ? count : high)};
}

// The segment, of `length` docIDs, that has positions of a bracket which is not empty and may have the document;
// `parts` where none does.
FROND_HOST_DEVICE inline std::uint32_t segment_of(const ListView& list, Bracket bracket, std::uint32_t length,
                                                  DocId docid) {
  const auto* lasts = reinterpret_cast<const DocId*>(list.index);
  const std::uint32_t end = (bracket.high - 1) / length + 1;
  const std::uint32_t found = lower_bound(lasts, bracket.low / length, end, docid);
  return found < end ? found : list.parts;
}

// lrc: one line and one width; the bracket of the whole list, cut to a block.
struct LrcSearch {
  FROND_HOST_DEVICE static codec::LineStretch stretch_of(const ListView& list) {
    const auto* entry = reinterpret_cast<const LineEntry*>(list.index + last_docid_bytes(list.parts));
    codec::LineStretch stretch = stretch_at(*entry);
    stretch.line = {list.line_slope, list.fraction};
    stretch.size = list.count;
    stretch.in_lanes = true;
    return stretch;
  }
  FROND_HOST_DEVICE static DocId docid(const ListView& list, std::uint32_t position) {
    return stretch_of(list).docid(stream_of(list), position);
  }
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    const Bracket range = safe_range(list, docid);
    if (range.low >= range.high) return false;
    const std::uint32_t block = segment_of(list, range, codec::kBlockLength, docid);
    if (block == list.parts) return false;
    const std::uint32_t first = block * codec::kBlockLength, end = first + codec::kBlockLength;
    return holds_beside(stretch_of(list), stream_of(list),
                        {range.low > first ? range.low : first, range.high < end ? range.high : end}, docid);
  }
};

// lrcseg (one line for all segments) and seglrc (a line each).
template <bool kOneLine>
struct SegmentSearch {
  FROND_HOST_DEVICE static codec::LineStretch segment(const ListView& list, std::uint32_t number) {
    const auto* entries = reinterpret_cast<const LineEntry*>(list.index + last_docid_bytes(list.parts));
    const LineEntry entry = entries[number];
    codec::LineStretch stretch = stretch_at(entry);
    stretch.line = {kOneLine ? list.line_slope : entry.slope, list.fraction};
    if (kOneLine) stretch.position = entry.first;
    const std::uint32_t left = list.count - entry.first;
    stretch.size = left < codec::kLrcSegment ? left : codec::kLrcSegment;
    stretch.in_lanes = true;
    return stretch;
  }
  FROND_HOST_DEVICE static DocId docid(const ListView& list, std::uint32_t position) {
    return segment(list, position / codec::kLrcSegment).docid(stream_of(list), position % codec::kLrcSegment);
  }
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    const Bracket range = safe_range(list, docid);
    if (range.low >= range.high) return false;
    const std::uint32_t number = segment_of(list, range, codec::kLrcSegment, docid);
    if (number == list.parts) return false;
    const codec::LineStretch stretch = segment(list, number);
    const DocId last = reinterpret_cast<const DocId*>(list.index)[number];
    return holds_beside(stretch, stream_of(list), where_in(stretch, docid, last), docid);
  }
};

// hs-lrc: the docID itself names the bucket.
struct BucketSearch {
  FROND_HOST_DEVICE static const LineEntry* entries_of(const ListView& list) {
    return reinterpret_cast<const LineEntry*>(list.index);
  }
  FROND_HOST_DEVICE static codec::LineStretch bucket(const ListView& list, std::uint32_t number) {
    const LineEntry* entries = entries_of(list);
    const LineEntry entry = entries[number];
    codec::LineStretch stretch = stretch_at(entry);
    stretch.line = {entry.slope, list.fraction};
    stretch.size = entries[number + 1].first - entry.first;
    return stretch;
  }
  FROND_HOST_DEVICE static DocId docid(const ListView& list, std::uint32_t position) {
    std::uint32_t low = 0, high = list.parts;  // the last bucket that begins at or before the position
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (entries_of(list)[middle].first <= position)
        low = middle;
      else
        high = middle;
    }
    const codec::LineStretch stretch = bucket(list, low);
    return stretch.docid(stream_of(list), position - stretch.first);
  }
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    const std::uint32_t number = docid >> list.shift;
    if (number >= list.parts) return false;
    const codec::LineStretch stretch = bucket(list, number);
    if (stretch.size == 0) return false;
    const DocId last = docid | ((DocId{1} << list.shift) - 1);
    return holds_beside(stretch, stream_of(list), where_in(stretch, docid, last), docid);
  }
};

}  // namespace frond::leaf::gpu::intersect
