#include "leaf/gpu/batch_builder.h"

#include <algorithm>

#include "leaf/gpu/plain_data.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

using scoring::Score;

// A score that k documents reach which are not hidden: the list of one term stores how many of its documents reach
// which score by that term alone. The highest over all terms; 0 where no list stores one. 0 also where a document of
// one list may not match, as for AND of several terms.
Score stored_threshold(const ReadyPlan& ready, std::uint32_t reach) {
  const engine::Plan& plan = *ready.plan;
  const auto is_excluded = [](const auto& term) { return term.role == engine::TermRole::kExcluded; };
  if (is_conjunction(plan) || plan.minimum > 1 || std::ranges::any_of(plan.terms, is_excluded)) return 0;
  Score best = 0;
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    for (std::size_t rank = 0; rank < postings::kBestRanks.size(); ++rank) {
      const scoring::PackedDeficit deficit = ready.lists[i]->best_deficits[rank];
      if (reach > postings::kBestRanks[rank] || deficit == postings::kNoDeficit) continue;
      best = std::max(best, times(plan.terms[i].bounds.lower_bound(deficit), plan.terms[i].factor.units));
      break;
    }
  }
  return best;
}

// QueryOnDevice::reach.
std::uint32_t reach_of(const ReadyPlan& ready) {
  const std::uint64_t hidden = ready.hidden == nullptr ? 0 : ready.plan->hidden->count();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(ready.plan->k + hidden, kNoDoc));
}

// About what the threshold is when the search begins, where hidden documents leave none that is sure: of so many
// postings k are likely to be of documents that are shown. It decides how work is cut, nothing else.
Score likely_threshold(const ReadyPlan& ready) {
  const std::uint64_t documents = ready.lists.front()->documents;
  const std::uint64_t hidden = ready.hidden == nullptr ? 0 : ready.plan->hidden->count();
  const std::uint64_t shown = std::max<std::uint64_t>(documents - std::min(documents, hidden), 1);
  return stored_threshold(
      ready, static_cast<std::uint32_t>(std::min<std::uint64_t>(ready.plan->k * documents / shown, kNoDoc)));
}

bool hides_many(const ReadyPlan& ready) {
  return ready.hidden != nullptr && ready.plan->hidden->count() > ready.lists.front()->documents / kManyHidden;
}

// What the k-th highest prior adds. As fewer than k documents have more, the k-th best score is at most this and what
// terms give.
Score kth_prior(const ReadyPlan& ready) {
  if (ready.priors == nullptr) return 0;
  const auto& highest = ready.priors->highest;
  return scoring::weighted(highest[std::min<std::size_t>(ready.plan->k, highest.size()) - 1], ready.plan->prior_weight);
}

// The term that is likely to give the highest first threshold where nothing is stored: the first in their order with at
// least k postings. terms.size(): none.
std::uint32_t seed_of(const engine::Plan& plan, std::span<const TermOnDevice> terms) {
  const auto many = static_cast<std::uint32_t>(terms.size());
  // A document of one list may not match; the kernel that starts queries knows no clauses.
  if (is_conjunction(plan) || engine::is_of_clauses(plan)) return many;
  for (std::uint32_t i = 0; i < many; ++i)
    if (terms[i].list.count >= plan.k) return i;
  return many;
}

// QueryOnDevice::by_marks of an unranked query. Its lists are ordered by length, so those with a mark a document are
// the first for OR; for AND, if the shortest is one of them, all are.
std::uint32_t by_marks(std::span<const TermOnDevice> terms, bool conjunction) {
  std::uint32_t dense = 0;
  while (dense < terms.size() && terms[dense].list.marks_shift == 0) ++dense;
  return dense < 2 || (conjunction && dense < terms.size()) ? 0 : dense;
}

// The narrowest bins from `floor` up that the k-th best score, at most `most`, is in one of.
std::uint32_t shift_for(Score floor, Score most) {
  std::uint32_t shift = 0;
  while (most > floor && (most - floor) >> shift >= kBins) ++shift;
  return shift;
}

