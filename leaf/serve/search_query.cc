#include "leaf/serve/search_query.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "common/topk/top_k.h"
#include "common/wire/limits.h"

namespace frond::leaf {
namespace {

wire::Unsearched reason_of(Code code) {
  switch (code) {
    case Code::kDeadline:
      return wire::Unsearched::kDeadline;
    case Code::kOverloaded:
      return wire::Unsearched::kOverloaded;
    case Code::kCorrupt:
      return wire::Unsearched::kCorrupt;
    default:
      return wire::Unsearched::kUnavailable;
  }
}

std::uint64_t micros_between(Instant from, Instant to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

double seconds_between(Instant from, Instant to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

SearchQuery::SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request,
                         Deadline deadline, SearchHandler::Done done)
    : parts_(parts), metrics_(metrics), request_(std::move(request)), deadline_(deadline), done_(std::move(done)) {}

void SearchQuery::start() {
  generation_ = parts_.board.find(request_.generation, parts_.clock.now());
  std::vector<std::uint32_t> wanted = request_.partitions;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  slots_ = std::vector<Slot>(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Slot& slot = slots_[i];
    slot.profile.partition = wanted[i];
    if (generation_ == nullptr)
      slot.failed = wire::Unsearched::kUnknownGeneration;
    else if ((slot.partition = generation_->find(wanted[i])) == nullptr)
      slot.failed = wire::Unsearched::kUnavailable;
  }
  launch(request_.mode == wire::Mode::kOr ? Mode::kOr : Mode::kAnd, Lane::kSearch);
}

void SearchQuery::launch(Mode mode, Lane lane) {
  (mode == Mode::kAnd ? has_and_ : has_or_) = true;
  std::vector<Task> tasks;
  for (Slot& slot : slots_) {
    if (slot.failed) continue;
    tasks.push_back({deadline_, [self = shared_from_this(), &slot, mode](Result<std::chrono::microseconds> waited) {
                       self->run(slot, mode, waited);
                     }});
  }
  if (tasks.empty()) return finish();
  left_.store(tasks.size(), std::memory_order_relaxed);
  const Result<void> taken = parts_.scheduler.submit(std::move(tasks), lane);
  if (taken) return;
  fail_all(reason_of(taken.error().code()));
  finish();
}

void SearchQuery::fail_all(wire::Unsearched reason) {
  for (Slot& slot : slots_)
    if (!slot.failed) slot.failed = reason;
}

void SearchQuery::run(Slot& slot, Mode mode, const Result<std::chrono::microseconds>& waited) {
  if (!waited) {
    slot.failed = reason_of(waited.error().code());
  } else {
    slot.profile.queue_us += static_cast<std::uint64_t>(waited->count());
    try {
      const Result<void> evaluated = evaluate(slot, mode);
      if (!evaluated) slot.failed = reason_of(evaluated.error().code());
    } catch (const std::exception&) {  // out of memory: this partition is not searched, the others may be
      slot.failed = wire::Unsearched::kUnavailable;
    }
  }
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) wave_done(mode);
}

Result<void> SearchQuery::evaluate(Slot& slot, Mode mode) {
  std::call_once(resolve_once_, [this] { resolved_ = resolve(); });
  if (!resolved_) return Error(resolved_.error());
  Outcome& outcome = mode == Mode::kAnd ? slot.conjunction : slot.disjunction;
  if (known_.empty() || (mode == Mode::kAnd && !all_known_)) return {};  // nothing matches, in any partition
  FROND_TRY(fetch_lists(slot));
  const Plan plan = plan_for(slot, mode);
  if (plan.terms.empty()) return {};
  if (mode == Mode::kAnd && std::any_of(plan.terms.begin(), plan.terms.end(),
                                        [](const PlanTerm& term) { return term.list->postings.count() == 0; }))
    return {};
  outcome = FROND_TRY(search(slot, plan));
  if (plan.k != 0 && outcome.hits.size() == plan.k) plan.floor->raise(outcome.hits.back().score);
  return {};
}

// Equal terms are counted together, in the query's order; those that no document has are left out.
Result<void> SearchQuery::resolve() {
  std::unordered_map<std::string_view, std::uint32_t> occurrences;
  for (const auto& term : request_.terms) occurrences[term.text] += term.occurrences;
  for (const auto& term : request_.terms) {
    const auto found = occurrences.find(term.text);
    if (found == occurrences.end()) continue;  // a repetition
    const Result<std::uint64_t> df = generation_->terms->df(term.text);
    if (df)
      known_.push_back(
          {term.text, scoring::term_weight(generation_->bm25, generation_->statistics, *df, found->second)});
    else if (df.error().code() == Code::kNotFound)
      all_known_ = false;
    else
      return df.error();
    occurrences.erase(found);
  }
  return {};
}

Result<void> SearchQuery::fetch_lists(Slot& slot) {
  if (!slot.lists.empty()) return {};
  std::vector<ListKey> keys;
  keys.reserve(known_.size());
  for (const KnownTerm& term : known_) keys.push_back({slot.partition->open->number(), term.text});
  const Instant before = parts_.clock.now();
  slot.lists = FROND_TRY(parts_.lists.fetch(keys, deadline_));
  const Instant after = parts_.clock.now();
  slot.profile.lists_us += micros_between(before, after);
  metrics_.lists.observe(seconds_between(before, after));
  return {};
}

Plan SearchQuery::plan_for(const Slot& slot, Mode mode) {
  const partition::Partition& partition = slot.partition->open->partition();
  Plan plan;
  plan.mode = mode;
  plan.k = request_.depth;
  // `auto` needs to know whether AND has that many: engines may stop counting past k.
  if (request_.mode == wire::Mode::kAuto && mode == Mode::kAnd)
    plan.k = std::min<std::uint32_t>(std::max(plan.k, request_.auto_needs), wire::kMaxHits);
  plan.count_to = std::max<std::uint64_t>(plan.k, Plan::kCountOfLeaves);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (mode == Mode::kOr && slot.lists[i]->postings.count() == 0) continue;
    plan.terms.push_back({slot.lists[i], known_[i].weight,
                          scoring::BoundScale(known_[i].weight, generation_->bm25, generation_->statistics,
                                              partition.built_average_length())});
  }
  plan.lengths = partition.lengths();
  plan.partition = slot.partition->open->number();
  plan.norm = scoring::length_norm(generation_->bm25, generation_->statistics);
  plan.base = slot.partition->base;
  plan.stride = slot.partition->stride;
  plan.deadline = deadline_;
  plan.floor = mode == Mode::kAnd ? &and_floor_ : &or_floor_;
  return plan;
}

Result<Outcome> SearchQuery::search(Slot& slot, const Plan& plan) {
  const bool gpu = parts_.gpu != nullptr && request_.processor != wire::Processor::kCpu && parts_.gpu->can_run(plan);
  const bool exhaustive = request_.processor == wire::Processor::kExhaustive || (!gpu && !parts_.engine.can_run(plan));
  QueryEngine& engine = exhaustive ? parts_.exhaustive : gpu ? *parts_.gpu : parts_.engine;
  const Instant before = parts_.clock.now();
  auto results = engine.search(std::span(&plan, 1), parts_.clock);
  const Instant after = parts_.clock.now();
  FROND_CHECK(results.size() == 1);
  (exhaustive ? metrics_.exhaustive : gpu ? metrics_.gpu : metrics_.engine).observe(seconds_between(before, after));
  slot.profile.engine = engine.name();
  slot.profile.engine_us += micros_between(before, after);
  if (results[0]) {
    slot.profile.postings += results[0]->postings_decoded;
    metrics_.postings.add(static_cast<double>(results[0]->postings_decoded));
  }
  return std::move(results[0]);
}

void SearchQuery::wave_done(Mode mode) {
  if (mode == Mode::kAnd && request_.mode == wire::Mode::kAuto && needs_disjunction()) {
    if (known_.size() > 1 || !all_known_) return launch(Mode::kOr, Lane::kContinue);
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

wire::Ranking SearchQuery::merged(Mode mode) {
  wire::Ranking ranking;
  std::vector<std::vector<topk::Hit>> lists;
  for (Slot& slot : slots_) {
    Outcome& outcome = mode == Mode::kAnd ? slot.conjunction : slot.disjunction;
    ranking.matches += outcome.matches;
    ranking.exact = ranking.exact && outcome.exact;
    if (!outcome.hits.empty()) lists.push_back(std::move(outcome.hits));
  }
  ranking.hits = topk::merge(lists, request_.depth);
  return ranking;
}

void SearchQuery::finish() {
  wire::SearchReply reply{request_.request_id, has_and_, has_or_};
  if (has_and_) reply.and_ranking = merged(Mode::kAnd);
  if (has_or_) reply.or_ranking = merged(Mode::kOr);
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

}  // namespace frond::leaf
