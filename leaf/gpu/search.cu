#include "leaf/gpu/search.h"

#include "common/device/early_launch.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/threshold.cuh"

namespace frond::leaf::gpu {
namespace {

using scoring::Score;

// Warps work by themselves, and share a thread block only because a processor has places for few of these.
constexpr std::uint32_t kWarps = kSearchBlockWarps, kThreads = 32 * kWarps;
constexpr std::uint32_t kHeld = 256;  // documents of the driving list that are looked up together
constexpr std::uint32_t kNone = 0xffffffff;

// A warp's own part of shared memory, 2.5 KiB.
struct alignas(16) Held {
  DocId docids[kHeld];          // ascending
  Score scores[kHeld];          // so far; kAnd: kNone, if the document can't be among the k best
  std::uint16_t places[kHeld];  // kAnd: block of the task * 128 + posting, in the driving list
};

// What a warp knows. All its lanes hold the same, but for `lane`.
struct Warp {
  const BatchOnDevice& batch;
  const QueryOnDevice& query;
  const TermOnDevice* terms;  // of the query
  QueryState* state;
  Held& held;
  std::uint32_t lane, number;        // number: of the query
  std::uint32_t driver, first;       // the driving term, and the first block of the task
  std::uint32_t chunk, split, part;  // how many blocks, or which part of one
  Score threshold;
  // kAnd: every match is still to be counted. Those held are without the driving term's score then.
  bool counting, enough = false;
  std::uint32_t runs = 0;
};

__device__ std::uint32_t lanes_below(std::uint32_t lane) { return (1u << lane) - 1; }

// What all lanes have read at one moment; other warps write it.
__device__ std::uint32_t read_together(const std::uint32_t* from) { return __shfl_sync(kFullWarp, __ldcg(from), 0); }

// The blocks that may hold the document: from low to high. Two words of the table.
struct Range {
  std::uint32_t low, high;
};
__device__ Range range_of(const DeviceList& list, DocId docid) {
  const std::uint32_t* range = list.table + (docid >> list.table_shift);
  return {__ldg(range), __ldg(range + 1)};
}

// The block that may hold the document, with its entry; number block_count: none.
struct Located {
  std::uint32_t block;
  BlockEntry entry;
};
__device__ Located locate(const DeviceList& list, DocId docid, Range range) {
  while (range.high - range.low > 1) {
    const std::uint32_t middle = (range.low + range.high) / 2;
    if (__ldg(&list.blocks[middle].last) < docid)
      range.low = middle + 1;
    else
      range.high = middle;
  }
  // One or two are left, and mostly it is the first: its entry answers both where and what.
  Located at{range.low, load_entry(list.blocks + range.low)};
  if (range.low < range.high && at.entry.last < docid) at = {range.high, load_entry(list.blocks + range.high)};
  return at;
}

// Where in the block the document is; kNone: it is not there. A lane alone: it unpacks one run of the block, whose
// start is known, so 32 lanes search 32 blocks with as many instructions as one.
__device__ std::uint32_t find_in_block(const DeviceList& list, const Located& where, DocId docid) {
  const uint4* starts = reinterpret_cast<const uint4*>(list.starts + std::size_t{where.block} * kRuns);
  const uint4 low_starts = __ldg(starts), high_starts = __ldg(starts + 1);
  const std::uint32_t all[kRuns - 1] = {low_starts.y,  low_starts.z,  low_starts.w, high_starts.x,
                                        high_starts.y, high_starts.z, high_starts.w};
  std::uint32_t run = 0, sum = low_starts.x;
#pragma unroll
  for (std::uint32_t i = 0; i < kRuns - 1; ++i) {
    if (all[i] >= docid) continue;
    sum = all[i];
    run = i + 1;
  }
  // Four rows of bits, one behind the other: in each, one number of every lane of the format.
  const std::uint32_t width = width_of(where.entry.docids), bit = run * (kRunLength / 4) * width;
  const std::uint32_t mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  const auto* row = reinterpret_cast<const uint4*>(list.image + offset_of(where.entry.docids)) + bit / 32;
  std::uint32_t shift = bit % 32, index = kNone;
  uint4 low = make_uint4(0, 0, 0, 0);
  if (width != 0) low = __ldg(row);
#pragma unroll
  for (std::uint32_t i = 0; i < kRunLength / 4; ++i) {
    uint4 high = low;
    if (shift + width >= 32) high = __ldg(++row);
    sum += (__funnelshift_r(low.x, high.x, shift) & mask) + 1;
    if (sum == docid) index = 4 * i;
    sum += (__funnelshift_r(low.y, high.y, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 1;
    sum += (__funnelshift_r(low.z, high.z, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 2;
    sum += (__funnelshift_r(low.w, high.w, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 3;
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      low = high;
    }
  }
  return index == kNone ? kNone : run * kRunLength + index;
}

__device__ Score score_posting(const Warp& warp, const TermOnDevice& term, PackedPlace frequencies, std::uint32_t index,
                               DocId docid) {
  const std::uint32_t frequency = one_frequency(term.list.image, frequencies, index);
  return scoring::contribution(term.weight, frequency, __ldg(warp.query.lengths + docid), warp.query.norm);
}

// Looks the first `count` held documents up in a term's list. Those that still matter stay, in their order; returns how
// many. kAnd: those that the list has, and once enough are counted, may reach the threshold. kOr, a term behind the
// driving one: those that may reach the threshold. kOr, a term before it: those that the list has not, for the others
// are found where that term drives.
__device__ std::uint32_t look_up(Warp& warp, std::uint32_t number, std::uint32_t count) {
  const TermOnDevice& term = warp.terms[number];
  const bool conjunction = warp.query.conjunction, before_driver = number < warp.driver;
  const Score behind = warp.counting ? term.rest + warp.terms[0].most : term.rest;
  const Range none{term.list.block_count, term.list.block_count};
  Range ahead = warp.lane < count ? range_of(term.list, warp.held.docids[warp.lane]) : none;
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + warp.lane;
    bool live = at < count;
    const DocId docid = live ? warp.held.docids[at] : 0;
    Score score = live ? warp.held.scores[at] : 0;
    const std::uint16_t place = live ? warp.held.places[at] : std::uint16_t{0};
    const Range range = ahead;
    ahead = at + 32 < count ? range_of(term.list, warp.held.docids[at + 32]) : none;  // there in the next round
    Located where{term.list.block_count, {}};
    if (live) where = locate(term.list, docid, range);
    bool wanted = where.block < term.list.block_count;
    const auto deficit = static_cast<scoring::PackedDeficit>(where.entry.deficit_and_count >> 16);
    const Score most = wanted && !before_driver ? term.bounds.bound(deficit) : 0;
    const bool matters = live && score != kNone && score + most + behind >= warp.threshold;
    if (!warp.counting && !before_driver) {
      live = matters;
      wanted = wanted && live;
    }
    std::uint32_t index = kNone;
    if (wanted) index = find_in_block(term.list, where, docid);
    warp.runs += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, wanted)));
    const bool found = index != kNone;
    if (warp.counting && !matters)
      score = kNone;
    else if (found && !before_driver)
      score += score_posting(warp, term, where.entry.frequencies, index, docid);
    const bool keep = before_driver
                          ? live && !found
                          : live && (found || !conjunction) && (warp.counting || score + term.rest >= warp.threshold);
    const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
    __syncwarp();  // all have read theirs
    if (keep) {
      const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(warp.lane)));
      warp.held.docids[to] = docid;
      warp.held.scores[to] = score;
      warp.held.places[to] = place;
    }
    __syncwarp();
    kept += static_cast<std::uint32_t>(__popc(keepers));
  }
  return kept;
}

// Puts the lanes' documents among the query's candidates, counts their scores in its bins and, now and then, raises the
// threshold.
__device__ void emit(Warp& warp, DocId docid, Score score, bool wanted) {
  const std::uint32_t emitting = __ballot_sync(kFullWarp, wanted);
  if (emitting == 0) return;
  const auto count = static_cast<std::uint32_t>(__popc(emitting));
  std::uint32_t first = 0;
  if (warp.lane == 0) first = atomicAdd(&warp.state->emitted, count);
  first = __shfl_sync(kFullWarp, first, 0);
  if (wanted) {
    const std::uint32_t to = first + static_cast<std::uint32_t>(__popc(emitting & lanes_below(warp.lane)));
    if (to < warp.batch.candidates)
      warp.batch.keys[std::size_t{warp.number} * warp.batch.candidates + to] = std::uint64_t{score} << 32 | (~docid);
    atomicAdd(warp.batch.bins + std::size_t{warp.number} * kBins + bin_of(score, warp.query.bin_shift), 1u);
  }
  const std::uint32_t k = warp.query.k, step = max(k / 4, 8u);
  if (first + count < k || (first + count) / step == first / step) return;
  const Score raised = threshold_of_query(warp.batch, warp.number, warp.lane);
  if (warp.lane == 0) atomicMax(&warp.state->threshold, raised);
  warp.threshold = max(warp.threshold, raised);
}

// Adds to the query's matches. Behind the held documents scores are all that matters, if enough are counted.
__device__ void count_matches(Warp& warp, std::uint32_t count) {
  if (warp.query.count_to == kCountAll) {
    if (warp.lane == 0 && count > 0) atomicAdd(&warp.state->matches, count);  // nobody waits for what it was
    return;
  }
  std::uint32_t all = 0;
  if (warp.lane == 0) all = (count ? atomicAdd(&warp.state->matches, count) : __ldcg(&warp.state->matches)) + count;
  warp.enough = __shfl_sync(kFullWarp, all, 0) > warp.query.count_to;
}

// Looks the held documents up in all other lists, and emits those that are left.
__device__ void settle(Warp& warp, std::uint32_t count) {
  __syncwarp();
  warp.threshold = max(warp.threshold, read_together(&warp.state->threshold));
  // The terms behind the driving one, then those before it.
  for (std::uint32_t i = 1; i < warp.query.terms && count > 0; ++i) {
    const std::uint32_t term = warp.driver + i;
    count = look_up(warp, term < warp.query.terms ? term : term - warp.query.terms, count);
  }
  if (warp.query.conjunction) count_matches(warp, count);
  const TermOnDevice& driver = warp.terms[warp.driver];
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + warp.lane;
    const bool live = at < count;
    const DocId docid = live ? warp.held.docids[at] : 0;
    Score score = live ? warp.held.scores[at] : 0;
    if (live && warp.counting) {
      const std::uint32_t place = warp.held.places[at];
      const BlockEntry entry = load_entry(driver.list.blocks + warp.first + place / codec::kBlockLength);
      const auto deficit = static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16);
      if (score == kNone || score + driver.bounds.bound(deficit) < warp.threshold)
        score = 0;
      else
        score += score_posting(warp, driver, entry.frequencies, place % codec::kBlockLength, docid);
    }
    warp.threshold = max(warp.threshold, read_together(&warp.state->threshold));
    emit(warp, docid, score, live && score >= warp.threshold);
  }
  if (warp.enough) warp.counting = false;
  __syncwarp();
}

