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
  std::uint64_t blocks = 0;
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
      rows.push_back({.query = number, .term = i, .first_task = 0});
      blocks += own[i].list.block_count;
    }
    terms.insert(terms.end(), own.begin(), own.end());
  }
  BuiltBatch built;
  BatchOnDevice& batch = built.batch;
  batch.chunk = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks / kWantedTasks, 1, kMostChunk));
  std::uint32_t tasks = 0;
  std::vector<std::uint32_t> group_rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].first_task = tasks;
    tasks += (terms[queries[rows[r].query].first_term + rows[r].term].list.block_count + batch.chunk - 1) / batch.chunk;
    while (group_rows.size() * kTasksOfAGroup < tasks) group_rows.push_back(static_cast<std::uint32_t>(r));
  }
  rows.push_back({.query = 0, .term = 0, .first_task = tasks});
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
