#pragma once
// How the methods of intersection find out whether a list holds a document, on the host or the device: the view of a
// list, then methods for plain docIDs, for lists compressed along lines, and for lists in blocks.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/codec/lines/line_elements.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/list_search.h"

namespace frond::tools::papers {

using leaf::gpu::Bracket, leaf::gpu::holds_between, leaf::gpu::where_in;

// The first position of [low, high) whose docID is not less than `docid`; `high` if there is none.
FROND_HOST_DEVICE inline std::uint32_t lower_bound(const DocId* docids, std::uint32_t low, std::uint32_t high,
                                                   DocId docid) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (docids[middle] < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether the document is at a position of the bracket.
FROND_HOST_DEVICE inline bool holds_between(const DocId* docids, Bracket bracket, DocId docid) {
  const std::uint32_t at = lower_bound(docids, bracket.low, bracket.high, docid);
  return at < bracket.high && docids[at] == docid;
}

// A list as a method of intersection searches it, on the host or the device; passed and stored by value. What a field
// means depends on the method: see below. Both pointers are into one image (list_form.h), which begins at `payload`.
struct alignas(16) ListView {
  const std::byte* payload = nullptr;  // docIDs, u32 each, or compressed
  const std::byte* index = nullptr;    // leads to parts of the payload; may be null
  std::uint64_t slope = 0;             // of the list's regression line, in fixed point
  std::int64_t offset = 0;             // of that line
  std::uint64_t line_slope = 0;        // of the codec's own line
  std::uint32_t count = 0;             // docIDs
  std::uint32_t parts = 0;             // blocks, segments or buckets that the index has entries for
  std::uint32_t shift = 0;             // docID >> shift is its bucket or range
  std::uint32_t left = 0, right = 0;   // largest errors of the regression line, in positions
  std::uint32_t fraction = 0;          // fraction bits of the codec's slopes
};

FROND_HOST_DEVICE inline const DocId* docids_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.payload);
}

// Whether a list of plain, ascending docIDs holds a document, on the device or the host. Every method but interpolation
// narrows the range of a binary search (section: of Ao et al. 2011):
//
//   BinarySearch       the whole list, or the bracket between splitters (search_tiles.cu)                     §3.2
//   Interpolation      no binary search: tries where a straight line between the ends of the range points to  §3.3
//   RegressionBounds   around position (slope * docID + offset) >> kInverseFraction, which is at most `left`
//                      too large and at most `right` too small: the safe search range                         §3.3
//   HashSegmentation   positions index[b] .. index[b + 1], b = docID >> shift, of `parts` buckets             §3.4
//
// Unlike in §3.3 the line is computed in fixed point, and its largest errors are measured with the same arithmetic. So
// rounding never makes a search miss a docID, on any processor.
inline constexpr unsigned kInverseFraction = 30;

// A method is a type with two functions: docid(), which methods for plain lists get from here, and holds().
struct PlainList {
  // The docID at a position < count.
  FROND_HOST_DEVICE static DocId docid(const ListView& list, std::uint32_t position) {
    return docids_of(list)[position];
  }
};

struct BinarySearch : PlainList {
  // `bracket`: positions where the document can be; [0, count) is always right. Other methods ignore it.
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket bracket) {
    return holds_between(docids_of(list), bracket, docid);
  }
};

struct Interpolation : PlainList {
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    if (list.count == 0) return false;
    const DocId* docids = docids_of(list);
    std::uint32_t low = 0, high = list.count - 1;
    DocId min = docids[low], max = docids[high];
    for (;;) {
      if (docid < min || docid > max) return false;
      if (min == max) return true;
      const auto reach = static_cast<std::uint64_t>(docid - min) * (high - low) / (max - min);
      const std::uint32_t at = low + static_cast<std::uint32_t>(reach);
      const DocId found = docids[at];
      if (found == docid) return true;
      if (found < docid) {
        low = at + 1;  // <= high: the last is not less
        min = docids[low];
      } else {
        high = at - 1;  // >= low: the first is not greater
        max = docids[high];
      }
    }
  }
};

struct RegressionBounds : PlainList {
  FROND_HOST_DEVICE static std::int64_t position_of(const ListView& list, DocId docid) {
    return (static_cast<std::int64_t>(docid * list.slope) + list.offset) >> kInverseFraction;
  }
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    const std::int64_t about = position_of(list, docid), count = list.count;
    const std::int64_t low = about - list.left, high = about + list.right + 1;
    if (high <= 0 || low >= count) return false;
    return holds_between(
        docids_of(list),
        {static_cast<std::uint32_t>(low < 0 ? 0 : low), static_cast<std::uint32_t>(high > count ? count : high)},
        docid);
  }
};

struct HashSegmentation : PlainList {
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    const std::uint32_t bucket = docid >> list.shift;
    if (bucket >= list.parts) return false;
    const auto* begins = reinterpret_cast<const std::uint32_t*>(list.index) + bucket;
    return holds_between(docids_of(list), {begins[0], begins[1]}, docid);
  }
};

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

// A list in blocks of 128 docIDs, for methods that decode a block whole. What the fields of a ListView mean:
//
//   payload  Kind::kBlocks: the blocks, packed as codec simd-bp128 packs them (docs/formats/simd-bp128.md), 16 * width
//            bytes each: the distance to the docID before, less one, in as many bits as the block's largest needs.
//            The last block is padded with distances of 1.
//            Kind::kParaPFor: the stream of codec parapfor (docs/formats/patched.md), of `right` bytes.
//            Then codec::kReadSlack readable bytes.
//   index    arrays of u32, those before the table padded to 16 bytes: the last docID of each block; for kBlocks
//            alone, the PackedPlace of each block; the table, which may be missing: for each range of 2^shift docIDs,
//            and for one more range, the first block whose last docID is not below the range (hash segmentation of
//            blocks, as leaf/gpu has it)
//   parts    number of blocks
//   left     number of ranges in the table; 0: no table
inline constexpr std::uint32_t kBlockDocIds = 128;

FROND_HOST_DEVICE inline const DocId* lasts_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.index);
}
FROND_HOST_DEVICE inline const leaf::gpu::PackedPlace* places_of(const ListView& list) {
  return lasts_of(list) + (list.parts + 3) / 4 * 4;
}
// The blocks [low, high) that may hold the document. It can only be in the first whose last docID is not less.
// `arrays`: how many the index has before the table.
FROND_HOST_DEVICE inline Bracket blocks_for(const ListView& list, std::uint32_t arrays, DocId docid) {
  if (list.left == 0) return {0, list.parts};
  const std::uint32_t range = docid >> list.shift;
  if (range >= list.left) return {};
  const std::uint32_t* table = lasts_of(list) + std::size_t{arrays} * ((list.parts + 3) / 4 * 4) + range;
  const std::uint32_t high = table[1] + 1;
  return {table[0], high < list.parts ? high : list.parts};
}

}  // namespace frond::tools::papers
