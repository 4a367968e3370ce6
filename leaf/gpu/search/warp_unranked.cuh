#pragma once
// Search, warp layer: a task of a query that is not ranked. As warp_task.cuh and its steps, but nothing is scored: no
// frequency is decoded, no bound lets documents be left out, and every match is counted.
//
// AND: the shortest list drives; a document counts if all other lists have it. OR: the terms are ordered by the length
// of their lists, longest first. A document counts where its first term in that order drives, so it is looked up in the
// earlier lists only, and counts if none has it. All documents of the longest list count, so that list is not read for
// the count: of two lists A and B, as many are read as for |A| + |B| - |A and B|. Where documents are hidden, those of
// the longest list are counted apart (start_kernel.cuh). (Marking the documents of a window in shared memory would
// read every list whole, also one that is a hundred times longer than the others.)
//
// A list of an eighth of the documents or more has a mark for each document (list_image.cc), so its marks tell which
// documents it has, and nothing is looked up in it. Where AND has only such lists, or OR two or more, these are
// combined by their marks (warp_marks.cuh). A list of codec hs-lrc is looked up by its buckets (Ao et al. 2011;
// codecs/stream_lists.cuh).
//
// The k first documents are emitted with the scores of document_order.h. A row whose documents are not counted (the
// first of OR; all, when the query runs again) reads only blocks that may have some of these.
//
// Mapping, results and shared memory: warp_state.cuh. Of Held, the scores are not used, and of the places only kAbsent.
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// The number of the list that documents are looked up in first, and the number behind the last one's.
struct OtherLists {
  std::uint32_t first, end;
};
__device__ inline OtherLists others_of(const TaskQuery& of, const TaskRange& range) {
  return of.query.conjunction ? OtherLists{1, of.query.terms} : OtherLists{0, range.driver};
}

// Whether each mark of the list is of one document.
__device__ inline bool marks_decide(const DeviceList& list) { return list.marks_shift == 0; }

// Whether a document stays that the marks of a list were asked for, and with which place.
struct Marked {
  bool stays;
  std::uint16_t place;
};
__device__ inline Marked by_marks(const DeviceList& list, bool present, bool conjunction) {
  const bool in_doubt = !conjunction && !marks_decide(list);
  return {present == conjunction || in_doubt, in_doubt && !present ? kAbsent : std::uint16_t{0}};
}

// Adds the documents of a block behind the first `count` of Held, which has room for 128 more, but for those that the
// marks of the first other list decide. Returns the new count. Ends without a __syncwarp(), as gather().
template <class Lists>
__device__ inline std::uint32_t gather_documents(const TaskQuery& of, const TaskRange& range, const BlockEntry& entry,
                                                 std::uint32_t before, std::uint32_t block, Held& held,
                                                 std::uint32_t count, typename Lists::Scratch& scratch,
                                                 Progress& progress) {
  const std::uint32_t lane = lane_of_warp(), size = size_of(entry);
  const OtherLists others = others_of(of, range);
  const bool sifts = others.first < others.end;
  const DeviceList& next = of.terms[sifts ? others.first : range.driver].list;
  Four docids;
  Lists::docids(of.terms[range.driver].list, range.first_block + block, entry, before, lane, scratch, docids);
  progress.runs += kRuns;
  bool keep[4], present[4];
  std::uint16_t places[4]{};
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    keep[i] = index < size && index * (1u << range.split) / codec::kBlockLength == range.part &&
              (progress.counting || score_in_order(docids.at[i], of.query.origin) >= progress.threshold);
    present[i] = keep[i] && sifts && marked(next, docids.at[i]);
  }
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (sifts) {
      const Marked known = by_marks(next, present[i], of.query.conjunction);
      keep[i] = keep[i] && known.stays;
      places[i] = known.place;
    }
    mine += keep[i];
  }
  const std::uint32_t start = sum_before(mine, lane);
  std::uint32_t to = count + start;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (!keep[i]) continue;
    held.docids[to] = docids.at[i];
    held.places[to] = places[i];
    ++to;
  }
  return count + __shfl_sync(kFullWarp, start + mine, 31);
}

// Puts the documents of the lanes with `keep` behind the first `kept` of Held, where the lanes have read what was
// there, in their order. Returns the new count.
__device__ inline std::uint32_t keep_documents(Held& held, std::uint32_t kept, bool keep, DocId docid,
                                               std::uint16_t place) {
  const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
  __syncwarp();  // all lanes have read their documents
  if (keep) {
    const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(lane_of_warp())));
    held.docids[to] = docid;
    held.places[to] = place;
  }
  __syncwarp();
  return kept + static_cast<std::uint32_t>(__popc(keepers));
}

// Asks the marks of a list for the first `count` held documents. AND: drops those that it does not have. OR: marks them
// with kAbsent; if the marks decide, drops those that it has. Keeps the order; returns how many stay.
__device__ inline std::uint32_t sift_documents(const TaskQuery& of, const DeviceList& list, Held& held,
                                               std::uint32_t count) {
  const std::uint32_t lane = lane_of_warp();
  constexpr std::uint32_t kLoads = 4;  // in flight
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32 * kLoads) {
    DocId docids[kLoads];
    bool present[kLoads];
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i) {
      const std::uint32_t at = from + 32 * i + lane;
      docids[i] = at < count ? held.docids[at] : 0;
      present[i] = at < count && marked(list, docids[i]);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i) {
      const Marked known = by_marks(list, present[i], of.query.conjunction);
      kept = keep_documents(held, kept, from + 32 * i + lane < count && known.stays, docids[i], known.place);
    }
  }
  return kept;
}

