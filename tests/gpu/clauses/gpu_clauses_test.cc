// Phrases, and terms that documents must have, may have and must not have, or must have some of, with boosts, on random
// documents: a device finds what the CPU finds and what an evaluation of all documents says, with the same scores, for
// any number of partitions, with hidden documents, whether matches are counted or bounds leave documents out.
#include "tests/gpu/clauses/clauses_on_gpu.h"

namespace frond::leaf::clauses {
namespace {

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
      // Far from those with the same score, and next to some.
      if (i == 40 || i == 90 || i % 1999 == 1998) documents[i].texts[0].push_back("aa");
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
