// What a search does with the outcomes of its partitions: checks them, decides whether `auto` needs OR, and replies.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/topk/top_k.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

void SearchQuery::take(Slot& slot, Result<engine::Outcome> outcome) {
  if (request_.exact_total && outcome && !outcome->exact)
    if (auto counted = count_exactly(slot, *outcome); !counted) outcome = std::move(counted).error();
  if (auto still = intact(slot); !still) {
    damage_found_.store(true, std::memory_order_relaxed);  // ordered by unfinished_
    outcome = std::move(still).error();
  }
  if (outcome && !slot.facets.empty())
    if (auto added = add_facets(slot); !added) outcome = std::move(added).error();
  if (!outcome) return fail(slot, outcome.error());
  if (sorts()) add_sorted(slot, *outcome);
  slot.profile.postings += outcome->postings_decoded;
  metrics_.postings.add(static_cast<double>(outcome->postings_decoded));
  const std::uint32_t k = depth();
  if (request_.rank == wire::Rank::kScore && !sorts() && k != 0 && outcome->hits.size() == k)
    floor().raise(outcome->hits.back().score);
  (mode_ == engine::Mode::kAnd ? slot.conjunction : slot.disjunction) = *std::move(outcome);
}

// Data read from mapped files is valid only if the files are still whole.
Result<void> SearchQuery::intact(const Slot& slot) {
  FROND_TRY(slot.partition->open->intact());
  for (const lists::ListLease& list : slot.lists)
    if (list != nullptr) FROND_TRY(list->intact());
  return {};
}

void SearchQuery::fail(Slot& slot, const Error& why) {
  slot.unsearched = wire::reason_of(why.code());
  if (why.code() == Code::kInvalid) {
    const MutexLock lock(collected_mutex_);
    if (!refusal_) refusal_ = why;
  }
  if (parts_.damage != nullptr) parts_.damage->report(*slot.partition->open, why);
}

void SearchQuery::wave_done() {
  if (profiled_) profile_end();
  // Engines share a floor while they search. A score computed from damaged bytes may have removed hits of other
  // partitions, so all become unsearched.
  if (damage_found_.load(std::memory_order_relaxed))
    for (Slot& slot : slots_)
      if (!slot.unsearched) slot.unsearched = wire::UnsearchedReason::kUnavailable;
  if (damage_found_.load(std::memory_order_relaxed)) {
    const MutexLock lock(collected_mutex_);
    facets_.assign(wanted_.facets.size(), {});
    sorted_.clear();
  }
  if (mode_ == engine::Mode::kAnd && request_.mode == wire::Mode::kAuto && !deadline_.cancelled() &&
      (needs_disjunction() || !wanted_.facets.empty())) {
    const Result<KnownTerms>& known = known_;
    const bool differ = has_clause() ? clause_has_auto_ || !wanted_.facets.empty()
                                     : !known || known->terms.size() > 1 || !known->all_known;
    if (differ) return begin_disjunction();
    has_or_ = true;  // for one term, AND and OR are the same
    for (Slot& slot : slots_) slot.disjunction = slot.conjunction;
  }
  finish();
}

Result<engine::Outcome> SearchQuery::search_again(Slot& slot, engine::SharedFloor& floor) {
  if (has_clause()) {
    FROND_TRY(fetch_lists(slot));
    FROND_TRY(filter(slot));
    const clauses::OpenedPartition opened(slot.partition->open->partition());
    clauses::ClausePlan plan = clause_plan(slot, *clause_, slot.lists, opened);
    plan.plan.floor = &floor;
    return clauses::search(plan, parts_.clock);
  }
  const auto plan = FROND_TRY(this->plan(slot, floor));
  if (!plan) return engine::Outcome();
  return std::move(parts_.engine.search(std::span(&*plan, 1), parts_.clock)[0]);
}