// Whether each document that matches and is wanted has a sum above 0, by which a thread block knows it. Impacts do;
// a term of BM25 that nearly all documents have may add nothing. Of clauses thread blocks know nothing.
bool can_be_summed(const QueryOnDevice& query, bool has_clauses) {
  if (query.conjunction || has_clauses) return false;
  return scoring::is_of_impacts(query.norm) || (query.floor > 0 && query.priors == nullptr);
}

// Whether summing is faster than looking up: where there are so many terms that a document is looked up in many lists.
// The last tile takes as long as the others.
bool is_faster_summed(const QueryOnDevice& query, std::span<const TermOnDevice> terms, ListCodecs codecs) {
  double blocks = 0;
  for (const TermOnDevice& term : terms) blocks += term.list.block_count;
  const std::uint32_t of_tile = codecs == kPackedCodecs ? kSummedDocuments : kSummedDocumentsMixed;
  const double tiles = (query.documents - 1) / of_tile + 1;
  const double of_look_up = scoring::is_of_impacts(query.norm) ? kWorkOfImpactLookUp : kWorkOfLookUp;
  return blocks * query.terms * of_look_up > blocks + tiles * (query.terms + kWorkOfTile);
}

// A driving list: term `number` of a query.
struct Driver {
  const QueryOnDevice& query;
  const TermOnDevice& term;
  std::uint32_t number;
  bool unranked;
  Score threshold;  // when the search begins, about
};

// A warp's work on one of its blocks, in look-ups of 32 documents. For AND marks leave few documents to look up. For OR
// the more, the less of a posting's highest score is needed beside what other terms can add; unranked, the more lists
// come before it.
double work_of_block(const Driver& driver) {
  const QueryOnDevice& query = driver.query;
  if (drives_by_marks(query, driver.number)) return std::min(kWorkOfMarks * query.by_marks, 1.0);
  const TermOnDevice& term = driver.term;
  if (query.phrase_words > 0) return kWorkOfPhrase;
  if (query.terms == 1) return 1;
  if (query.conjunction) return 2;
  if (driver.unranked) return 1 + std::min(driver.number, 3u);
  const Score others = term.max_rest + query.max_prior;
  const double needed = driver.threshold > others ? static_cast<double>(driver.threshold - others) : 0;
  if (needed > term.max_score) return kWorkOfNothing;
  const double share = std::max(0.0, 1 - needed / std::max<double>(term.max_score, 1));
  return 1 + share * share * std::min(query.terms - 1, 3u);
}

// Its blocks that are read, as a rule. Unranked, only the k first postings of the first list are needed for OR, whose
// count does not depend on that list (search/warp_unranked.cuh); more, if some may be of hidden documents.
std::uint32_t blocks_of(const Driver& driver) {
  if (drives_by_marks(driver.query, driver.number)) return (driver.query.documents - 1) / kMarksBlock + 1;
  const std::uint32_t all = driver.term.list.block_count;
  if (!driver.unranked || driver.query.conjunction || driver.number > 0) return all;
  return std::min(all, (driver.query.reach - 1) / codec::kBlockLength + 1);
}

// Sets chunk and split of a row so that each task has about `work`. Returns the number of tasks.
std::uint32_t cut_into_tasks(Row& row, std::uint32_t blocks, double work_of_a_block, double work) {
  row.split = 0;
  row.chunk = static_cast<std::uint16_t>(std::clamp(work / work_of_a_block, 1.0, double{kMaxTaskBlocks}));
  while (work_of_a_block > work && row.split < kMaxSplit) {
    work_of_a_block /= 2;
    ++row.split;
  }
  return (blocks + row.chunk - 1) / row.chunk << row.split;
}