// The documents of one block of the driving list that may matter go behind the `count` held ones; with their scores by
// this term, unless every match is to be counted.
__device__ std::uint32_t hold_block(Warp& warp, const BlockEntry& entry, std::uint32_t before, std::uint32_t block,
                                    std::uint32_t count) {
  const TermOnDevice& term = warp.terms[warp.driver];
  const QueryOnDevice& query = warp.query;
  const Four docids = decode_docids(term.list.image, entry.docids, before, warp.lane);
  const std::uint32_t size = entry.deficit_and_count & 0xffffu;
  Four frequencies{};
  if (!warp.counting) frequencies = unpack_four(term.list.image, entry.frequencies, warp.lane);
  warp.runs += kRuns;
  bool keep[4];
  Score scores[4];
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * warp.lane + i;
    keep[i] = index < size && index * (1u << warp.split) / codec::kBlockLength == warp.part;
    scores[i] = 0;
    if (keep[i] && !warp.counting) {
      // By the shortest length there is first: that of the document is far away in memory.
      const std::uint32_t frequency = frequencies.at[i] + 1;
      keep[i] =
          scoring::contribution(term.weight, frequency, query.min_length, query.norm) + term.rest >= warp.threshold;
      if (keep[i]) {
        scores[i] = scoring::contribution(term.weight, frequency, __ldg(query.lengths + docids.at[i]), query.norm);
        keep[i] = scores[i] + term.rest >= warp.threshold;
      }
    }
    mine += keep[i];
  }
  const std::uint32_t start = sum_before(mine, warp.lane);
  std::uint32_t to = count + start;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (!keep[i]) continue;
    warp.held.docids[to] = docids.at[i];
    warp.held.scores[to] = scores[i];
    warp.held.places[to] = static_cast<std::uint16_t>(block * codec::kBlockLength + 4 * warp.lane + i);
    ++to;
  }
  return count + __shfl_sync(kFullWarp, start + mine, 31);
}

