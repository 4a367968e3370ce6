#include "leaf/serve/search_query.h"

#include <algorithm>
#include <exception>

#include "common/topk/top_k.h"
#include "common/wire/cost.h"
#include "leaf/serve/search_times.h"

namespace frond::leaf::serve {
namespace {

constexpr std::uint64_t kHeaviest = ~std::uint64_t{0};  // weight of a costly request, whose terms are not looked up yet

}  // namespace

SearchQuery::SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request,
                         Deadline deadline, Done done)
    : parts_(parts),
      metrics_(metrics),
      request_(std::move(request)),
      deadline_(deadline),
      done_(std::move(done)),
      generation_(parts.board.find({request_.generation, request_.content}, parts.clock.now())),
      plans_(parts, metrics, request_, deadline, generation_.get()) {}

void SearchQuery::start() {
  std::vector<std::uint32_t> wanted = request_.partitions;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  slots_ = std::vector<Slot>(wanted.size());
  const bool costly = parts_.costly != nullptr && wire::is_costly(request_);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Slot& slot = slots_[i];
    slot.costly = costly;
    slot.profile.partition = wanted[i];
    if (generation_ == nullptr)
      slot.unsearched = wire::UnsearchedReason::kUnknownGeneration;
    else if ((slot.partition = generation_->find(wanted[i])) == nullptr)
      slot.unsearched = wire::UnsearchedReason::kUnavailable;
  }
  launch(request_.mode == wire::Mode::kOr ? engine::Mode::kOr : engine::Mode::kAnd, schedule::Lane::kSearch);
}

void SearchQuery::launch(engine::Mode mode, schedule::Lane lane) {
  (mode == engine::Mode::kAnd ? has_and_ : has_or_) = true;
  std::vector<Slot*> slots;
  for (Slot& slot : slots_)
    if (!slot.unsearched) slots.push_back(&slot);
  if (slots.empty()) return finish();
  left_.store(slots.size(), std::memory_order_relaxed);
  const auto costly = std::stable_partition(slots.begin(), slots.end(), [](const Slot* slot) { return !slot->costly; });
  submit(std::span(slots.begin(), costly), mode, lane);
  submit(std::span(costly, slots.end()), mode, lane);
}

// `slots` all belong to one scheduler.
void SearchQuery::submit(std::span<Slot* const> slots, engine::Mode mode, schedule::Lane lane) {
  if (slots.empty()) return;
  std::vector<schedule::Task> tasks;
  tasks.reserve(slots.size());
  for (Slot* const slot : slots) tasks.push_back(task(*slot, mode, Processors::kAny, slot->costly ? kHeaviest : 0));
  const Result<void> taken = scheduler_of(*slots.front()).submit(std::move(tasks), lane);
  if (taken) return;
  for (Slot* const slot : slots) slot->unsearched = wire::reason_of(taken.error().code());
  for (std::size_t i = 0; i < slots.size(); ++i) slot_done(mode);
}

schedule::Task SearchQuery::task(Slot& slot, engine::Mode mode, Processors processors, std::uint64_t weight) {
  return {deadline_,
          [self = shared_from_this(), &slot, mode, processors](const Result<std::chrono::microseconds>& waited) {
            self->run(slot, mode, processors, waited);
          },
          weight};
}

void SearchQuery::run(Slot& slot, engine::Mode mode, Processors processors,
                      const Result<std::chrono::microseconds>& waited) {
  if (!waited) {
    slot.unsearched = wire::reason_of(waited.error().code());
    return slot_done(mode);
  }
  slot.profile.queue_us += static_cast<std::uint64_t>(waited->count());
  try {
    plans_.look_up_once();
    if (evaluate(slot, mode, processors)) return;
  } catch (const std::exception&) {  // out of memory: only this partition is unsearched
    slot.unsearched = wire::UnsearchedReason::kUnavailable;
  }
  slot_done(mode);
}

void SearchQuery::slot_done(engine::Mode mode) {
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) wave_done(mode);
}