// Thread blocks for each query whose hidden postings are counted: a few tens of blocks, or of words of marks for each
// lane, a warp. At most so many that a single query has most of the device.
std::uint32_t count_blocks_for(std::uint64_t blocks, std::uint64_t documents) {
  constexpr std::uint64_t kUnits = 64, kMost = 256;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::max(blocks, documents / 1024) / kUnits, 1, kMost));
}

}  // namespace

const ResidentList& longest_of(const ReadyPlan& ready) {
  const auto longest = std::max_element(ready.lists.begin(), ready.lists.end(),
                                        [](const auto& a, const auto& b) { return a->list.count < b->list.count; });
  return **longest;
}

bool counts_hidden(const ReadyPlan& ready) {
  if (ready.hidden == nullptr || ready.hidden_postings) return false;
  return is_of_one_list(*ready.plan) || (!ready.plan->ranked && ready.plan->mode == engine::Mode::kOr);
}

bool fits_kernels(const engine::Plan& plan) {
  return plan.k >= (plan.ranked ? 1 : 0) && plan.k <= kMaxHits && !plan.terms.empty() &&
         plan.terms.size() <= kMaxQueryTerms &&
         (!plan.phrase || (plan.phrase->words.size() <= kMaxPhraseWords && plan.phrase->factor.units <= kMaxFactor)) &&
         plan.minimum <= kMaxMinimum && plan.fields.size() <= kMaxFields &&
         std::all_of(plan.terms.begin(), plan.terms.end(), [](const engine::PlanTerm& term) {
           return term.factor.units <= kMaxFactor && (term.on_device || term.list->postings.count() > 0);
         });
}

bool can_rank_ties(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  if (engine::is_of_clauses(plan)) return true;  // by the search kernel
  return !is_conjunction(plan) && (scoring::is_of_impacts(plan.norm) || ready.priors == nullptr);
}

// Adds a plan's terms in the order that batch.h describes.
std::span<TermOnDevice> BatchBuilder::add_terms(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  const std::size_t first = terms_.size();
  const auto before = [&plan](const TermOnDevice& a, const TermOnDevice& b) {
    if (a.role != b.role) return a.role < b.role;
    if (plan.mode == engine::Mode::kAnd) return a.list.count < b.list.count;
    return plan.ranked ? a.max_score > b.max_score : a.list.count > b.list.count;
  };
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    const engine::PlanTerm& term = plan.terms[i];
    terms_.push_back({.list = ready.lists[i]->list,
                      .bounds = term.bounds,
                      .weight = term.weight,
                      .max_score = times(term.bounds.bound(ready.lists[i]->list_deficit), term.factor.units),
                      .max_rest = 0,
                      .factor = static_cast<std::uint16_t>(term.factor.units),
                      .field = static_cast<std::uint8_t>(term.field),
                      .role = term.role});
    for (std::size_t at = terms_.size() - 1; at > first && before(terms_[at], terms_[at - 1]); --at)
      std::swap(terms_[at], terms_[at - 1]);
  }
  Score rest = 0;
  for (std::size_t at = terms_.size(); at-- > first;) {
    terms_[at].max_rest = rest;
    rest += terms_[at].max_score;
  }
  return std::span(terms_).subspan(first);
}

// Of the last query.
void BatchBuilder::add_row(std::uint32_t term) {
  const QueryOnDevice& query = queries_.back();
  const Driver driver{query, terms_[query.first_term + term], term, unranked_, thresholds_.back()};
  rows_.push_back({.query = static_cast<std::uint32_t>(queries_.size() - 1),
                   .term = term,
                   .first_task = 0,
                   .chunk = 1,
                   .split = 0});
  work_ += work_of_block(driver) * blocks_of(driver);
}

