// A score a document in device memory and a tournament give the oracle's hits, to the byte.
#include "tools/papers/term_at_a_time/term_at_a_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/postings/list_builder.h"
#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/gpu/uploaded_list.h"

namespace frond::tools::papers {
namespace {

using leaf::engine::Mode, leaf::engine::Plan, leaf::engine::PlanTerm;

class TermAtATimeOn : public testing::TestWithParam<std::uint32_t> {};  // documents

TEST_P(TermAtATimeOn, GivesTheOraclesHits) {
  const std::uint64_t seed = 1201 + GetParam();
  const SteadyClock clock;
  const auto collection = support::random_collection(seed, {.documents = GetParam(), .terms = 25});
  const support::IndexedCollection index(collection, {});
  const auto oracle = *leaf::engine_named("exhaustive");
  support::Random random(seed);
  for (const std::uint32_t k : {1u, 10u, 100u}) {
    for (int q = 0; q < 3; ++q) {
      const Plan plan = index.plan(0, support::random_query(random, collection, 4), Mode::kOr, k);
      std::vector<support::UploadedList> uploaded;
      std::vector<Term> terms;
      std::uint32_t longest = 0;
      for (const PlanTerm& term : plan.terms) {
        auto list = support::UploadedList::create(term.list->postings, GetParam());
        ASSERT_TRUE(list) << list.error().message();
        uploaded.push_back(*std::move(list));
        terms.push_back({uploaded.back().list(), term.weight});
        longest = std::max(longest, terms.back().list.count);
      }
      auto made = TermAtATime::create(plan.lengths, longest);
      ASSERT_TRUE(made) << made.error().message();
      for (int round = 0; round < 2; ++round) {  // the scores of the first are cleared
        const auto found = made->search(terms, plan.norm, k);
        ASSERT_TRUE(found) << found.error().message();
        ASSERT_EQ(found->hits, oracle->search({&plan, 1}, clock)[0]->hits) << "seed " << seed << " query " << q;
      }
    }
  }
}

// One level of groups of 512; two.
INSTANTIATE_TEST_SUITE_P(Collections, TermAtATimeOn, testing::Values(300, 9000));

TEST(TermAtATime, FindsTheBestThroughThreeLevels) {
  constexpr std::uint32_t kDocuments = 270'000, kFound = 60;  // 528 groups of 512
  const std::vector<std::uint32_t> lengths(kDocuments, 10);
  const scoring::LengthNorm norm{.constant = 1, .slope = 0.1f};
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  std::vector<topk::Hit> wanted;
  for (DocId docid = 3; docid < kDocuments; docid += 7) {
    docids.push_back(docid);
    frequencies.push_back(1 + docid * 31 % 5000);
    wanted.push_back({docid, scoring::contribution(65536, frequencies.back(), 10, norm)});
  }
  std::sort(wanted.begin(), wanted.end(), topk::better);
  wanted.resize(kFound);
  const postings::ListBuilder builder(*codec::codec_named("simd-bp128"), lengths, 0.4, 10);
  const auto lease = support::make_lease(builder.build(docids, frequencies));
  const auto uploaded = support::UploadedList::create(lease->postings, kDocuments);
  ASSERT_TRUE(uploaded) << uploaded.error().message();
  auto made = TermAtATime::create(lengths, static_cast<std::uint32_t>(docids.size()));
  ASSERT_TRUE(made) << made.error().message();
  const Term term{uploaded->list(), 65536};
  const auto found = made->search({&term, 1}, norm, kFound);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->hits, wanted);
}

}  // namespace
}  // namespace frond::tools::papers
