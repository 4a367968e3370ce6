#include "leaf/gpu/batch_builder.h"

#include <algorithm>
#include <cstring>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

using scoring::Score;

// A plan's terms in the order of batch.h.
std::vector<TermOnDevice> ordered_terms(const ReadyPlan& ready) {
  std::vector<TermOnDevice> terms;
  for (std::size_t i = 0; i < ready.plan->terms.size(); ++i) {
    const PlanTerm& term = ready.plan->terms[i];
    terms.push_back({.list = ready.lists[i]->list,
                     .bounds = term.bounds,
                     .weight = term.weight,
                     .most = term.bounds.bound(term.list->postings.list_deficit()),
                     .rest = 0});
  }
  if (ready.plan->mode == Mode::kAnd)
    std::stable_sort(terms.begin(), terms.end(),
                     [](const auto& a, const auto& b) { return a.list.count < b.list.count; });
  else
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.most > b.most; });
  Score rest = 0;
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    term->rest = rest;
    rest += term->most;
  }
  return terms;
}

// The term that is likely to give the highest first threshold: the first in the order that has k postings.
std::uint32_t seed_of(const Plan& plan, std::span<const TermOnDevice> terms) {
  const auto many = static_cast<std::uint32_t>(terms.size());
  if (plan.mode == Mode::kAnd && many > 1) return many;  // a document of one list may not match
  for (std::uint32_t i = 0; i < many; ++i)
    if (terms[i].list.count >= plan.k) return i;
  return many;
}

// Blocks that are decoded for one block of a driving list, at most: its own, and in each other list those that its 128
// documents spread over.
double work_of_block(std::span<const TermOnDevice> terms, std::uint32_t driver) {
  const double own = terms[driver].list.block_count;
  double work = 1;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (i != driver) work += std::min(terms[i].list.block_count / own, double{codec::kBlockLength});
  return work;
}

// The row's tasks, so that each is about `work` blocks to decode; returns how many.
std::uint32_t cut_into_tasks(Row& row, std::uint32_t blocks, double work_of_a_block, double work) {
  row.split = 0;
  row.chunk = static_cast<std::uint16_t>(std::clamp(work / work_of_a_block, 1.0, double{kMostChunk}));
  while (work_of_a_block > work && row.split < kMostSplit) {
    work_of_a_block /= 2;
    ++row.split;
  }
  return (blocks + row.chunk - 1) / row.chunk << row.split;
}

template <class T>
T* place(std::vector<T>& values, const std::byte* base, ByteBuffer& bytes) {
  bytes.resize((bytes.size() + 15) / 16 * 16);
  const std::size_t at = bytes.size();
  bytes.resize(at + values.size() * sizeof(T));
  std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(T));
  return reinterpret_cast<T*>(const_cast<std::byte*>(base) + at);
}

}  // namespace

bool fits_kernels(const Plan& plan) {
  return plan.k >= 1 && plan.k <= kMostHits && !plan.terms.empty() && plan.terms.size() <= kMostTermsOfAQuery &&
         std::all_of(plan.terms.begin(), plan.terms.end(),
                     [](const PlanTerm& term) { return term.list->postings.count() > 0; });
}

BuiltBatch build_batch(std::span<const ReadyPlan* const> plans, const std::byte* base) {
  std::vector<QueryOnDevice> queries;
  std::vector<TermOnDevice> terms;
  std::vector<Row> rows;
  double work = 0;
  for (const ReadyPlan* ready : plans) {
    const Plan& plan = *ready->plan;
    const auto own = ordered_terms(*ready);
    const auto many = static_cast<std::uint32_t>(own.size());
    std::uint32_t shift = 0;
    while (((own[0].most + own[0].rest) >> shift) >= kBins) ++shift;
    const auto number = static_cast<std::uint32_t>(queries.size());
    queries.push_back({.lengths = ready->lengths->lengths,
                       .norm = plan.norm,
                       .least_length = ready->lengths->least,
                       .first_term = static_cast<std::uint32_t>(terms.size()),
                       .terms = many,
                       .seed_term = seed_of(plan, own),
                       .k = plan.k,
                       .conjunction = plan.mode == Mode::kAnd,
                       .floor = ready->floor,
                       .bin_shift = shift});
    for (std::uint32_t i = 0; i < (plan.mode == Mode::kAnd ? 1 : many); ++i) {
      if (plan.mode == Mode::kOr && own[i].most + own[i].rest < ready->floor) break;
      rows.push_back({.query = number, .term = i, .first_task = 0, .chunk = 1, .split = 0});
      work += work_of_block(own, i) * own[i].list.block_count;
    }
    terms.insert(terms.end(), own.begin(), own.end());
  }
  BuiltBatch built;
  BatchOnDevice& batch = built.batch;
  work = std::clamp(work / kWantedTasks, double{kLeastWork}, double{kMostWork});
  std::uint32_t tasks = 0;
  std::vector<std::uint32_t> group_rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const QueryOnDevice& query = queries[rows[r].query];
    const auto own = std::span(terms).subspan(query.first_term, query.terms);
    rows[r].first_task = tasks;
    tasks += cut_into_tasks(rows[r], own[rows[r].term].list.block_count, work_of_block(own, rows[r].term), work);
    while (group_rows.size() * kTasksOfAGroup < tasks) group_rows.push_back(static_cast<std::uint32_t>(r));
  }
  rows.push_back({.query = 0, .term = 0, .first_task = tasks, .chunk = 1, .split = 0});
  batch.query_count = static_cast<std::uint32_t>(queries.size());
  batch.task_count = tasks;
  // A query's tasks are neighbours, and so mostly in one column: all queries go on at the same pace.
  batch.columns = std::max(1u, std::min(batch.query_count > 1 ? kColumns : 1, tasks));
  batch.column_tasks = (tasks + batch.columns - 1) / batch.columns;
  batch.queries = place(queries, base, built.bytes);
  batch.terms = place(terms, base, built.bytes);
  batch.rows = place(rows, base, built.bytes);
  batch.group_rows = place(group_rows, base, built.bytes);
  return built;
}

}  // namespace frond::leaf::gpu
