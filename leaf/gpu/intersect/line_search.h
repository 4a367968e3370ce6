#pragma once
// Whether a list compressed by a codec of linear regression holds a document. Searched in compressed form: single
// docIDs can be read (common/codec/lines/line_elements.h), so a binary search decodes no block. After Ao et al. 2011
// §4.3, algorithm 1: the regression line of the whole list gives a safe search range; a binary search in the segments'
// last docIDs gives the segment; the segment's own line narrows the range within it. With HS_LRC the docID names the
// segment. What the fields of a ListView mean for these forms:
//
//   payload  the codec's stream, unchanged
//   index    LrcSearch, SegmentSearch: the last docID of each segment (lrc: block), u32, padded to 16 bytes; then a
//            LineEntry for each segment (lrc: one for the list). BucketSearch: a LineEntry for each bucket, and one
//            more
//   parts    number of segments or buckets
//   shift    docID >> shift is its bucket
//   slope, offset, left, right: position of a docID, as RegressionBounds has it
//   line_slope, fraction: of the codec's line, if the list has one; fraction also of the entries' slopes
//
// An index entry has what the stream's own index has, in the order in which a search needs it: one load of 16 bytes
// instead of five loads.
#include "common/codec/lines/line_elements.h"
#include "leaf/gpu/intersect/plain_search.h"

namespace frond::leaf::gpu::intersect {

struct alignas(16) LineEntry {
  std::uint32_t place = 0;   // of the deviations: distance from the stream's begin in units of 4 bytes << 6 | width
  std::uint32_t offset = 0;  // LineStretch::offset
  std::uint32_t slope = 0;   // seglrc, hs-lrc
  std::uint32_t first = 0;   // position of the first docID
};
inline constexpr std::uint64_t kMaxStreamBytes = std::uint64_t{1} << 28;  // the limit of LineEntry::place

FROND_HOST_DEVICE constexpr std::size_t last_docid_bytes(std::uint32_t parts) {
  return (std::size_t{parts} * 4 + 15) / 16 * 16;
}

FROND_HOST_DEVICE inline codec::StreamWords stream_of(const ListView& list) {
  return {reinterpret_cast<const std::uint32_t*>(list.payload), 0};
}

// The stretch of an entry, without its line, position and size.
FROND_HOST_DEVICE inline codec::LineStretch stretch_at(const LineEntry& entry) {
  codec::LineStretch stretch;
  stretch.begin = std::uint64_t{entry.place >> 6} * 4;
  stretch.width = entry.place & 63;
  stretch.spread = (std::uint64_t{1} << stretch.width) - 1;
  stretch.offset = entry.offset;
  stretch.first = entry.first;
  return stretch;
}

// The positions in a stretch where a document can be. `last`: the stretch's last docID or a larger one. Like
// LineStretch::where, but in single precision instead of 64-bit divisions, and so a few positions wider: the error is
// at size a quarter of a position in stretches of up to 2^20 docIDs.
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
  const auto size = static_cast<float>(stretch.size);
  const float high = static_cast<float>(value + 2) * positions_a_docid + 2;
  const float low = static_cast<float>(value - 1 - static_cast<std::int64_t>(stretch.spread)) * positions_a_docid - 2;
  return {low <= 0      ? 0
          : low >= size ? stretch.size
                        : static_cast<std::uint32_t>(low),
          high >= size ? stretch.size : static_cast<std::uint32_t>(high)};
}

// Whether the stretch has the document at a position of the bracket.
FROND_HOST_DEVICE inline bool holds_between(const codec::LineStretch& stretch, codec::StreamWords stream,
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

// The positions where a document can be, by the regression line of the whole list. Empty: the list does not hold it.
FROND_HOST_DEVICE inline Bracket safe_range(const ListView& list, DocId docid) {
  const std::int64_t about = RegressionBounds::position_of(list, docid), count = list.count;
  const std::int64_t low = about - list.left, high = about + list.right + 1;
  if (high <= 0 || low >= count) return {};
  return {static_cast<std::uint32_t>(low < 0 ? 0 : low), static_cast<std::uint32_t>(high > count ? count : high)};
}

// Among the segments (of `length` docIDs) with positions in `bracket`, the one that may hold the document; `parts`:
// none does. `bracket` is not empty.
FROND_HOST_DEVICE inline std::uint32_t segment_of(const ListView& list, Bracket bracket, std::uint32_t length,
                                                  DocId docid) {
  const auto* lasts = reinterpret_cast<const DocId*>(list.index);
  const std::uint32_t end = (bracket.high - 1) / length + 1;
  const std::uint32_t found = lower_bound(lasts, bracket.low / length, end, docid);
  return found < end ? found : list.parts;
}

// lrc: one line and one width for the whole list; its search range is cut to a block.
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
    return holds_between(stretch_of(list), stream_of(list),
                         {range.low > first ? range.low : first, range.high < end ? range.high : end}, docid);
  }
};

// lrcseg (one line for all segments) and seglrc (a line for each).
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
    return holds_between(stretch, stream_of(list), where_in(stretch, docid, last), docid);
  }
};

// hs-lrc: the docID's leading bits are its bucket.
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
    return holds_between(stretch, stream_of(list), where_in(stretch, docid, last), docid);
  }
};

}  // namespace frond::leaf::gpu::intersect
