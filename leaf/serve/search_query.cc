#include "leaf/serve/search_query.h"

#include <algorithm>
#include <exception>

#include "common/topk/top_k.h"
#include "common/wire/cost.h"
#include "common/wire/limits.h"
#include "leaf/serve/unsearched_reason.h"

namespace frond::leaf::serve {
namespace {

constexpr std::uint64_t kHeaviest = ~std::uint64_t{0};  // of what asks for much: it is looked up there, too

std::uint64_t micros_between(Instant from, Instant to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

double seconds_between(Instant from, Instant to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

SearchQuery::SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request,
                         Deadline deadline, SearchHandler::Done done)
    : parts_(parts), metrics_(metrics), request_(std::move(request)), deadline_(deadline), done_(std::move(done)) {}

void SearchQuery::start() {
  generation_ = parts_.board.find({request_.generation, request_.content}, parts_.clock.now());
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
      slot.failed = wire::Unsearched::kUnknownGeneration;
    else if ((slot.partition = generation_->find(wanted[i])) == nullptr)
      slot.failed = wire::Unsearched::kUnavailable;
  }
  launch(request_.mode == wire::Mode::kOr ? engine::Mode::kOr : engine::Mode::kAnd, schedule::Lane::kSearch);
}

void SearchQuery::launch(engine::Mode mode, schedule::Lane lane) {
  (mode == engine::Mode::kAnd ? has_and_ : has_or_) = true;
  std::vector<Slot*> slots;
  for (Slot& slot : slots_)
    if (!slot.failed) slots.push_back(&slot);
  if (slots.empty()) return finish();
  left_.store(slots.size(), std::memory_order_relaxed);
  const auto costly = std::stable_partition(slots.begin(), slots.end(), [](const Slot* slot) { return !slot->costly; });
  submit(std::span(slots.begin(), costly), mode, lane);
  submit(std::span(costly, slots.end()), mode, lane);
}

// Slots of one scheduler.
void SearchQuery::submit(std::span<Slot* const> slots, engine::Mode mode, schedule::Lane lane) {
  if (slots.empty()) return;
  std::vector<schedule::Task> tasks;
  tasks.reserve(slots.size());
  for (Slot* const slot : slots)
    tasks.push_back({deadline_,
                     [self = shared_from_this(), slot, mode](const Result<std::chrono::microseconds>& waited) {
                       self->run(*slot, mode, Processors::kAny, waited);
                     },
                     slot->costly ? kHeaviest : 0});
  const Result<void> taken = scheduler_of(*slots.front()).submit(std::move(tasks), lane);
  if (taken) return;
  for (Slot* const slot : slots) slot->failed = reason_of(taken.error().code());
  for (std::size_t i = 0; i < slots.size(); ++i) slot_done(mode);
}

void SearchQuery::run(Slot& slot, engine::Mode mode, Processors processors,
                      const Result<std::chrono::microseconds>& waited) {
  if (!waited) {
    slot.failed = reason_of(waited.error().code());
    return slot_done(mode);
  }
  slot.profile.queue_us += static_cast<std::uint64_t>(waited->count());
  try {
    // What is thrown (no memory) leaves nothing behind: the next task looks them up again.
    look_up_once();
    if (evaluate(slot, mode, processors)) return;
  } catch (const std::exception&) {  // out of memory: this partition is not searched, the others may be
    slot.failed = wire::Unsearched::kUnavailable;
  }
  slot_done(mode);
}

void SearchQuery::slot_done(engine::Mode mode) {
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) wave_done(mode);
}

void SearchQuery::look_up_once() {
  const MutexLock lock(look_up_);
  if (looked_up_) return;
  known_ = look_up(*generation_, request_.terms);
  looked_up_ = true;
}

// True: another thread will go on with the slot. False: it has its outcome, or has failed.
bool SearchQuery::evaluate(Slot& slot, engine::Mode mode, Processors processors) {
  if (!may_use_gpu(processors) && is_too_much_here(slot)) return move(slot, mode, processors);
  auto plan = prepare(slot, mode);
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

// About: the terms' postings by the partition's share of the documents. Its lists need not be read for that.
std::uint64_t SearchQuery::postings_of(const Slot& slot) const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  return static_cast<std::uint64_t>(static_cast<double>(known_->postings) *
                                    slot.partition->open->partition().documents() / all);
}

bool SearchQuery::is_too_much_here(const Slot& slot) const {
  if (slot.costly || parts_.costly == nullptr || !known_ || known_->postings <= parts_.small_postings) return false;
  const std::uint64_t postings = postings_of(slot);
  if (postings <= parts_.small_postings || postings >= parts_.costly_postings) return postings > parts_.small_postings;
  const schedule::Scheduler::Load load = parts_.scheduler.load();
  return load.waiting > 0 || load.running >= load.workers;
}

// To the costly threads. False: they refused it.
bool SearchQuery::move(Slot& slot, engine::Mode mode, Processors processors) {
  slot.costly = true;
  const Result<void> taken = parts_.costly->submit(
      {{deadline_,
        [self = shared_from_this(), &slot, mode, processors](const Result<std::chrono::microseconds>& waited) {
          self->run(slot, mode, processors, waited);
        },
        postings_of(slot)}},
      schedule::Lane::kSearch);
  if (!taken) slot.failed = reason_of(taken.error().code());
  return taken.has_value();
}

// Nothing: no document matches.
Result<std::optional<engine::Plan>> SearchQuery::prepare(Slot& slot, engine::Mode mode) {
  if (!known_) return Error(known_.error());
  if (known_->terms.empty() || (mode == engine::Mode::kAnd && !known_->all_known))
    return std::optional<engine::Plan>();                 // in any partition
  FROND_TRY(slot.partition->open->partition().intact());  // what is known to be lost misleads nobody
  FROND_TRY(fetch_lists(slot));
  engine::Plan plan = plan_for(slot, mode);
  const auto empty = [](const engine::PlanTerm& term) { return term.list->postings.count() == 0; };
  if (plan.terms.empty() || (mode == engine::Mode::kAnd && std::any_of(plan.terms.begin(), plan.terms.end(), empty)))
    return std::optional<engine::Plan>();
  return std::optional<engine::Plan>(std::move(plan));
}

// What was read of mapped files is only true if they are still there.
Result<void> SearchQuery::intact(const Slot& slot) {
  FROND_TRY(slot.partition->open->partition().intact());
  for (const lists::ListLease& list : slot.lists) FROND_TRY(list->intact());
  return {};
}

void SearchQuery::fail(Slot& slot, const Error& why) {
  slot.failed = reason_of(why.code());
  if (parts_.damage != nullptr) parts_.damage->report(*slot.partition->open, why);
}

void SearchQuery::take(Slot& slot, engine::Mode mode, Result<engine::Outcome> outcome) {
  if (auto still = intact(slot); !still) {
    misled_.store(true, std::memory_order_relaxed);  // slot_done() orders it
    outcome = std::move(still).error();
  }
  if (!outcome) return fail(slot, outcome.error());
  slot.profile.postings += outcome->postings_decoded;
  metrics_.postings.add(static_cast<double>(outcome->postings_decoded));
  const std::uint32_t k = depth_of(mode);
  if (k != 0 && outcome->hits.size() == k)
    (mode == engine::Mode::kAnd ? and_floor_ : or_floor_).raise(outcome->hits.back().score);
  (mode == engine::Mode::kAnd ? slot.conjunction : slot.disjunction) = *std::move(outcome);
}

Result<void> SearchQuery::fetch_lists(Slot& slot) {
  if (!slot.lists.empty()) return {};
  std::vector<lists::ListKey> keys;
  keys.reserve(known_->terms.size());
  for (const auto& term : known_->terms) keys.push_back({slot.partition->open->number(), term.text});
  const Instant before = parts_.clock.now();
  slot.lists = FROND_TRY(parts_.lists.fetch(keys, deadline_));
  const Instant after = parts_.clock.now();
  slot.profile.lists_us += micros_between(before, after);
  metrics_.lists.observe(seconds_between(before, after));
  return {};
}

std::uint32_t SearchQuery::depth_of(engine::Mode mode) const {
  // `auto` needs to know whether AND has that many: engines may stop counting past k.
  if (request_.mode == wire::Mode::kAuto && mode == engine::Mode::kAnd)
    return std::min<std::uint32_t>(std::max(request_.depth, request_.auto_needs), wire::kMaxHits);
  return request_.depth;
}

engine::Plan SearchQuery::plan_for(const Slot& slot, engine::Mode mode) {
  const partition::Partition& partition = slot.partition->open->partition();
  const auto& known = known_->terms;
  engine::Plan plan;
  plan.mode = mode;
  plan.k = depth_of(mode);
  plan.count_to = std::max<std::uint64_t>(plan.k, engine::Plan::kCountOfLeaves);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (mode == engine::Mode::kOr && slot.lists[i]->postings.count() == 0) continue;
    plan.terms.push_back({slot.lists[i], known[i].weight,
                          scoring::BoundScale(known[i].weight, generation_->bm25, generation_->statistics,
                                              partition.built_average_length())});
  }
  plan.lengths = partition.lengths();
  plan.partition = slot.partition->open->number();
  plan.norm = scoring::length_norm(generation_->bm25, generation_->statistics);
  plan.placement = slot.partition->placement;
  plan.deadline = deadline_;
  plan.floor = mode == engine::Mode::kAnd ? &and_floor_ : &or_floor_;
  return plan;
}