// Adds what ranked and unranked queries have in common. Returns its terms, in their order.
std::span<TermOnDevice> BatchBuilder::add_query(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  const auto first_term = static_cast<std::uint32_t>(terms_.size());
  const auto own = add_terms(ready);
  const auto many = static_cast<std::uint32_t>(own.size());
  queries_.push_back({.lengths = ready.lengths->lengths,
                      .hidden = ready.hidden ? ready.hidden->words : nullptr,
                      .many_hidden = hides_many(ready) ? ready.hidden->words : nullptr,
                      .norm = plan.norm,
                      .min_length = ready.lengths->min_length,
                      .first_term = first_term,
                      .terms = many,
                      .seed_term = many,
                      .k = plan.k,
                      .reach = reach_of(ready),
                      .conjunction = is_conjunction(plan),
                      .floor = ready.floor,
                      .documents = ready.lists.front()->documents,
                      .origin = ready.origin});
  thresholds_.push_back(ready.floor);
  if (has_clauses_) clauses_.add(ready, static_cast<std::uint32_t>(queries_.size() - 1), queries_.back(), own);
  return own;
}

void BatchBuilder::add_unranked(const ReadyPlan& ready) {
  const auto own = add_query(ready);
  QueryOnDevice& query = queries_.back();
  // The first threshold comes from the list's directory, unless postings there may be of hidden documents.
  if (ready.hidden != nullptr && query.k > 0 && !query.conjunction) query.seed_term = 0;
  query.count_to = ready.counted ? 0 : kCountAll;
  query.by_marks = by_marks(own, query.conjunction);
  if (query.conjunction) return add_row(0);
  for (std::uint32_t i = 0; i < query.terms; ++i)
    if (i == 1 || i >= std::max(query.by_marks, 1u) || (i == 0 && query.k > 0)) add_row(i);
}

void BatchBuilder::add_ranked(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  const auto own = add_query(ready);
  QueryOnDevice& query = queries_.back();
  const auto add_summed = [this] { summed_.push_back(static_cast<std::uint32_t>(queries_.size() - 1)); };
  if (const ResidentArray* const priors = ready.priors.get()) {
    query.priors = priors->words;
    query.max_prior = scoring::weighted(priors->highest[0], plan.prior_weight);
  }
  query.prior_weight = plan.prior_weight;
  query.count_to = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.count_to, kCountAll));
  query.tied = ready.tied;
  if (query.tied > 0 && !has_clauses_) return add_summed();
  if (query.tied > 0) {
    thresholds_.back() = query.tied;
  } else {
    const Score stored = stored_threshold(ready, query.reach);
    query.floor = std::max(query.floor, stored);
    query.bin_base = query.floor;
    const Score most = own[0].max_score + own[0].max_rest + kth_prior(ready);
    query.bin_shift = ready.bin_shift.value_or(shift_for(query.floor, most));
    thresholds_.back() = std::max(query.floor, likely_threshold(ready));
    if (stored == 0) query.seed_term = seed_of(plan, own);
  }
  if (query.conjunction) return add_row(0);
  if (has_clauses_ && (clauses_.last().minimum > 0 || query.tied > 0)) {
    // Each that a document may be in first of as many as it needs: matches are counted, whatever their scores are.
    const std::uint32_t needed = std::max(clauses_.last().minimum, 1u);
    for (std::uint32_t i = 0; i + needed <= clauses_.last().any; ++i) add_row(i);
    return;
  }
  if (own[0].max_score + own[0].max_rest + query.max_prior < query.floor) return;  // no document reaches the floor
  if (sums_ != Sums::kNever && can_be_summed(query, has_clauses_) &&
      (sums_ == Sums::kAlways || is_faster_summed(query, own, codecs_)))
    return add_summed();
  for (std::uint32_t i = 0; i < query.terms; ++i) {
    if (own[i].max_score + own[i].max_rest + query.max_prior < query.floor) break;
    add_row(i);
  }
}

