#include "leaf/serve/search/search_query.h"

#include <algorithm>
#include <exception>

#include "common/wire/messages.h"

namespace frond::leaf::serve {
namespace {

// A clause takes about this times its text: the text, the clause read from it, and its tree of terms.
constexpr std::size_t kClauseBytes = 8;
constexpr std::uint64_t kHeaviest = ~std::uint64_t{0};  // weight of a costly request, whose terms are not looked up yet

}  // namespace

SearchQuery::SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request,
                         Deadline deadline, Done done, Refuse refuse, std::optional<Instant> came)
    : parts_(parts),
      metrics_(metrics),
      request_(std::move(request)),
      deadline_(deadline),
      came_(came.value_or(parts.clock.now())),
      done_(std::move(done)),
      refuse_(std::move(refuse)),
      generation_(parts.board.find({request_.generation, request_.content}, parts.clock.now())),
      profiled_(request_.profile ? std::make_unique<Profiled>() : nullptr) {}

std::size_t SearchQuery::bytes() const {
  const std::size_t wanted = request_.partitions.size();
  std::size_t bytes =
      sizeof *this + wanted * sizeof(std::uint32_t) + std::min(wanted, partitions_here()) * sizeof(Slot);
  for (const wire::QueryTerm& term : request_.terms) bytes += sizeof term + term.text.capacity();
  bytes += kClauseBytes * (request_.clause.size() + request_.filter.size() + request_.facets.size());
  if (request_.after) bytes += request_.after->bytes.size();
  for (const std::string& name : request_.show.columns) bytes += sizeof name + name.capacity();
  bytes += request_.near.size() * (sizeof(query::NearWord) + query::kMaxNearWordBytes);
  return bytes;
}

// Sets the slots of the partitions, and the first wave.
void SearchQuery::set_up() {
  std::vector<std::uint32_t> wanted = request_.partitions;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  slots_.reserve(std::min(wanted.size(), partitions_here()));
  for (const std::uint32_t number : wanted) {
    const auto* const partition = generation_ == nullptr ? nullptr : generation_->find(number);
    if (partition == nullptr) {
      lacking_.push_back(number);
      continue;
    }
    Slot& slot = slots_.emplace_back();
    slot.partition = partition;
    slot.profile.partition = number;
  }
  todo_.reserve(slots_.size());
  for (Slot& slot : slots_) todo_.push_back(&slot);
  mode_ = request_.mode == wire::Mode::kOr || !request_.sort.empty() ? engine::Mode::kOr : engine::Mode::kAnd;
}

void SearchQuery::start(const Waited& waited) {
  if (!looked_up_) set_up();
  (mode_ == engine::Mode::kOr ? has_or_ : has_and_) = true;
  if (!has_waited(waited) || todo_.empty()) return finish();
  if (parts_.costly != nullptr && wire::is_costly(request_))
    return move_to_costly_threads(kHeaviest, &SearchQuery::begin);
  begin();
}

void SearchQuery::begin() {
  Result<void> ready;
  try {
    if (!todo_.empty() && !looked_up_) ready = look_up_terms();
  } catch (const std::exception&) {  // out of memory
    fail_todo(wire::UnsearchedReason::kUnavailable);
  }
  if (!ready && ready.error().code() == Code::kInvalid && refuse_ && !deadline_.cancelled())
    return refuse_(ready.error());
  if (!ready) fail_todo(wire::reason_of(ready.error().code()));
  if (todo_.empty()) return finish();
  wave(mode_);
}

// Errors: of clauses only, kInvalid and those of reading statistics. Of terms known_ has them.
Result<void> SearchQuery::look_up_terms() {
  FROND_TRY(read_wanted());
  FROND_TRY(read_clauses());
  FROND_TRY(find_near());
  if (has_clause() || are_weights_) return {};
  std::uint64_t occurrences = 0;
  for (const wire::QueryTerm& term : request_.terms) occurrences += term.occurrences;
  if (scoring::are_impacts(generation_->bm25) && occurrences > scoring::kMaxImpactUnits / query::Factor::kOne)
    return Error(Code::kInvalid, "more words than sums of impacts have room for");
  known_ = look_up(*generation_, bm25(), request_.terms, parts_.terms);
  return {};
}

// Adds the time in the queue to the profile. False: the task was dropped, and the partitions are unsearched.
bool SearchQuery::has_waited(const Waited& waited) {
  if (!waited) fail_todo(wire::reason_of(waited.error().code()));
  for (Slot* const slot : todo_) slot->profile.queue_us += static_cast<std::uint64_t>(waited->count());
  if (profiled_ && waited) profiled_->waited_us += static_cast<std::uint64_t>(waited->count());
  return waited.has_value();
}

void SearchQuery::fail_todo(wire::UnsearchedReason reason) {
  for (Slot* const slot : todo_) slot->unsearched = reason;
  todo_.clear();
}