// On the CPU.
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

// False: it is for the CPU, or the GPU has no room for it.
bool SearchQuery::submit_to_gpu(Slot& slot, const engine::Plan& plan) {
  if (parts_.gpu == nullptr || plan.k == 0) return false;
  if (request_.processor != wire::Processor::kGpu) {
    if (request_.processor != wire::Processor::kAuto) return false;
    std::uint64_t postings = 0;
    for (const engine::PlanTerm& term : plan.terms) postings += term.list->postings.count();
    if (postings < parts_.gpu_least_postings) return false;
  }
  return parts_.gpu->submit(plan, [self = shared_from_this(), &slot, mode = plan.mode,
                                   since = parts_.clock.now()](schedule::PlanBatcher::Answer answer) {
    const Instant now = self->parts_.clock.now();
    self->metrics_.gpu.observe(seconds_between(since, now));
    slot.profile.engine_us += micros_between(since, now);
    self->answer_from_gpu(slot, mode, std::move(answer));
  });
}

// On a thread of the batcher's.
void SearchQuery::answer_from_gpu(Slot& slot, engine::Mode mode, schedule::PlanBatcher::Answer answer) {
  try {
    if (!answer) {  // its search goes on behind those that have begun, on the CPU
      const Result<void> taken = scheduler_of(slot).submit(
          {{deadline_,
            [self = shared_from_this(), &slot, mode](const Result<std::chrono::microseconds>& waited) {
              self->run(slot, mode, Processors::kCpuOnly, waited);
            }}},
          schedule::Lane::kContinue);
      if (taken) return;
      slot.failed = reason_of(taken.error().code());
    } else {
      slot.profile.engine = "gpu";
      take(slot, mode, *std::move(answer));
    }
  } catch (const std::exception&) {
    slot.failed = wire::Unsearched::kUnavailable;
  }
  slot_done(mode);
}

void SearchQuery::wave_done(engine::Mode mode) {
  // Engines share a floor while they search: a score that was made of lost bytes may have taken hits from the others.
  if (misled_.load(std::memory_order_relaxed))
    for (Slot& slot : slots_)
      if (!slot.failed) slot.failed = wire::Unsearched::kUnavailable;
  if (mode == engine::Mode::kAnd && request_.mode == wire::Mode::kAuto && !deadline_.cancelled() &&
      needs_disjunction()) {
    if (!known_ || known_->terms.size() > 1 || !known_->all_known)
      return launch(engine::Mode::kOr, schedule::Lane::kContinue);
    has_or_ = true;  // of one term AND and OR are the same
    for (Slot& slot : slots_) slot.disjunction = slot.conjunction;
  }
  finish();
}

bool SearchQuery::needs_disjunction() const {
  std::uint64_t matches = 0;
  for (const Slot& slot : slots_) matches += slot.failed ? 0 : slot.conjunction.matches;
  return matches < request_.auto_needs;
}

// Of the partitions that were searched to the end, in both waves: the others are the broker's to ask for again.
wire::Ranking SearchQuery::merged(engine::Mode mode) {
  wire::Ranking ranking;
  std::vector<std::vector<topk::Hit>> lists;
  for (Slot& slot : slots_) {
    if (slot.failed) continue;
    engine::Outcome& outcome = mode == engine::Mode::kAnd ? slot.conjunction : slot.disjunction;
    ranking.matches += outcome.matches;
    ranking.exact = ranking.exact && outcome.exact;
    if (!outcome.hits.empty()) lists.push_back(std::move(outcome.hits));
  }
  ranking.hits = topk::merge(lists, request_.depth);
  return ranking;
}

void SearchQuery::finish() {
  if (deadline_.cancelled()) return done_({request_.request_id});  // nobody reads it
  wire::SearchReply reply{request_.request_id, has_and_, has_or_};
  if (has_and_) reply.and_ranking = merged(engine::Mode::kAnd);
  if (has_or_) reply.or_ranking = merged(engine::Mode::kOr);
  for (const Slot& slot : slots_) {
    if (slot.failed) {
      reply.unsearched.push_back({slot.profile.partition, *slot.failed});
      metrics_.unsearched[static_cast<std::size_t>(*slot.failed)].add();
    } else if (request_.profile) {
      reply.profile.push_back(slot.profile);
    }
  }
  done_(std::move(reply));
}

}  // namespace frond::leaf::serve
