#include "leaf/gpu/search.h"

#include "common/device/launch.cuh"
#include "leaf/gpu/threshold.cuh"

namespace frond::leaf::gpu {
namespace {

using scoring::Score;

// One warp a thread block: tasks end at very different times, and what a thread block holds is free only when its last
// warp ends.
constexpr std::uint32_t kThreads = 32;
constexpr std::uint32_t kHeld = 256;  // documents of the driving list that are looked up together
constexpr std::uint32_t kNone = 0xffffffff;

// A warp's own part of shared memory, 3 KiB.
struct alignas(16) Held {
  DocId docids[kHeld];  // ascending
  Score scores[kHeld];
  std::uint16_t places[kHeld];       // kAnd: block of the task * 128 + posting, in the driving list
  DocId block[codec::kBlockLength];  // of the list that is searched
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
  std::uint32_t decoded_term = kNone, decoded_block = kNone;  // what held.block has
  std::uint32_t blocks = 0, matches = 0;
};

__device__ std::uint32_t lanes_below(std::uint32_t lane) { return (1u << lane) - 1; }

// The block of the list that may hold the document; block_count: none. By the table, then by halving.
__device__ std::uint32_t find_block(const DeviceList& list, DocId docid) {
  const std::uint32_t* range = list.table + (docid >> list.table_shift);
  std::uint32_t low = __ldg(range), high = __ldg(range + 1);
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (__ldg(&list.blocks[middle].last) < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__device__ void decode_into_held(Warp& warp, std::uint32_t term, std::uint32_t block) {
  const DeviceList& list = warp.terms[term].list;
  const BlockEntry entry = load_entry(list.blocks + block);
  const std::uint32_t before = docid_before(list.blocks, block);
  const Four docids = decode_docids(list.image, entry.docids, before, warp.lane);
  __syncwarp();  // all have searched the block before
  reinterpret_cast<uint4*>(warp.held.block)[warp.lane] =
      make_uint4(docids.at[0], docids.at[1], docids.at[2], docids.at[3]);
  __syncwarp();
  warp.decoded_term = term;
  warp.decoded_block = block;
  ++warp.blocks;
}

// Where in its block each lane's document is; kNone: it is not there, or the lane does not want to know. Lanes ascend
// in `docid`, so every block is decoded once.
__device__ std::uint32_t find_postings(Warp& warp, std::uint32_t term, DocId docid, std::uint32_t block, bool wanted) {
  std::uint32_t index = kNone;
  for (std::uint32_t open = __ballot_sync(kFullWarp, wanted); open != 0;) {
    const std::uint32_t next = __shfl_sync(kFullWarp, block, __ffs(static_cast<int>(open)) - 1);
    if (term != warp.decoded_term || next != warp.decoded_block) decode_into_held(warp, term, next);
    const bool mine = wanted && block == next;
    if (mine) {
      std::uint32_t at = 0;
      for (std::uint32_t step = codec::kBlockLength / 2; step > 0; step /= 2)
        if (warp.held.block[at + step - 1] < docid) at += step;
      if (warp.held.block[at] == docid) index = at;
    }
    open &= ~__ballot_sync(kFullWarp, mine);
  }
  return index;
}

__device__ Score score_posting(const Warp& warp, const TermOnDevice& term, PackedPlace frequencies, std::uint32_t index,
                               DocId docid) {
  const std::uint32_t frequency = one_frequency(term.list.image, frequencies, index);
  return scoring::contribution(term.weight, frequency, __ldg(warp.query.lengths + docid), warp.query.norm);
}

// Looks the first `count` held documents up in a term's list. Those that still matter stay, in their order; returns how
// many. kAnd: those that the list has. kOr, a term behind the driving one: those that may reach the threshold. kOr, a
// term before it: those that the list has not, for the others are found where that term drives.
__device__ std::uint32_t look_up(Warp& warp, std::uint32_t number, std::uint32_t count) {
  const TermOnDevice& term = warp.terms[number];
  const bool conjunction = warp.query.conjunction, before_driver = number < warp.driver;
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + warp.lane;
    bool live = at < count;
    const DocId docid = live ? warp.held.docids[at] : 0;
    Score score = live ? warp.held.scores[at] : 0;
    const std::uint16_t place = live ? warp.held.places[at] : std::uint16_t{0};
    const std::uint32_t block = live ? find_block(term.list, docid) : term.list.block_count;
    bool wanted = block < term.list.block_count;
    BlockEntry entry{};
    if (wanted) entry = load_entry(term.list.blocks + block);
    if (!conjunction && !before_driver) {
      const Score most =
          wanted ? term.bounds.bound(static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16)) : 0;
      live = live && score + most + term.rest >= warp.threshold;
      wanted = wanted && live;
    }
    const std::uint32_t index = find_postings(warp, number, docid, block, wanted);
    const bool found = index != kNone;
    if (found && !before_driver) score += score_posting(warp, term, entry.frequencies, index, docid);
    const bool keep = conjunction     ? found
                      : before_driver ? live && !found
                                      : live && score + term.rest >= warp.threshold;
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

// Looks the held documents up in all other lists, and emits those that are left.
__device__ void settle(Warp& warp, std::uint32_t count) {
  __syncwarp();
  warp.threshold = max(warp.threshold, __ldcg(&warp.state->threshold));
  // The terms behind the driving one, then those before it.
  for (std::uint32_t i = 1; i < warp.query.terms && count > 0; ++i) {
    const std::uint32_t term = warp.driver + i;
    count = look_up(warp, term < warp.query.terms ? term : term - warp.query.terms, count);
  }
  if (warp.query.conjunction) warp.matches += count;
  const TermOnDevice& driver = warp.terms[warp.driver];
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + warp.lane;
    const bool live = at < count;
    const DocId docid = live ? warp.held.docids[at] : 0;
    Score score = live ? warp.held.scores[at] : 0;
    if (live && warp.query.conjunction) {
      const std::uint32_t place = warp.held.places[at];
      const BlockEntry entry = load_entry(driver.list.blocks + warp.first + place / codec::kBlockLength);
      score += score_posting(warp, driver, entry.frequencies, place % codec::kBlockLength, docid);
    }
    warp.threshold = max(warp.threshold, __ldcg(&warp.state->threshold));
    emit(warp, docid, score, live && score >= warp.threshold);
  }
  __syncwarp();
}

// The documents of one block of the driving list that may matter go behind the `count` held ones. kOr: with their
// scores by this term.
__device__ std::uint32_t hold_block(Warp& warp, const BlockEntry& entry, std::uint32_t before, std::uint32_t block,
                                    std::uint32_t count) {
  const TermOnDevice& term = warp.terms[warp.driver];
  const QueryOnDevice& query = warp.query;
  const Four docids = decode_docids(term.list.image, entry.docids, before, warp.lane);
  const std::uint32_t size = entry.deficit_and_count & 0xffffu;
  Four frequencies{};
  if (!query.conjunction) frequencies = unpack_four(term.list.image, entry.frequencies, warp.lane);
  ++warp.blocks;
  bool keep[4];
  Score scores[4];
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * warp.lane + i;
    keep[i] = index < size && index * (1u << warp.split) / codec::kBlockLength == warp.part;
    scores[i] = 0;
    if (keep[i] && !query.conjunction) {
      // By the shortest length there is first: that of the document is far away in memory.
      const std::uint32_t frequency = frequencies.at[i] + 1;
      keep[i] =
          scoring::contribution(term.weight, frequency, query.least_length, query.norm) + term.rest >= warp.threshold;
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
  if (!warp.query.conjunction && term.most + term.rest < warp.threshold) return;
  BlockEntry entry{};
  std::uint32_t before = 0;
  bool alive = warp.lane < blocks;
  if (alive) {
    entry = load_entry(term.list.blocks + warp.first + warp.lane);
    before = docid_before(term.list.blocks, warp.first + warp.lane);
    if (!warp.query.conjunction)
      alive = term.bounds.bound(static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16)) + term.rest >=
              warp.threshold;
  }
  std::uint32_t left = __ballot_sync(kFullWarp, alive), count = 0;
  while (left != 0 || count > 0) {
    if (left == 0 || count > kHeld - codec::kBlockLength) {
      settle(warp, count);
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

// One thread block, of one warp, a task; 3 KiB of shared memory. Neighbouring warps work on different queries where
// there are many, so that a query's threshold has risen before most of its tasks begin.
__global__ void __launch_bounds__(kThreads, 32) search(BatchOnDevice batch) {
  __shared__ Held held;
  const std::uint32_t lane = lane_of_warp(), index = blockIdx.x;
  const std::uint32_t task = index % batch.columns * batch.column_tasks + index / batch.columns;
  if (index / batch.columns >= batch.column_tasks || task >= batch.task_count) return;  // the whole warp
  const Row* row = batch.rows + batch.group_rows[task / kTasksOfAGroup];
  while (row[1].first_task <= task) ++row;
  const QueryOnDevice& query = batch.queries[row->query];
  QueryState* state = batch.states + row->query;
  Warp warp{.batch = batch,
            .query = query,
            .terms = batch.terms + query.first_term,
            .state = state,
            .held = held,
            .lane = lane,
            .number = row->query,
            .driver = row->term,
            .first = ((task - row->first_task) >> row->split) * row->chunk,
            .chunk = row->chunk,
            .split = row->split,
            .part = (task - row->first_task) & ((1u << row->split) - 1),
            .threshold = __ldcg(&state->threshold)};
  run_task(warp);
  if (lane != 0) return;
  if (warp.blocks > 0) atomicAdd(&state->blocks, warp.blocks);
  if (warp.matches > 0) atomicAdd(&state->matches, warp.matches);
}

}  // namespace

Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("search_lists", search, batch.columns * batch.column_tasks, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu
