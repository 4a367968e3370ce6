#pragma once
// Clauses on random documents as a device, the CPU and an evaluation of all documents search them.
#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/topk/top_k.h"
#include "leaf/clauses/resolve/device_phrase.h"
#include "leaf/clauses/resolve/flat_query.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {

inline constexpr char kStop[] = "ca";

// As a leaf's search makes it; nothing: it is not for a device, or nothing matches.
inline std::optional<engine::Plan> device_plan(const ClausePlan& clause, const MemoryPartition& partition) {
  const ResolvedQuery& query = *clause.query;
  const auto flat = flat_query(query);
  if (!flat) return std::nullopt;
  const auto bounds = [&](float weight, std::uint32_t field) {
    return field == kAllText ? scoring::BoundScale(weight, query.bm25, query.statistics, clause.built)
                             : scoring::BoundScale(weight);
  };
  engine::Plan plan = clause.plan;
  plan.mode = flat->mode;
  plan.minimum = static_cast<std::uint32_t>(flat->minimum);
  std::vector<ListNumber> there;
  for (ListNumber i = 0; i < query.lists.size(); ++i) {
    if (clause.lists[i] == nullptr) {
      if (plan.mode == engine::Mode::kAnd && flat->terms[i].role == engine::TermRole::kRequired) return std::nullopt;
      continue;
    }
    const FlatQuery::Term& term = flat->terms[i];
    const std::uint32_t field = query.lists[i].field;
    plan.terms.push_back({clause.lists[i],
                          term.weight,
                          bounds(term.weight, field),
                          {},
                          term.role,
                          term.factor,
                          term.role == engine::TermRole::kExcluded ? 0 : add_field(query, field, plan)});
    there.push_back(i);
  }
  if (plan.terms.empty() || !engine::has_enough_terms(plan)) return std::nullopt;
  const std::uint32_t of_phrase = flat->phrase == nullptr ? 0 : add_field(query, flat->phrase->field, plan);
  for (engine::PlanField& field : plan.fields) field.lengths = device_lengths(partition.field_lengths.at(field.number));
  if (flat->phrase == nullptr) return plan;
  plan.phrase = device_phrase(query, *flat->phrase, there);
  plan.phrase->factor = flat->phrase_factor;
  plan.phrase->field = of_phrase;
  plan.phrase->bounds = bounds(flat->phrase->weight, flat->phrase->field);
  plan.phrase->sequences = device_sequences(partition.sequences.get());
  return plan;
}

