#include "leaf/gpu/batch_runner.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "leaf/gpu/search.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::size_t kInputBytes = std::size_t{4} << 20;
constexpr std::size_t kHitPlaces = std::size_t{1} << 18;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 27;  // of a part's lists: 17 billion postings
constexpr std::size_t kStateBytes = kMostQueries * sizeof(QueryState);
constexpr std::size_t kAnswerBytes = kStateBytes + kHitPlaces * sizeof(HitOnDevice);
constexpr std::size_t kBinBytes = std::size_t{kMostQueries} * kBins * sizeof(std::uint32_t);
constexpr int kRounds = 3;  // for queries whose candidates did not fit
static_assert(kStateBytes % 256 == 0 && kAnswerBytes % 256 == 0);

// Where hits lie behind the states of so many queries: what is copied back is one piece, and no more than it must be.
constexpr std::size_t hits_offset(std::size_t queries) { return (queries * sizeof(QueryState) + 255) / 256 * 256; }

Outcome outcome_of(const ReadyPlan& ready, const QueryState& state, const HitOnDevice* hits) {
  const Plan& plan = *ready.plan;
  Outcome outcome;
  for (std::uint32_t i = 0; i < state.found; ++i)
    outcome.hits.push_back({plan.base + hits[i].docid * plan.stride, hits[i].score});
  std::uint64_t longest = 0;
  for (const PlanTerm& term : plan.terms) longest = std::max(longest, term.list->postings.count());
  outcome.postings_decoded = std::uint64_t{state.blocks} * codec::kBlockLength;
  if (plan.terms.size() == 1) {
    outcome.matches = longest;
  } else if (plan.mode == Mode::kAnd) {
    outcome.matches = state.matches;
  } else {
    // Fewer than k, and no floor: then nothing was left out.
    outcome.exact = outcome.hits.size() < plan.k && ready.floor == 0;
    outcome.matches = std::max<std::uint64_t>(outcome.hits.size(), outcome.exact ? 0 : longest);
  }
  return outcome;
}

}  // namespace

struct BatchRunner::Space {
  device::Stream stream;
  device::Event done;
  device::Memory input, work;                   // device
  device::Memory staged_input, staged_answers;  // pinned

  std::size_t keys() const { return (work.bytes() - kAnswerBytes - kBinBytes) / sizeof(std::uint64_t); }
};

void BatchRunner::SpaceDeleter::operator()(Space* space) const { delete space; }

Result<std::unique_ptr<BatchRunner>> BatchRunner::create(int device, std::size_t bytes) {
  using device::Memory, device::Place;
  if (bytes < kLeastBytes) return Error(Code::kInvalid, "a GPU workspace of " + std::to_string(bytes) + " bytes");
  FROND_TRY(device::use(device));
  auto stream = FROND_TRY(device::Stream::create());
  auto done = FROND_TRY(device::Event::create());
  auto input = FROND_TRY(Memory::create(Place::kDevice, kInputBytes));
  auto work = FROND_TRY(Memory::create(Place::kDevice, bytes - kInputBytes));
  auto staged_input = FROND_TRY(Memory::create(Place::kPinnedHost, kInputBytes));
  auto staged_answers = FROND_TRY(Memory::create(Place::kPinnedHost, kAnswerBytes));
  std::unique_ptr<Space, SpaceDeleter> space(new Space{std::move(stream), std::move(done), std::move(input),
                                                       std::move(work), std::move(staged_input),
                                                       std::move(staged_answers)});
  return std::unique_ptr<BatchRunner>(new BatchRunner(device, std::move(space)));
}

// As many of the plans, from the front, as one launch takes; at least one.
BatchRunner::Part BatchRunner::next_part(std::span<const ReadyPlan* const> plans) const {
  Part part;
  std::size_t terms = 0, k = 1;
  std::uint64_t blocks = 0;
  for (const ReadyPlan* ready : plans) {
    terms += ready->lists.size();
    k = std::max<std::size_t>(k, ready->plan->k);
    for (const auto& list : ready->lists) blocks += list->list.block_count;
    const std::size_t queries = part.size() + 1;
    const bool fits = queries <= kMostQueries && terms <= kMostTerms && blocks <= kMostBlocks &&
                      queries * k <= kHitPlaces &&
                      queries * std::max<std::size_t>(kLeastCandidates, 8 * k) <= space_->keys();
    if (!fits && !part.empty()) break;
    part.push_back(ready);
  }
  return part;
}