// Looks the first `count` held documents up in a list, but for those with kAbsent, which is removed. AND: those that it
// has stay; OR: those that it does not have. Keeps the order; returns how many stay.
template <class Lists>
__device__ inline std::uint32_t look_up_documents(const TaskQuery& of, const DeviceList& list, Held& held,
                                                  std::uint32_t count, Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  const Range none{list.block_count, list.block_count};
  const auto range_at = [&](std::uint32_t at) {
    return at < count && held.places[at] < kAbsent ? range_of(list, held.docids[at]) : none;
  };
  Range ahead = range_at(lane);
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    const Range blocks = ahead;
    ahead = range_at(at + 32);  // loaded for the next iteration
    const std::uint32_t block = block_of(list, docid, blocks);
    bool found = block < list.block_count;
    progress.runs += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, found)));
    if (found) {
      const Located where = locate(list, block);
      found = Lists::find(list, block, where.entry, run_of(where, docid), docid) != kNone;
    }
    kept = keep_documents(held, kept, live && found == of.query.conjunction, docid, 0);
  }
  return kept;
}

// The same where holds(docid), called by single lanes, tells whether the list has a document.
template <class Holds>
__device__ inline std::uint32_t look_up_by(const TaskQuery& of, Held& held, std::uint32_t count, const Holds& holds) {
  const std::uint32_t lane = lane_of_warp();
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count, asked = live && held.places[at] < kAbsent;
    const DocId docid = live ? held.docids[at] : 0;
    const bool found = asked && holds(docid);
    kept = keep_documents(held, kept, live && found == of.query.conjunction, docid, 0);
  }
  return kept;
}

// The same in the way that suits the list.
template <class Lists>
__device__ inline std::uint32_t look_up_any(const TaskQuery& of, const DeviceList& list, Held& held,
                                            std::uint32_t count, Progress& progress) {
  if constexpr (requires { Lists::holds(list, DocId{}); }) {
    if (of.batch.by_bucket) return look_up_by(of, held, count, [&](DocId docid) { return Lists::holds(list, docid); });
  }
  return look_up_documents<Lists>(of, list, held, count, progress);
}

// Emits those of the first `count` held documents, all of which match, that may be among the k first.
__device__ inline void emit_documents(const TaskQuery& of, const Held& held, std::uint32_t count, Progress& progress) {
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane_of_warp();
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    const Score score = score_in_order(docid, of.query.origin);
    progress.threshold = max(progress.threshold, read_together(&of.state->threshold));
    const bool wanted = live && score >= progress.threshold;
    if (!__any_sync(kFullWarp, wanted)) return;  // later documents have lower scores
    emit(of, docid, score, wanted, progress);
  }
}

// Looks the first `count` held documents up in the other lists, and emits those that match and are not hidden. Returns
// how many these are.
// Held is free afterwards.
template <class Lists>
__device__ inline std::uint32_t settle_documents(const TaskQuery& of, const TaskRange& range, Held& held,
                                                 std::uint32_t count, Progress& progress) {
  __syncwarp();
  const OtherLists others = others_of(of, range);
  for (std::uint32_t i = others.first; i < others.end && count > 0; ++i) {
    const DeviceList& list = of.terms[i].list;
    if (i > others.first) count = sift_documents(of, list, held, count);  // gather_documents() has asked the first one
    if (!marks_decide(list)) count = look_up_any<Lists>(of, list, held, count, progress);
  }
  if (of.query.hidden != nullptr) count = drop_hidden(of.query, held, count);
  if (of.query.k > 0) emit_documents(of, held, count, progress);
  __syncwarp();
  return count;
}

// A whole task. Adds its matches to the query's if progress.counting. Lane t keeps the entry of the task's block t.
template <class Lists>
__device__ inline void run_unranked_task(const TaskQuery& of, const TaskRange& range, Held& held,
                                         typename Lists::Scratch& scratch, Progress& progress) {
  const DeviceList& list = of.terms[range.driver].list;
  const std::uint32_t lane = lane_of_warp();
  const std::uint32_t blocks = min(range.max_blocks, list.block_count - range.first_block);
  BlockEntry entry{};
  std::uint32_t before = 0;
  if (lane < blocks) {
    entry = load_entry(list.blocks + range.first_block + lane);
    before = docid_before(list.blocks, range.first_block + lane);
  }
  // A bit for each block to read. The first block of a segment has no docID before it, so it counts as early.
  const bool early = progress.counting || score_in_order(before + 1, of.query.origin) >= progress.threshold;
  std::uint32_t left = __ballot_sync(kFullWarp, lane < blocks && early), count = 0, matches = 0;
  while (left != 0 || count > 0) {
    if (left == 0 || count > kHeld - codec::kBlockLength) {
      matches += settle_documents<Lists>(of, range, held, count, progress);
      count = 0;
      continue;
    }
    const int from = __ffs(static_cast<int>(left)) - 1;
    left &= left - 1;
    BlockEntry one{};
    one.docids = __shfl_sync(kFullWarp, entry.docids, from);
    one.frequencies = __shfl_sync(kFullWarp, entry.frequencies, from);
    one.deficit_and_count = __shfl_sync(kFullWarp, entry.deficit_and_count, from);
    const std::uint32_t start = __shfl_sync(kFullWarp, before, from);
    count = gather_documents<Lists>(of, range, one, start, static_cast<std::uint32_t>(from), held, count, scratch,
                                    progress);
  }
  if (lane == 0 && progress.counting && matches > 0) atomicAdd(&of.state->matches, matches);
}

}  // namespace frond::leaf::gpu::search
