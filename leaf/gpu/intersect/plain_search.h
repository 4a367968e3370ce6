#pragma once
// Is a document in a list of plain docIDs, ascending? The building blocks that kernels and the host search with: every
// method narrows where a binary search begins (but interpolation, which is one of its own).
//
//   BinarySearch       the whole list, or the bracket that splitters found (splitters.h)   Ao et al. 2011 §3.2
//   Interpolation      where a straight line between the ends of what is left would be     Ao et al. 2011 §3.3
//   RegressionBounds   position (slope * docID + offset) >> kInverseFraction, at most `left` too far right and at most
//                      `right` too far left: the safe search range                         Ao et al. 2011 §3.3
//   HashSegmentation   index[b] .. index[b + 1], b = docID >> shift, of `parts` buckets     Ao et al. 2011 §3.4
//
// Where we differ from §3.3: the line from docIDs to positions is in fixed point, and its greatest errors are those of
// that very arithmetic, so no docID is missed by rounding, on any processor.
#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

inline constexpr unsigned kInverseFraction = 30;

// The first position of [low, high) whose docID is not less than `docid`; high: none is.
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

FROND_HOST_DEVICE inline bool holds_between(const DocId* docids, Bracket bracket, DocId docid) {
  const std::uint32_t at = lower_bound(docids, bracket.low, bracket.high, docid);
  return at < bracket.high && docids[at] == docid;
}

// What all of them have: every method is a type with these two functions.
struct PlainList {
  // The docID at a position < count.
  FROND_HOST_DEVICE static DocId docid(const ListView& list, std::uint32_t position) {
    return docids_of(list)[position];
  }
};

struct BinarySearch : PlainList {
  // `bracket`: where the document is if it is there; [0, count) will always do. Other methods take no notice of it.
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket bracket) {
    return holds_between(docids_of(list), bracket, docid);
  }
};

struct Interpolation : PlainList {
  FROND_HOST_DEVICE static bool holds(const ListView& list, DocId docid, Bracket) {
    if (list.count == 0) return false;
    const DocId* docids = docids_of(list);
    std::uint32_t low = 0, high = list.count - 1;
    DocId least = docids[low], most = docids[high];
    for (;;) {
      if (docid < least || docid > most) return false;
      if (least == most) return true;
      const auto reach = static_cast<std::uint64_t>(docid - least) * (high - low) / (most - least);
      const std::uint32_t at = low + static_cast<std::uint32_t>(reach);
      const DocId found = docids[at];
      if (found == docid) return true;
      if (found < docid) {
        low = at + 1;  // <= high: the last is not less
        least = docids[low];
      } else {
        high = at - 1;  // >= low: the first is not greater
        most = docids[high];
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
