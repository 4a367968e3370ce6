// Phrases, and terms that documents must have, may have and must not have, or must have some of, with boosts, on random
// documents: a device finds what the CPU finds and what an evaluation of all documents says, with the same scores, for
// any number of partitions, with hidden documents, whether matches are counted or bounds leave documents out.
#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/clause_json.h"
#include "common/topk/top_k.h"
#include "leaf/clauses/device_phrase.h"
#include "leaf/clauses/flat_query.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/unit/leaf/clauses/document_collection.h"

namespace frond::leaf::clauses {
namespace {

constexpr char kStop[] = "ca";

// As a leaf's search makes it; nothing: it is not for a device, or nothing matches.
std::optional<engine::Plan> device_plan(const ClausePlan& clause, const MemoryPartition& partition) {
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
                          add_field(query, field, plan)});
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
  // Another each time.
  query::Clause term() {
    query::Words words;
    do words = {some_field(), word(), query::Mode::kAnd};
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

TEST_P(ClausesOnGpu, FindWhatTheCpuFinds) {
  expect_agreement(150);
  std::vector<bool> hidden(documents_.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = below(5) == 0;
  collection_.hide(hidden);
  expect_agreement(50);
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = below(5) != 0;
  collection_.hide(hidden);
  expect_agreement(50);
  for (std::size_t i = 0; i < collection_.partitions(); ++i) {
    std::vector<scoring::Prior> priors(collection_.partition(i).lengths.size());
    for (scoring::Prior& prior : priors) prior = below(4) == 0 ? below(60'000) : below(100);
    priors_.emplace_back(std::move(priors));
  }
  expect_agreement(50);
  collection_.hide(std::vector<bool>(hidden.size()));
  expect_agreement(50);
  std::cout << asked_ << " searches, " << answered_ << " answered by the device; plans of clauses: " << of_clauses_
            << ", with a phrase: " << with_phrase_ << ", with boosts: " << boosted_ << ", of any of some: " << of_any_
            << ", of more than one of some: " << with_minimum_ << ", of fields: " << of_fields_
            << ", with a phrase in one: " << in_field_ << std::endl;
  EXPECT_EQ(gpu_->counters().unanswered, 0u);
  EXPECT_EQ(answered_, asked_);
  for (const std::size_t plans : {with_phrase_, boosted_, of_any_, with_minimum_, of_fields_, in_field_})
    EXPECT_GT(plans, 40u);
}

// The CPU's end at kMaxScore.
TEST_P(ClausesOnGpu, LeaveSumsThatDoNotFitToTheCpu) {
  std::size_t answered = 0, left = 0;
  for (const bool with_phrase : {false, true}) {
    for (const int times : {1, 100, -100, 3000, 30'000, 100'000}) {  // below 0: and a boost of 100
      const auto often = [times](const std::string& word) {
        std::string text;
        for (int i = 0; i < std::abs(times); ++i) text += word + " ";
        query::Clause clause{query::Words{"", text, query::Mode::kAnd}};
        return times > 0 ? clause : query::Clause{query::Boost{{std::move(clause)}, {25'600}}};
      };
      query::Bool both;
      for (const char* const word : {"ab", "bb", "ba"}) both.must.push_back(often(word));
      if (with_phrase) both.must.push_back({query::Phrase{"", "aa ab"}});
      both.should = {often("cb"), often("bc")};
      const auto query = resolved({both});
      ASSERT_TRUE(query);
      ASSERT_TRUE(flat_query(*query));
      const Search exhaustive = [this](const ClausePlan& plan, std::size_t) {
        return std::optional(search_exhaustively(plan, clock_));
      };
      const Search gpu = [this](const ClausePlan& plan, std::size_t partition) { return on_gpu(plan, partition); };
      const auto all = run(*query, 10, false, exhaustive);
      const auto got = run(*query, 10, false, gpu);
      ++(got ? answered : left);
      if (got) {
        ASSERT_EQ(got->hits, all->hits) << times;
      }
    }
  }
  EXPECT_GE(answered, 4u);
  EXPECT_GE(left, 4u);
}

// More documents than are sorted have the k-th best score.
class EqualClausesOnGpu : public ClausesOnGpu {
 protected:
  EqualClausesOnGpu() : ClausesOnGpu(equal_documents(5000 * GetParam())) {}
  static std::vector<TextDocument> equal_documents(std::size_t count) {
    std::vector<TextDocument> documents(count);
    for (std::size_t i = 0; i < count; ++i) {
      documents[i].id = "d" + std::to_string(i);
      documents[i].texts.resize(support::query_schema().fields.size());
      documents[i].texts[0] = {"aa"};
      documents[i].texts[1] = {"aa", "ab"};
      if (i % 1999 == 1998) documents[i].texts[0].push_back("aa");
    }
    return documents;
  }
};

TEST_P(EqualClausesOnGpu, AreInTheOrderOfDocuments) {
  const auto words = [](const char* field, const char* word) {
    return query::Clause{query::Words{field, word, query::Mode::kAnd}};
  };
  const auto twice = [](query::Clause clause) { return query::Clause{query::Boost{{std::move(clause)}, {512}}}; };
  query::Bool optional, any, some;
  optional.must.push_back(words("", "aa"));
  optional.should.push_back(twice(words("", "ab")));
  any.should = {words("title", "aa"), twice(words("", "ab"))};
  some.should = {words("title", "aa"), words("", "aa"), twice(words("", "ab"))};
  some.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, 2};
  for (const query::Clause& clause :
       {twice(words("title", "aa")), words("title", "aa"), {query::Phrase{"", "aa ab"}}, {optional}, {any}, {some}}) {
    SCOPED_TRACE(query::clause_json(clause));
    const auto query = resolved(clause);
    const auto all = run(*query, 10, false, [this](const ClausePlan& plan, std::size_t) {
      return std::optional(search_exhaustively(plan, clock_));
    });
    const auto got = run(*query, 10, false,
                         [this](const ClausePlan& plan, std::size_t partition) { return on_gpu(plan, partition); });
    ASSERT_TRUE(got);
    EXPECT_EQ(got->hits, all->hits);
    EXPECT_EQ(got->matches, all->matches);
  }
  EXPECT_EQ(gpu_->counters().unanswered, 0u);
}

INSTANTIATE_TEST_SUITE_P(Partitions, EqualClausesOnGpu, testing::Values(1u, 2u));

TEST_P(ClausesOnGpu, FindSequencesInOneArray) {
  const partition::StoredSequences& stored = *collection_.partition(0).sequences;
  const auto array = device_sequences(&stored);
  const std::size_t begins = (stored.documents() + 1) * sizeof(std::uint32_t);
  ASSERT_EQ(array->bytes(), begins + stored.bytes());
  EXPECT_EQ(array->owner(), stored.name());
  ByteBuffer bytes(array->bytes());
  for (std::size_t from = 0, piece = 1; from < bytes.size(); from += piece, piece = piece * 3 % 101 + 1) {
    piece = std::min(piece, bytes.size() - from);
    array->write(static_cast<DocId>(from), std::span(bytes).subspan(from, piece));
  }
  for (DocId docid = 0; docid <= stored.documents(); ++docid)
    ASSERT_EQ(load_le<std::uint32_t>(bytes.data() + docid * sizeof(std::uint32_t)), stored.begin(docid));
  ByteBuffer records(stored.bytes());
  stored.copy(0, records);
  EXPECT_TRUE(std::ranges::equal(records, ByteView(bytes).subspan(begins)));
}

TEST_P(ClausesOnGpu, LeaveDamagedSequencesToTheCpu) {
  const auto query = resolved({query::Phrase{"", "aa ab"}});
  auto plan = collection_.plan(0, *query, 10, true);
  auto asked = device_plan(plan, collection_.partition(0));
  ASSERT_TRUE(asked);
  ASSERT_TRUE(gpu_->try_search(std::span(&*asked, 1), clock_)[0]);
  // The same list of documents, whose records are all of bytes that are none.
  std::vector<ByteBuffer> codes(collection_.partition(0).codes.size(), ByteBuffer(9, std::byte{0xff}));
  MemoryPartition damaged;
  damaged.codes = std::move(codes);
  MemoryCollection::add_sequences(damaged);
  asked->phrase->sequences = device_sequences(damaged.sequences.get());
  engine::BatchTimes times;
  const auto none = gpu_->try_search(std::span(&*asked, 1), clock_, &times);
  EXPECT_FALSE(none[0]);
  EXPECT_EQ(times.launches, 1u);
  EXPECT_EQ(gpu_->counters().unanswered, 1u);
  asked->phrase->sequences = device_sequences(collection_.partition(0).sequences.get());
  EXPECT_TRUE(gpu_->try_search(std::span(&*asked, 1), clock_)[0]);
}

INSTANTIATE_TEST_SUITE_P(Partitions, ClausesOnGpu, testing::Values(1u, 2u, 3u, 16u));

}  // namespace
}  // namespace frond::leaf::clauses