// Returns true if another thread continues with the slot; false if the slot has its outcome or is unsearched.
bool SearchQuery::evaluate(Slot& slot, engine::Mode mode, Processors processors) {
  if (!may_use_gpu(processors) && is_too_much_here(slot)) return move(slot, mode, processors);
  auto plan = plans_.plan(*slot.partition, mode, floor_of(mode), slot.lists, slot.profile);
  if (!plan) {
    fail(slot, plan.error());
  } else if (*plan) {
    if (processors == Processors::kAny && submit_to_gpu(slot, **plan)) return true;
    if (is_too_much_here(slot)) return move(slot, mode, Processors::kCpuOnly);
    take(slot, mode, search(slot, **plan));
  }
  return false;
}

bool SearchQuery::may_use_gpu(Processors processors) const {
  return processors == Processors::kAny && parts_.gpu != nullptr &&
         (request_.processor == wire::Processor::kAuto || request_.processor == wire::Processor::kGpu);
}

bool SearchQuery::is_too_much_here(const Slot& slot) const {
  const Result<KnownTerms>& known = plans_.known();
  if (slot.costly || parts_.costly == nullptr || !known || known->postings <= parts_.small_postings) return false;
  const std::uint64_t postings = plans_.postings_in(*slot.partition);
  if (postings <= parts_.small_postings || postings >= parts_.costly_postings) return postings > parts_.small_postings;
  const schedule::Scheduler::Load load = parts_.scheduler.load();
  return load.waiting > 0 || load.running >= load.workers;
}

// Moves the slot to the costly threads. False: they refused it, and it is unsearched.
bool SearchQuery::move(Slot& slot, engine::Mode mode, Processors processors) {
  slot.costly = true;
  const Result<void> taken = parts_.costly->submit({task(slot, mode, processors, plans_.postings_in(*slot.partition))},
                                                   schedule::Lane::kSearch);
  if (!taken) slot.unsearched = wire::reason_of(taken.error().code());
  return taken.has_value();
}

// Data read from mapped files is valid only if the files are still whole.
Result<void> SearchQuery::intact(const Slot& slot) {
  FROND_TRY(slot.partition->open->partition().intact());
  for (const lists::ListLease& list : slot.lists) FROND_TRY(list->intact());
  return {};
}

void SearchQuery::fail(Slot& slot, const Error& why) {
  slot.unsearched = wire::reason_of(why.code());
  if (parts_.damage != nullptr) parts_.damage->report(*slot.partition->open, why);
}

void SearchQuery::take(Slot& slot, engine::Mode mode, Result<engine::Outcome> outcome) {
  if (auto still = intact(slot); !still) {
    damage_found_.store(true, std::memory_order_relaxed);  // ordered by slot_done()
    outcome = std::move(still).error();
  }
  if (!outcome) return fail(slot, outcome.error());
  slot.profile.postings += outcome->postings_decoded;
  metrics_.postings.add(static_cast<double>(outcome->postings_decoded));
  const std::uint32_t k = plans_.depth(mode);
  if (k != 0 && outcome->hits.size() == k) floor_of(mode).raise(outcome->hits.back().score);
  (mode == engine::Mode::kAnd ? slot.conjunction : slot.disjunction) = *std::move(outcome);
}

// Runs the plan on the CPU.
Result<engine::Outcome> SearchQuery::search(Slot& slot, const engine::Plan& plan) {
  const bool exhaustive = request_.processor == wire::Processor::kExhaustive || !parts_.engine.can_run(plan);
  engine::QueryEngine& engine = exhaustive ? parts_.exhaustive : parts_.engine;
  const Instant before = parts_.clock.now();
  auto results = engine.search(std::span(&plan, 1), parts_.clock);
  const Instant after = parts_.clock.now();
  FROND_CHECK(results.size() == 1);
  (exhaustive ? metrics_.exhaustive : metrics_.engine).observe(seconds_between(before, after));
  slot.profile.engine = engine.name();
  slot.profile.engine_us += micros_between(before, after);
  return std::move(results[0]);
}