// Searches again on the CPU what the GPU has answered. Where the two differ the CPU's is the answer.
void SearchQuery::check_answers() {
  // The engines' own counts are bounded, and those of the CPU count no facets.
  if (request_.exact_total || (has_clause() && collects())) return;
  engine::SharedFloor unknown;
  std::vector<engine::Outcome> outcomes(slots_.size());
  std::vector<std::vector<topk::Hit>> gpu, cpu;
  std::uint64_t gpu_matches = 0, cpu_matches = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.unsearched) return;
    auto found = search_again(slot, unknown);
    if (!found) return;  // its deadline, or damage: the search itself reports that
    outcomes[i] = *std::move(found);
    const engine::Outcome& on_gpu = mode_ == engine::Mode::kAnd ? slot.conjunction : slot.disjunction;
    gpu.push_back(on_gpu.hits);
    cpu.push_back(outcomes[i].hits);
    gpu_matches += on_gpu.matches;
    cpu_matches += outcomes[i].matches;
  }
  const std::uint32_t k = depth();
  if (parts_.check->same({topk::merge(gpu, k), gpu_matches}, {topk::merge(cpu, k), cpu_matches}, request_, mode_))
    return;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    (mode_ == engine::Mode::kAnd ? slots_[i].conjunction : slots_[i].disjunction) = std::move(outcomes[i]);
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
  lists.reserve(slots_.size());
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

// Not what it asks for: the broker's line of the same trace says that.
void SearchQuery::log_slow(std::chrono::microseconds took) {
  std::uint64_t queued = 0, lists = 0, engine = 0, postings = 0;  // of the partition that took longest, and of all
  for (const Slot& slot : slots_) {
    queued = std::max(queued, slot.profile.queue_us);
    lists = std::max(lists, slot.profile.lists_us);
    engine = std::max(engine, slot.profile.engine_us);
    postings += slot.profile.postings;
  }
  parts_.slow->say("slow search", {{"trace_id", to_hex(request_.trace.high) + to_hex(request_.trace.low)},
                                   {"took_us", std::to_string(took.count())},
                                   {"partitions", std::to_string(slots_.size())},
                                   {"queue_us", std::to_string(queued)},
                                   {"lists_us", std::to_string(lists)},
                                   {"engine_us", std::to_string(engine)},
                                   {"postings", std::to_string(postings)}});
}

void SearchQuery::finish() {
  if (deadline_.cancelled()) return done_({request_.request_id});
  collect::SortedHits sorted = take_sorted();
  if (const auto refused = refusal(); refused && refuse_) return refuse_(*refused);
  wire::SearchReply reply{request_.request_id, has_and_, has_or_};
  if (has_and_) reply.and_ranking = merged(engine::Mode::kAnd);
  if (has_or_) reply.or_ranking = merged(engine::Mode::kOr);
  if (sorts()) {
    reply.or_ranking.hits = std::move(sorted.hits);
    reply.or_ranking.sort_bytes = std::move(sorted.sort_bytes);
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(parts_.clock.now() - came_);
  const bool slow = request_.profile_from.count() > 0 && took >= request_.profile_from;
  for (const Slot& slot : slots_)
    if (slot.unsearched)
      reply.unsearched.push_back({slot.profile.partition, *slot.unsearched});
    else if (request_.profile || slow)
      reply.profile.push_back(slot.profile);
  if (slow && parts_.slow != nullptr) log_slow(took);
  for (const std::uint32_t number : lacking_)
    reply.unsearched.push_back({number, generation_ == nullptr ? wire::UnsearchedReason::kUnknownGeneration
                                                               : wire::UnsearchedReason::kUnavailable});
  for (const wire::UnsearchedPartition& one : reply.unsearched)
    metrics_.unsearched[static_cast<std::size_t>(one.reason)].add();
  if (profiled_) reply.runs = std::move(profiled_->runs);
  reply.near = std::move(near_);
  {
    const MutexLock lock(collected_mutex_);
    reply.facets = std::move(facets_);
  }
  done_(std::move(reply));
}

}  // namespace frond::leaf::serve