class ClausesOnGpu : public testing::TestWithParam<std::uint32_t> {
 protected:
  ClausesOnGpu() : ClausesOnGpu(random_documents(support::query_schema(), 900, 7 + GetParam())) {}
  explicit ClausesOnGpu(std::vector<TextDocument> documents)
      : documents_(std::move(documents)),
        collection_(schema_, documents_, GetParam(), GetParam() % 2 == 0 ? codec::kDefaultCodec : "streamvbyte") {}

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::string word() {
    const std::uint32_t first = std::min(below(5), below(5));
    return std::string(1, static_cast<char>('a' + first)) + static_cast<char>('a' + std::min(below(3), below(3)));
  }
  std::string words(std::uint32_t count) {
    std::string text = word();
    while (--count > 0) text += " " + word();
    return text;
  }
  // Often as it is.
  query::Clause perhaps_boosted(query::Clause clause) {
    constexpr std::uint32_t kUnits[] = {0, 1, 77, 128, 255, 257, 512, 640, 25'600};
    if (below(3) != 0) return clause;
    return {query::Boost{{std::move(clause)}, query::Factor{kUnits[below(9)]}}};
  }
  std::string some_field() { return below(3) != 0 ? "" : below(2) == 0 ? "title" : "note"; }
  // Another each time; one in ten that no document has.
  query::Clause term() {
    query::Words words;
    do words = {some_field(), below(10) == 0 ? "no" + std::to_string(below(9)) : word(), query::Mode::kAnd};
    while (!used_.insert(words.field + ":" + words.text).second);
    return {std::move(words)};
  }
  query::Clause phrase() {
    const std::string rare = below(5) == 0 ? " w" + std::to_string(below(900)) : "";
    return perhaps_boosted(
        {query::Phrase{below(3) == 0 ? "title" : "", words(2 + (below(3) == 0 ? below(4) : 0)) + rare}});
  }
  query::Clause some_clause() {
    query::Bool both;
    used_.clear();
    const bool any = below(2) == 0;  // nothing is required by itself
    if (!any && below(4) != 0) {
      both.must.push_back(phrase());
      if (below(3) == 0) return both.must.front();
    }
    for (std::uint32_t i = any ? 0 : below(2) + (both.must.empty() ? 1 : 0); i-- > 0;)
      both.must.push_back(perhaps_boosted(term()));
    for (std::uint32_t i = any ? 1 + below(7) : below(4); i-- > 0;) both.should.push_back(perhaps_boosted(term()));
    for (std::uint32_t i = below(3); i-- > 0;) both.must_not.push_back(term());
    const auto optional = static_cast<std::uint32_t>(both.should.size());
    if (optional > 0 && below(2) == 0)
      both.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, below(optional + 1)};
    if (any && both.should.size() == 1 && both.must_not.empty() && below(2) == 0) return both.should.front();
    return {std::move(both)};
  }
  struct Ranking {
    std::vector<topk::Hit> hits;
    std::uint64_t matches = 0;
  };
  using Search = std::function<std::optional<Result<engine::Outcome>>(const ClausePlan&, std::size_t partition)>;
  // Empty: some partition has no answer.
  std::optional<Ranking> run(const ResolvedQuery& query, std::uint32_t k, bool prunes, const Search& search) {
    engine::SharedFloor floor;
    std::vector<std::vector<topk::Hit>> lists;
    Ranking ranking;
    for (std::size_t i = 0; i < collection_.partitions(); ++i) {
      ClausePlan plan = collection_.plan(i, query, k, true, prunes ? &floor : nullptr);
      if (!priors_.empty()) plan.plan.priors = &priors_[i];
      auto outcome = search(plan, i);
      if (!outcome) return std::nullopt;
      EXPECT_TRUE(*outcome) << (*outcome).error().message();
      if (!*outcome) return std::nullopt;
      EXPECT_TRUE(prunes || (*outcome)->exact);
      if (prunes && (*outcome)->hits.size() == k) floor.raise((*outcome)->hits.back().score);
      ranking.matches += (*outcome)->matches;
      lists.push_back(std::move((*outcome)->hits));
    }
    ranking.hits = topk::merge(lists, k);
    return ranking;
  }
  std::optional<Result<engine::Outcome>> on_gpu(const ClausePlan& clause, std::size_t partition) {
    const auto plan = device_plan(clause, collection_.partition(partition));
    if (!plan) return engine::Outcome();
    of_clauses_ += engine::is_of_clauses(*plan);
    boosted_ += std::ranges::any_of(plan->terms, [](const auto& term) { return term.factor != query::Factor(); });
    of_any_ += plan->mode == engine::Mode::kOr && plan->minimum == 1;
    with_minimum_ += plan->mode == engine::Mode::kOr ? plan->minimum > 1 : plan->minimum > 0;
    with_phrase_ += plan->phrase.has_value();
    of_fields_ += !plan->fields.empty();
    in_field_ += plan->phrase && plan->phrase->field != 0;
    return std::move(gpu_->try_search(std::span(&*plan, 1), clock_)[0]);
  }
  std::optional<ResolvedQuery> resolved(const query::Clause& clause) {
    const auto bound = query::bind(query::resolved(clause, query::Mode::kAnd), schema_, "clause");
    if (!bound) return std::nullopt;
    return collection_.resolve(*bound, analyzer_, plain_analyzer_).value();
  }
  void expect_agreement(int clauses) {
    for (int i = 0; i < clauses; ++i) {
      const query::Clause clause = some_clause();
      const auto query = resolved(clause);
      const auto flat = query ? flat_query(*query) : std::nullopt;
      if (!flat) continue;  // of stop words alone, or with a word twice
      const std::uint32_t k = i % 3 == 0 ? 1000 : 1 + below(20);
      SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ", k " + std::to_string(k) + ": " +
                   query::clause_json(clause));
      const auto by = [this](Result<engine::Outcome> (*function)(const ClausePlan&, const Clock&)) {
        return [this, function](const ClausePlan& plan, std::size_t) { return std::optional(function(plan, clock_)); };
      };
      const auto all = run(*query, k, false, by(search_exhaustively)), cpu = run(*query, k, false, by(search));
      const Search gpu = [this](const ClausePlan& plan, std::size_t partition) { return on_gpu(plan, partition); };
      for (const bool prunes : {false, true}) {
        const auto got = run(*query, k, prunes, gpu);
        ++asked_;
        if (!got) continue;  // counted by the engine
        ++answered_;
        ASSERT_EQ(got->hits, all->hits) << prunes;
        ASSERT_EQ(got->hits, cpu->hits) << prunes;
        if (!prunes) {
          ASSERT_EQ(got->matches, all->matches);
        }
      }
    }
  }

  const schema::Schema schema_ = support::query_schema();
  const std::vector<TextDocument> documents_;
  MemoryCollection collection_;
  std::mt19937 random_{GetParam()};
  support::ManualClock clock_;
  engine::ExhaustiveEngine below_;
  const std::unique_ptr<gpu::GpuEngine> gpu_ = *gpu::GpuEngine::create(
      {.memory_bytes = std::size_t{100} << 20, .runners = 1, .copying = gpu::DeviceCache::Copying::kByTheCaller},
      below_);
  static text::AnalyzerConfig config(bool stops) {
    return {text::Stemmer::kNone, stops ? *text::StopWords::own({kStop}) : text::StopWords(false),
            text::AnalyzerKind::kStandard};
  }
  text::Analyzer analyzer_{config(true)}, plain_analyzer_{config(false)};
  std::set<std::string> used_;                     // terms of a clause
  std::vector<partition::DocumentPriors> priors_;  // by partition; empty: there are none
  std::size_t asked_ = 0, answered_ = 0, of_clauses_ = 0, with_phrase_ = 0, boosted_ = 0, of_any_ = 0,
              with_minimum_ = 0, of_fields_ = 0, in_field_ = 0;
};

}  // namespace frond::leaf::clauses
