#pragma once
// Whether a list of plain, ascending docIDs holds a document, on the device or the host. Every method but interpolation
// narrows the range of a binary search (section: of Ao et al. 2011):
//
//   BinarySearch       the whole list, or the bracket between splitters (splitters.cu)                        §3.2
//   Interpolation      no binary search: tries where a straight line between the ends of the range points to  §3.3
//   RegressionBounds   around position (slope * docID + offset) >> kInverseFraction, which is at most `left`
//                      too large and at most `right` too small: the safe search range                         §3.3
//   HashSegmentation   positions index[b] .. index[b + 1], b = docID >> shift, of `parts` buckets             §3.4
//
// Unlike in §3.3 the line is computed in fixed point, and its largest errors are measured with the same arithmetic. So
// rounding never makes a search miss a docID, on any processor.
#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

inline constexpr unsigned kInverseFraction = 30;

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

}  // namespace frond::leaf::gpu::intersect