Result<void> BatchRunner::run_part(const Part& plans, const Clock& clock, std::chrono::milliseconds patience) {
  Space& space = *space_;
  BuiltBatch built = build_batch(plans, space.input.data());
  if (built.bytes.size() > kInputBytes) return Error(Code::kOverloaded, "a batch too large for its staging memory");
  BatchOnDevice& batch = built.batch;
  std::uint32_t k = 1;
  for (const ReadyPlan* ready : plans) k = std::max(k, ready->plan->k);
  batch.hits_stride = k;
  batch.candidates = static_cast<std::uint32_t>(std::min<std::size_t>(space.keys() / plans.size(), kMostCandidates));
  batch.states = reinterpret_cast<QueryState*>(space.work.data());
  batch.hits = reinterpret_cast<HitOnDevice*>(space.work.data() + hits_offset(plans.size()));
  batch.bins = reinterpret_cast<std::uint32_t*>(space.work.data() + kAnswerBytes);
  batch.keys = reinterpret_cast<std::uint64_t*>(space.work.data() + kAnswerBytes + kBinBytes);

  const device::StreamHandle stream = space.stream.get();
  std::memcpy(space.staged_input.data(), built.bytes.data(), built.bytes.size());
  FROND_TRY(device::copy_to_device(space.input.data(), space.staged_input.data(), built.bytes.size(), stream));
  FROND_TRY(start_queries(batch, stream));
  FROND_TRY(search_lists(batch, stream));
  FROND_TRY(select_hits(batch, stream));
  const std::size_t answer_bytes = hits_offset(plans.size()) + plans.size() * k * sizeof(HitOnDevice);
  FROND_TRY(device::copy_to_host(space.staged_answers.data(), space.work.data(), answer_bytes, stream));
  FROND_TRY(space.done.record(stream));
  return wait(clock, patience);
}

// Asks again and again: an answer is due in microseconds, and waking up takes longer.
Result<void> BatchRunner::wait(const Clock& clock, std::chrono::milliseconds patience) const {
  const Deadline end = Deadline::after(clock, patience);
  while (!FROND_TRY(space_->done.done())) {
    if (end.passed(clock)) return Error(Code::kDevice, "GPU: no answer");
    std::this_thread::yield();
  }
  return {};
}

Result<std::vector<RunOutcome>> BatchRunner::run(std::span<const ReadyPlan* const> plans, const Clock& clock,
                                                 std::chrono::milliseconds patience) {
  FROND_TRY(device::use(device_));
  std::vector<RunOutcome> outcomes(plans.size());
  std::vector<const ReadyPlan*> current(plans.begin(), plans.end());
  std::deque<ReadyPlan> raised;                 // those of another round: with a higher floor
  std::vector<std::size_t> left(plans.size());  // of plans, by place
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (int round = 0; round < kRounds && !left.empty(); ++round) {
    std::vector<const ReadyPlan*> waiting;
    for (const std::size_t i : left) waiting.push_back(current[i]);
    std::vector<std::size_t> again;
    for (std::size_t first = 0; first < waiting.size();) {
      const Part part = next_part(std::span(waiting).subspan(first));
      FROND_TRY(run_part(part, clock, patience));
      const auto* states = reinterpret_cast<const QueryState*>(space_->staged_answers.data());
      const auto* hits = reinterpret_cast<const HitOnDevice*>(space_->staged_answers.data() + hits_offset(part.size()));
      std::uint32_t stride = 1;
      for (const ReadyPlan* ready : part) stride = std::max(stride, ready->plan->k);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t number = left[first + i];
        if (states[i].found != kNoRoom) {
          outcomes[number] = {true, outcome_of(*plans[number], states[i], hits + i * stride)};
        } else if (part.size() > 1 || states[i].threshold > current[number]->floor) {
          raised.push_back(*current[number]);
          raised.back().floor = std::max(current[number]->floor, states[i].threshold);
          current[number] = &raised.back();
          again.push_back(number);
        }
      }
      first += part.size();
    }
    left = std::move(again);
  }
  return outcomes;
}

}  // namespace frond::leaf::gpu