// False: the plan is for the CPU, or the batcher has no room.
bool SearchQuery::submit_to_gpu(Slot& slot, const engine::Plan& plan) {
  if (parts_.gpu == nullptr || plan.k == 0) return false;
  if (request_.processor != wire::Processor::kGpu) {
    if (request_.processor != wire::Processor::kAuto) return false;
    std::uint64_t postings = 0;
    for (const engine::PlanTerm& term : plan.terms) postings += term.list->postings.count();
    if (postings < parts_.min_gpu_postings) return false;
  }
  return parts_.gpu->submit(plan, [self = shared_from_this(), &slot, mode = plan.mode,
                                   since = parts_.clock.now()](schedule::PlanBatcher::Answer answer) {
    const Instant now = self->parts_.clock.now();
    self->metrics_.gpu.observe(seconds_between(since, now));
    slot.profile.engine_us += micros_between(since, now);
    self->answer_from_gpu(slot, mode, std::move(answer));
  });
}

// Called on a thread of the batcher.
void SearchQuery::answer_from_gpu(Slot& slot, engine::Mode mode, schedule::PlanBatcher::Answer answer) {
  try {
    if (!answer) {  // the search continues on the CPU, after the tasks that already wait to continue
      const Result<void> taken =
          scheduler_of(slot).submit({task(slot, mode, Processors::kCpuOnly, 0)}, schedule::Lane::kContinue);
      if (taken) return;
      slot.unsearched = wire::reason_of(taken.error().code());
    } else {
      slot.profile.engine = "gpu";
      take(slot, mode, *std::move(answer));
    }
  } catch (const std::exception&) {
    slot.unsearched = wire::UnsearchedReason::kUnavailable;
  }
  slot_done(mode);
}

void SearchQuery::wave_done(engine::Mode mode) {
  // Engines share a floor while they search. A score computed from damaged bytes may have removed hits of other
  // partitions, so all become unsearched.
  if (damage_found_.load(std::memory_order_relaxed))
    for (Slot& slot : slots_)
      if (!slot.unsearched) slot.unsearched = wire::UnsearchedReason::kUnavailable;
  if (mode == engine::Mode::kAnd && request_.mode == wire::Mode::kAuto && !deadline_.cancelled() &&
      needs_disjunction()) {
    const Result<KnownTerms>& known = plans_.known();
    if (!known || known->terms.size() > 1 || !known->all_known)
      return launch(engine::Mode::kOr, schedule::Lane::kContinue);
    has_or_ = true;  // for one term, AND and OR are the same
    for (Slot& slot : slots_) slot.disjunction = slot.conjunction;
  }
  finish();
}

bool SearchQuery::needs_disjunction() const {
  std::uint64_t matches = 0;
  for (const Slot& slot : slots_) matches += slot.unsearched ? 0 : slot.conjunction.matches;
  return matches < request_.auto_needs;
}

// Merges the hits of all partitions that no wave left unsearched. The broker may ask other leaves for the unsearched
// ones.
wire::Ranking SearchQuery::merged(engine::Mode mode) {
  wire::Ranking ranking;
  std::vector<std::vector<topk::Hit>> lists;
  for (Slot& slot : slots_) {
    if (slot.unsearched) continue;
    engine::Outcome& outcome = mode == engine::Mode::kAnd ? slot.conjunction : slot.disjunction;
    ranking.matches += outcome.matches;
    ranking.exact = ranking.exact && outcome.exact;
    if (!outcome.hits.empty()) lists.push_back(std::move(outcome.hits));
  }
  ranking.hits = topk::merge(lists, request_.depth);
  return ranking;
}

void SearchQuery::finish() {
  if (deadline_.cancelled()) return done_({request_.request_id});
  wire::SearchReply reply{request_.request_id, has_and_, has_or_};
  if (has_and_) reply.and_ranking = merged(engine::Mode::kAnd);
  if (has_or_) reply.or_ranking = merged(engine::Mode::kOr);
  for (const Slot& slot : slots_) {
    if (slot.unsearched) {
      reply.unsearched.push_back({slot.profile.partition, *slot.unsearched});
      metrics_.unsearched[static_cast<std::size_t>(*slot.unsearched)].add();
    } else if (request_.profile) {
      reply.profile.push_back(slot.profile);
    }
  }
  done_(std::move(reply));
}

}  // namespace frond::leaf::serve
