#include "leaf/gpu/batch_workspace.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// Device memory for work: states | bins | number of the next task | candidates' keys, as many as fit.
constexpr std::size_t kBinsOffset = rounded(kMaxQueries * sizeof(QueryState));
constexpr std::size_t kNextOffset = kBinsOffset + std::size_t{kMaxQueries} * kBins * sizeof(std::uint32_t);
constexpr std::size_t kKeysOffset = kNextOffset + 256;
// Pinned memory for results: answers | hits.
constexpr std::size_t kHitsOffset = rounded(kMaxQueries * sizeof(AnswerOfQuery));
constexpr std::size_t kAnsweredBytes = kHitsOffset + BatchWorkspace::kHitPlaces * sizeof(HitOnDevice);

// For counts: number of matches by query | begin of the batch | limits of orders by query | counters; and of orders the
// keys, ties and numbers of what thread blocks keep.
constexpr std::size_t kBeganOffset = rounded(kMaxQueries * sizeof(std::uint32_t));
constexpr std::size_t kLimitsOffset = kBeganOffset + 256;
constexpr std::size_t kCountersOffset = kLimitsOffset + rounded(kMaxQueries * sizeof(std::uint64_t));
constexpr std::size_t kDelivered = BatchWorkspace::kHitPlaces * sizeof(HitOnDevice) / sizeof(std::uint32_t);
static_assert(BatchWorkspace::kHitPlaces * sizeof(HitOnDevice) >= kMaxCounters * sizeof(std::uint32_t));

}  // namespace

Result<BatchWorkspace> BatchWorkspace::create(int device, std::size_t bytes, int points) {
  using device::Memory, device::Place;
  if (bytes < kMinBytes) return Error(Code::kInvalid, "a GPU workspace of " + std::to_string(bytes) + " bytes");
  FROND_TRY(device::use(device));
  const auto properties = FROND_TRY(device::properties_of(device));
  auto stream = FROND_TRY(device::Stream::create());
  auto ended = FROND_TRY(device::Event::create());
  auto input = FROND_TRY(Memory::create(Place::kDevice, kInputBytes));
  auto work = FROND_TRY(Memory::create(Place::kDevice, bytes - kInputBytes));
  auto staged_input = FROND_TRY(Memory::create(Place::kPinnedHost, kInputBytes));
  auto answered = FROND_TRY(Memory::create(Place::kPinnedHost, kAnsweredBytes));
  std::memset(answered.data(), 0, kHitsOffset);  // launch number 0: no answer yet, since the first launch has number 1
  std::vector<device::Event> made;
  made.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) made.push_back(FROND_TRY(device::Event::create(true)));
  return BatchWorkspace{std::move(stream),    std::move(ended),
                        std::move(made),      std::move(input),
                        std::move(work),      std::move(staged_input),
                        std::move(answered),  static_cast<std::uint32_t>(properties.processors),
                        properties.major >= 9};
}

std::size_t BatchWorkspace::candidates() const { return (work.bytes() - kKeysOffset) / sizeof(std::uint64_t); }

HitOnDevice* BatchWorkspace::hits() const { return reinterpret_cast<HitOnDevice*>(answered.data() + kHitsOffset); }

void BatchWorkspace::attach(BatchOnDevice& batch, std::size_t input_bytes) const {
  batch.staged = staged_input.data();
  batch.input = input.data();
  batch.input_bytes = static_cast<std::uint32_t>(input_bytes);
  batch.candidates =
      static_cast<std::uint32_t>(std::min<std::size_t>(candidates() / batch.query_count, kMaxCandidates));
  batch.states = reinterpret_cast<QueryState*>(work.data());
  batch.bins = reinterpret_cast<std::uint32_t*>(work.data() + kBinsOffset);
  batch.next_place = reinterpret_cast<std::uint32_t*>(work.data() + kNextOffset);
  batch.keys = reinterpret_cast<std::uint64_t*>(work.data() + kKeysOffset);
  batch.answers = answers();
  batch.hits = hits();
  batch.early = early;
  const std::uint32_t places = places_of(batch);
  const std::uint32_t whole_blocks = (places + kSearchBlockWarps - 1) / kSearchBlockWarps * kSearchBlockWarps;
  batch.search_warps = std::min(whole_blocks, processors * kSearchWarps);
}

bool BatchWorkspace::has_room(std::size_t counters, Orders orders, std::size_t queries, std::size_t pieces,
                              std::size_t hits) const {
  if (orders == Orders::kNone) queries = 0;
  const std::size_t places = queries * pieces * hits;
  const std::size_t bytes = rounded(counters * sizeof(std::uint32_t)) + places * sizeof(std::uint64_t) +
                            (places + queries * pieces) * sizeof(std::uint32_t);
  const std::size_t delivered = queries * hits * (orders == Orders::kByScores ? 2 : 1);
  return counters + delivered <= kDelivered && bytes <= work.bytes() - kCountersOffset;
}

void BatchWorkspace::attach(CountBatch& batch) const {
  batch.staged = staged_input.data();
  batch.input = input.data();
  batch.matches = reinterpret_cast<std::uint32_t*>(work.data());
  batch.began_ns = reinterpret_cast<std::uint64_t*>(work.data() + kBeganOffset);
  batch.limits = reinterpret_cast<std::uint64_t*>(work.data() + kLimitsOffset);
  batch.counters = reinterpret_cast<std::uint32_t*>(work.data() + kCountersOffset);
  const std::size_t pieces = std::size_t{batch.query_count} * batch.pieces, places = pieces * batch.most_hits;
  batch.first_keys = reinterpret_cast<std::uint64_t*>(work.data() + kCountersOffset +
                                                      rounded(batch.counter_count * sizeof(std::uint32_t)));
  batch.kept_ties = reinterpret_cast<std::uint32_t*>(batch.first_keys + places);
  batch.held = batch.kept_ties + places;
  batch.counted = counted();
  batch.answers = answers();
}

}  // namespace frond::leaf::gpu