__device__ void run_task(Warp& warp) {
  const TermOnDevice& term = warp.terms[warp.driver];
  const std::uint32_t blocks = min(warp.chunk, term.list.block_count - warp.first);
  if (!warp.counting && term.most + term.rest < warp.threshold) return;
  BlockEntry entry{};
  std::uint32_t before = 0;
  Score most = 0;
  if (warp.lane < blocks) {
    entry = load_entry(term.list.blocks + warp.first + warp.lane);
    before = docid_before(term.list.blocks, warp.first + warp.lane);
    most = term.bounds.bound(static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16)) + term.rest;
  }
  const auto matter = [&] {  // blocks that may have something to add
    return __ballot_sync(kFullWarp, warp.lane < blocks && (warp.counting || most >= warp.threshold));
  };
  std::uint32_t left = matter(), count = 0;
  while (left != 0 || count > 0) {
    if (left == 0 || count > kHeld - codec::kBlockLength) {
      settle(warp, count);
      left &= matter();
      count = 0;
      continue;
    }
    const int from = __ffs(static_cast<int>(left)) - 1;
    left &= left - 1;
    BlockEntry one{};
    one.docids = __shfl_sync(kFullWarp, entry.docids, from);
    one.frequencies = __shfl_sync(kFullWarp, entry.frequencies, from);
    one.deficit_and_count = __shfl_sync(kFullWarp, entry.deficit_and_count, from);
    const std::uint32_t behind = __shfl_sync(kFullWarp, before, from);
    count = hold_block(warp, one, behind, static_cast<std::uint32_t>(from), count);
  }
}

