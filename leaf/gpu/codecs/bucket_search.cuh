#pragma once
// Whether a list of codec hs-lrc holds a document, found in the stream as it lies in the blob: the docID's leading bits
// name the bucket, the bucket's line gives a search range, and single docIDs are read in a binary search there.
// (HS_LRC, algorithm 1 of Ao et al. 2011 §4.3; intersect/line_search.h has the same for lists in forms of their own.)
// Admission has compared the index with the docIDs (HsLrc::index_agrees()).
#include "common/device_codec/lines.cuh"
#include "leaf/gpu/intersect/line_search.h"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu::codecs {

// The segment that may hold the document.
__device__ inline std::uint32_t segment_for(const DeviceList& list, DocId docid) {
  std::uint32_t low = 0, high = (list.block_count - 1) / kSegmentBlocks;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (__ldg(&list.blocks[(middle + 1) * kSegmentBlocks - 1].last) < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// One lane. Lanes may call under divergence.
__device__ inline bool holds_by_bucket(const DeviceList& list, DocId docid) {
  const std::uint32_t last = list.block_count - 1;
  const BlockEntry end = load_entry(list.blocks + last);
  if (docid > end.last) return false;
  // A last block of fewer than 128 postings is packed apart (list_image.h).
  if (size_of(end) < codec::kBlockLength && (last == 0 || docid > __ldg(&list.blocks[last - 1].last)))
    return search::find_in_run(list, end.docids, search::run_of(search::locate(list, last), docid), docid) !=
           search::kNone;
  const SegmentPlace& segment = list.segments[segment_for(list, docid)];
  const codec::StreamWords stream{reinterpret_cast<const std::uint32_t*>(list.image + segment.docids.begin),
                                  segment.docids.size};
  codec::HsLrcLines lines;
  lines.open(stream, segment.count);
  codec::LineStretch bucket;
  if (!lines.stretch_for(stream, docid, bucket)) return false;
  const intersect::Bracket where = intersect::where_in(bucket, docid, lines.last_of_bucket(docid));
  return intersect::holds_between(bucket, stream, where, docid);
}

}  // namespace frond::leaf::gpu::codecs