// Cuts all rows into tasks of about `work` each. Returns the number of tasks: of first rows, and of all.
BatchBuilder::TaskCounts BatchBuilder::cut_rows(double work) {
  std::uint32_t tasks = 0, of_first_rows = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const QueryOnDevice& query = queries_[rows_[r].query];
    const Driver driver{query, terms_[query.first_term + rows_[r].term], rows_[r].term, unranked_,
                        thresholds_[rows_[r].query]};
    rows_[r].first_task = tasks;
    tasks += cut_into_tasks(rows_[r], blocks_of(driver), work_of_block(driver), work);
    if (driver.number == 0) of_first_rows = tasks;
    while (group_rows_.size() * kTasksOfAGroup < tasks) group_rows_.push_back(static_cast<std::uint32_t>(r));
  }
  rows_.push_back({.query = 0, .term = 0, .first_task = tasks, .chunk = 1, .split = 0});
  return {of_first_rows, tasks};
}

BatchOnDevice BatchBuilder::build(std::span<const ReadyPlan* const> plans, const std::byte* base) {
  queries_.clear();
  terms_.clear();
  rows_.clear();
  thresholds_.clear();
  group_rows_.clear();
  counted_.clear();
  summed_.clear();
  clauses_.clear();
  bytes_.clear();
  work_ = 0;
  unranked_ = !plans.front()->plan->ranked;
  has_clauses_ = std::any_of(plans.begin(), plans.end(), [](const auto* ready) { return is_of_clauses(*ready->plan); });
  codecs_ = kNoCodecs;
  for (const ReadyPlan* ready : plans)
    for (const auto& list : ready->lists) codecs_ = for_both(codecs_, list->list.codecs);
  if (codecs_ == kNoCodecs) codecs_ = kPackedCodecs;
  std::uint64_t counted_blocks = 0, counted_documents = 0;  // of the longest
  for (const ReadyPlan* ready : plans) {
    if (counts_hidden(*ready)) {
      counted_.push_back(static_cast<std::uint32_t>(queries_.size()));
      counted_blocks = std::max<std::uint64_t>(counted_blocks, longest_of(*ready).list.block_count);
      counted_documents = std::max<std::uint64_t>(counted_documents, longest_of(*ready).documents);
    }
    unranked_ ? add_unranked(*ready) : add_ranked(*ready);
  }
  BatchOnDevice batch{};
  batch.unranked = unranked_;
  batch.priors =
      std::any_of(queries_.begin(), queries_.end(), [](const auto& query) { return query.priors != nullptr; });
  batch.counts =
      unranked_ && std::all_of(queries_.begin(), queries_.end(), [](const auto& query) { return query.k == 0; });
  batch.clauses = has_clauses_;
  batch.query_count = static_cast<std::uint32_t>(queries_.size());
  batch.codecs = codecs_;
  std::sort(rows_.begin(), rows_.end(),
            [](const Row& a, const Row& b) { return a.term != b.term ? a.term < b.term : a.query < b.query; });
  const auto tasks = cut_rows(std::clamp(work_ / kWantedTasks, double{kMinTaskWork}, double{kMaxTaskWork}));
  batch.task_count = tasks.all;
  batch.interleaved_tasks = tasks.of_first_rows;
  // A row's tasks are consecutive, so mostly in one column: all queries progress at the same pace.
  batch.columns = std::max(1u, std::min(batch.query_count > 1 ? kColumns : 1, batch.interleaved_tasks));
  batch.column_tasks = (batch.interleaved_tasks + batch.columns - 1) / batch.columns;
  clauses_.place(queries_, base, bytes_);
  batch.queries = place(queries_, base, bytes_);
  batch.terms = place(terms_, base, bytes_);
  batch.rows = place(rows_, base, bytes_);
  batch.group_rows = place(group_rows_, base, bytes_);
  batch.counted = place(counted_, base, bytes_);
  batch.summed = place(summed_, base, bytes_);
  batch.summed_queries = static_cast<std::uint32_t>(summed_.size());
  for (const std::uint32_t query : summed_)
    batch.summed_documents = std::max(batch.summed_documents, queries_[query].documents);
  batch.counted_queries = static_cast<std::uint32_t>(counted_.size());
  batch.count_blocks = count_blocks_for(counted_blocks, counted_documents);
  return batch;
}

}  // namespace frond::leaf::gpu