void SearchQuery::wave(engine::Mode mode) {
  mode_ = mode;
  (mode == engine::Mode::kAnd ? has_and_ : has_or_) = true;
  todo_.clear();
  for (Slot& slot : slots_)
    if (!slot.unsearched) todo_.push_back(&slot);  // has room: start() reserved it
  scheduled_.plans.clear();
  if (profiled_) profile_begin();
  scheduled_.for_gpu = parts_.queries != nullptr && may_use_gpu();  // of the whole wave; todo_ shrinks
  if (parts_.queries != nullptr && runs_as_words() && submit_to_scheduler()) return;
  search_here();
}

bool SearchQuery::is_too_much_here() const {
  if (costly_ || is_bound() || parts_.costly == nullptr) return false;
  if (lists() > wire::kCostlyTerms) return true;
  const std::uint64_t work = work_in_largest();
  if (work <= parts_.small_postings || work >= parts_.costly_postings) return work > parts_.small_postings;
  // Between both: where a thread is idle. Behind a costly search it would wait longer than behind usual ones.
  const schedule::Scheduler::Load here = parts_.scheduler.load(), there = parts_.costly->load();
  return (here.waiting > 0 || here.running >= here.workers) && there.waiting == 0 && there.running < there.workers;
}

// That it reads of each partition. A clause may have more than words that are told in the request: a prefix, say.
std::size_t SearchQuery::lists() const {
  return (known_ ? known_->terms.size() : 0) + (filter_ ? filter_->known.terms.size() : 0);
}

// `next` finds todo_ empty if the costly threads have no room, or come too late.
void SearchQuery::move_to_costly_threads(std::uint64_t weight, void (SearchQuery::*next)()) {
  costly_ = true;
  schedule::Task task{deadline_,
                      [self = shared_from_this(), next](const Waited& waited) {
                        self->has_waited(waited);
                        (self.get()->*next)();
                      },
                      weight, client()};
  const Result<void> taken = scheduler().submit_one(std::move(task), schedule::Lane::kSearch);
  if (taken) return;
  fail_todo(wire::reason_of(taken.error().code()));
  (this->*next)();
}

// On the threads for costly work if it is much.
void SearchQuery::search_here() {
  if (!todo_.empty() && is_too_much_here()) return move_to_costly_threads(work_in_largest(), &SearchQuery::search_now);
  search_now();
}

void SearchQuery::search_now() {
  if (todo_.empty()) return cpu_done();
  unfinished_.store(todo_.size(), std::memory_order_relaxed);
  const std::size_t helpers = idle_workers();
  untaken_.store(todo_.size(), std::memory_order_release);
  if (helpers != 0) {
    try {
      const schedule::Task help{deadline_, [self = shared_from_this()](const Waited&) { self->share(); }, 0};
      (void)scheduler().submit(std::vector(helpers, help), schedule::Lane::kContinue);
    } catch (const std::exception&) {  // out of memory: without help
    }
  }
  share();
}

// How many to ask for help. A small partition is searched in less time than it takes to wake a thread for it.
std::size_t SearchQuery::idle_workers() const {
  if (is_bound() || todo_.size() < 2 || work_in_largest() <= parts_.small_postings) return 0;
  const schedule::Scheduler::Load load = scheduler().load();
  if (load.waiting != 0 || load.running >= load.workers) return 0;
  return std::min(load.workers - load.running, todo_.size() - 1);
}

void SearchQuery::share() {
  for (std::size_t left = untaken_.load(std::memory_order_acquire); left != 0;) {
    if (!untaken_.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) continue;
    search(todo_.size() - left);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) return cpu_done();
    left = untaken_.load(std::memory_order_acquire);
  }
}

void SearchQuery::search(std::size_t number) {
  Slot& slot = *todo_[number];
  slot.cpu_us = 0;
  if (deadline_.passed(parts_.clock)) {
    slot.unsearched = wire::UnsearchedReason::kDeadline;
    return;
  }
  try {
    if (has_clause()) return take(slot, search_clause(slot));
    if (!scheduled_.plans.empty() && !of_device_leases(scheduled_.plans[number]))
      return take(slot, search(slot, scheduled_.plans[number]));
    auto made = plan(slot, floor());
    if (!made)
      fail(slot, made.error());
    else if (*made)
      take_unless_bound_ended(slot, search(slot, **made));
  } catch (const std::exception&) {  // out of memory: only this partition is unsearched
    slot.unsearched = wire::UnsearchedReason::kUnavailable;
  }
}

// Runs the plan on the CPU.
Result<engine::Outcome> SearchQuery::search(Slot& slot, engine::Plan& plan) {
  if (is_bound()) plan.deadline = Deadline::at(std::min(bound_, deadline_.when()));
  const bool exhaustive = request_.processor == wire::Processor::kExhaustive;
  engine::QueryEngine& engine = exhaustive ? parts_.exhaustive : parts_.engine;
  const Instant before = parts_.clock.now();
  auto results = engine.search(std::span(&plan, 1), parts_.clock);
  const Instant after = parts_.clock.now();
  FROND_CHECK(results.size() == 1);
  (exhaustive ? metrics_.exhaustive : metrics_.engine).observe(seconds_between(before, after));
  slot.profile.engine = engine.name();
  slot.on_cpu = true;
  slot.cpu_us = micros_between(before, after);
  slot.profile.engine_us += slot.cpu_us;
  return std::move(results[0]);
}

}  // namespace frond::leaf::serve