__device__ void search_task(const BatchOnDevice& batch, Held& held, std::uint32_t task) {
  const Row* row = batch.rows + batch.group_rows[task / kTasksOfAGroup];
  while (row[1].first_task <= task) ++row;
  const QueryOnDevice& query = batch.queries[row->query];
  QueryState* state = batch.states + row->query;
  const std::uint32_t matches = read_together(&state->matches);
  Warp warp{.batch = batch,
            .query = query,
            .terms = batch.terms + query.first_term,
            .state = state,
            .held = held,
            .lane = lane_of_warp(),
            .number = row->query,
            .driver = row->term,
            .first = ((task - row->first_task) >> row->split) * row->chunk,
            .chunk = row->chunk,
            .split = row->split,
            .part = (task - row->first_task) & ((1u << row->split) - 1),
            .threshold = read_together(&state->threshold),
            .counting = query.conjunction && matches <= query.count_to};
  run_task(warp);
  if (warp.lane == 0 && warp.runs > 0) atomicAdd(&state->runs, warp.runs);
}

// As many warps as the device holds, or fewer; each takes one task after the other, until there are none. Neighbouring
// tasks belong to different queries where there are many, so that a query's threshold has risen before most of its
// tasks begin.
__global__ void __launch_bounds__(kThreads, kSearchWarps / kWarps) search(BatchOnDevice batch) {
  __shared__ Held held[kWarps];
  device::await_kernel_before();
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t places = batch.columns * batch.column_tasks;
  for (std::uint32_t index = blockIdx.x * kWarps + warp; index < places;) {
    std::uint32_t next = 0;
    if (lane == 0) next = atomicAdd(batch.next_place, 1u);  // here, so that it has come when it is wanted
    const std::uint32_t task = index % batch.columns * batch.column_tasks + index / batch.columns;
    if (task < batch.task_count) search_task(batch, held[warp], task);
    index = __shfl_sync(kFullWarp, next, 0);
  }
}

}  // namespace

Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream) {
  const auto launch = batch.early ? device::launch_early<BatchOnDevice> : device::launch<BatchOnDevice>;
  return launch("search_lists", search, batch.search_warps / kWarps, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu
