// Every promise in query_engine.h and plan.h that is not about which hits come (tests/differential), on every engine.
#include "leaf/engine/query_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/collections/memory_list_store.h"

namespace frond::leaf {
namespace {

constexpr std::uint64_t kSeed = 301;

const support::Collection& collection() {
  static const auto made = support::random_collection(kSeed, {.documents = 20'000, .terms = 80});
  return made;
}
const support::IndexedCollection& index() {
  static const support::IndexedCollection made(collection(), {});
  return made;
}

class EveryQueryEngine : public testing::TestWithParam<EngineEntry> {
 protected:
  Result<engine::Outcome> search(const engine::Plan& plan) {
    return std::move(engine_->search(std::span(&plan, 1), clock_)[0]);
  }
  static engine::Plan plan(std::vector<support::TermNumber> terms, engine::Mode mode, std::uint32_t k) {
    return index().plan(0, terms, mode, k);
  }
  support::ManualClock clock_;
  std::unique_ptr<engine::QueryEngine> engine_ = GetParam().make();
};

TEST_P(EveryQueryEngine, HasItsNameInTheTable) {
  EXPECT_EQ(engine_->name(), GetParam().name);
  EXPECT_EQ((*engine_named(GetParam().name))->name(), GetParam().name);
}

TEST_P(EveryQueryEngine, AnswersABatchInItsOrder) {
  const std::vector<engine::Plan> plans{plan({0, 1}, engine::Mode::kOr, 5), plan({2}, engine::Mode::kOr, 3),
                                        plan({3, 4}, engine::Mode::kAnd, 7)};
  const auto outcomes = engine_->search(plans, clock_);
  ASSERT_EQ(outcomes.size(), plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(outcomes[i]->hits, search(plans[i])->hits) << i;
  EXPECT_TRUE(engine_->search({}, clock_).empty());
}

TEST_P(EveryQueryEngine, CountsAConjunctionExactlyForEveryK) {
  const auto all = search(plan({0, 1, 5}, engine::Mode::kAnd, 10'000));
  ASSERT_GT(all->matches, 100u);
  ASSERT_EQ(all->matches, all->hits.size());
  for (const std::uint32_t k : {0u, 1u, 10u}) {
    const auto some = search(plan({0, 1, 5}, engine::Mode::kAnd, k));
    EXPECT_TRUE(some->exact);
    EXPECT_EQ(some->matches, all->matches) << k;
    EXPECT_EQ(some->hits.size(), k);
  }
}

TEST_P(EveryQueryEngine, CountsAConjunctionAtLeastAsFarAsThePlanAsks) {
  const auto all = search(plan({0, 1, 5}, engine::Mode::kAnd, 10'000));
  for (const std::uint64_t count_to : {std::uint64_t{0}, std::uint64_t{50}, all->matches - 1, all->matches})
    for (const std::uint32_t k : {0u, 1u, 10u, 10'000u}) {
      auto counting = plan({0, 1, 5}, engine::Mode::kAnd, k);
      counting.count_to = count_to;
      const auto some = search(counting);
      EXPECT_GE(some->matches, std::max<std::uint64_t>(some->hits.size(), count_to)) << k;
      EXPECT_LE(some->matches, all->matches) << k;
      if (some->exact || count_to == all->matches) {
        EXPECT_EQ(some->matches, all->matches) << k;
      }
      EXPECT_EQ(some->hits.size(), std::min<std::uint64_t>(k, all->matches));
      EXPECT_TRUE(std::equal(some->hits.begin(), some->hits.end(), all->hits.begin())) << count_to << ", k " << k;
    }
}

TEST_P(EveryQueryEngine, CountsASingleTermExactlyForEveryK) {
  for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
    for (const std::uint32_t k : {0u, 1u, 1000u}) {
      const auto outcome = search(plan({3}, mode, k));
      EXPECT_TRUE(outcome->exact);
      EXPECT_EQ(outcome->matches, collection().postings[3].size());
      EXPECT_EQ(outcome->hits.size(), std::min<std::size_t>(k, outcome->matches));
    }
}

TEST_P(EveryQueryEngine, CountsADisjunctionExactlyOrAtLeastItsLongestList) {
  const std::vector<support::TermNumber> terms{0, 1, 60};
  const auto wanted =
      (*engine_named("exhaustive"))->search(std::vector{plan(terms, engine::Mode::kOr, 10'000)}, clock_);
  for (const std::uint32_t k : {0u, 1u, 10u, 10'000u}) {
    const auto outcome = search(plan(terms, engine::Mode::kOr, k));
    EXPECT_LE(outcome->matches, wanted[0]->matches);
    EXPECT_GE(outcome->matches, collection().postings[0].size());
    if (outcome->exact) {
      EXPECT_EQ(outcome->matches, wanted[0]->matches);
    }
  }
}

TEST_P(EveryQueryEngine, CountsADisjunctionExactlyWhereFewerThanKMatch) {
  const auto outcome = search(plan(collection().awkward, engine::Mode::kOr, 10'000));  // every document: not fewer
  EXPECT_EQ(outcome->hits.size(), 10'000u);
  const std::vector<support::TermNumber> rare{collection().awkward[1], collection().awkward[2]};
  const auto few = search(plan(rare, engine::Mode::kOr, 1000));
  EXPECT_TRUE(few->exact);
  EXPECT_EQ(few->matches, few->hits.size());
}

TEST_P(EveryQueryEngine, FindsNothingWithoutTermsOrWhereATermOfAConjunctionIsMissing) {
  for (const auto& nothing : {plan({}, engine::Mode::kOr, 10), plan({}, engine::Mode::kAnd, 10),
                              plan({0, 100'000}, engine::Mode::kAnd, 10)}) {
    const auto outcome = search(nothing);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_TRUE(outcome->hits.empty());
    EXPECT_EQ(outcome->matches, 0u);
    EXPECT_TRUE(outcome->exact);
  }
}

TEST_P(EveryQueryEngine, KeepsDocumentsThatReachTheFloorExactly) {
  for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
    auto floored = plan({1, 2}, mode, 20);
    const auto free = search(floored);
    engine::SharedFloor floor;
    floor.raise(free->hits[9].score);
    floored.floor = &floor;
    const auto outcome = search(floored);
    ASSERT_GE(outcome->hits.size(), 10u);
    for (std::size_t i = 0; i < free->hits.size() && free->hits[i].score >= free->hits[9].score; ++i)
      EXPECT_EQ(outcome->hits[i], free->hits[i]) << i;
  }
}

TEST_P(EveryQueryEngine, CountsNoFewerMatchesThanHitsWithAFloor) {
  // Two lists whose union is longer than the longest of them, all of it among the hits.
  auto floored = plan({1, 2}, engine::Mode::kOr, 20'000);
  const auto free = search(floored);
  ASSERT_GT(free->hits.size(), std::max(collection().postings[1].size(), collection().postings[2].size()));
  engine::SharedFloor floor;
  floor.raise(free->hits.back().score);
  floored.floor = &floor;
  const auto outcome = search(floored);
  EXPECT_EQ(outcome->hits, free->hits);
  EXPECT_GE(outcome->matches, outcome->hits.size());
}

TEST_P(EveryQueryEngine, StopsAtADeadlineBeforeAndDuringEvaluation) {
  for (const auto& terms : std::vector<std::vector<support::TermNumber>>{{0}, {0, 1}, {0, 1, 2, 4}})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      auto late = plan(terms, mode, 10'000);
      late.deadline = Deadline::at(clock_.now());
      EXPECT_EQ(search(late), Code::kDeadline);
      // Each look at the clock takes 1 us: three looks in, it is over.
      clock_.advance_at_each_look(std::chrono::microseconds(1));
      late.deadline = Deadline::after(clock_, std::chrono::microseconds(3));
      EXPECT_EQ(search(late), Code::kDeadline) << terms.size();
      clock_.advance_at_each_look(std::chrono::microseconds(0));
    }
}

// Nobody waits for the answer any more, and everybody looks where they look for the deadline.
TEST_P(EveryQueryEngine, StopsWhenItIsCancelled) {
  Cancellation cancellation;
  cancellation.cancel();
  for (const auto& terms : std::vector<std::vector<support::TermNumber>>{{0}, {0, 1}, {0, 1, 2, 4}})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      auto given_up = plan(terms, mode, 10);
      given_up.deadline = Deadline::never().or_when(cancellation);
      EXPECT_EQ(search(given_up), Code::kDeadline);
    }
}

// A list whose header is sound, and some byte behind it is not.
lists::ListLease damaged(const lists::List& list, std::size_t at, std::byte flip) {
  std::vector<ByteBuffer> segments;
  for (const auto& segment : list.postings.segments())
    segments.emplace_back(segment.bytes().begin(), segment.bytes().end());
  segments[0][at] ^= flip;
  std::vector<ByteView> views(segments.begin(), segments.end());
  return postings::PostingList::open(views) ? support::make_lease(segments) : nullptr;
}

TEST_P(EveryQueryEngine, SurvivesDamageAnywhereInAListAndCallsMuchOfItCorrupt) {
  support::Random random(kSeed);
  int corrupt = 0, tried = 0;
  for (int i = 0; i < 400; ++i) {
    auto broken = plan({4, 9, 11}, i % 2 ? engine::Mode::kAnd : engine::Mode::kOr, i % 3 ? 10 : 2000);
    auto& list = broken.terms[random.below(3)].list;
    const auto bytes = list->postings.segments()[0].bytes().size();
    list = damaged(*list, random.below(bytes), static_cast<std::byte>(1 << random.below(8)));
    if (!list) continue;
    ++tried;
    const auto outcome = search(broken);
    if (!outcome) {
      EXPECT_EQ(outcome.error().code(), Code::kCorrupt) << outcome.error().message();
      ++corrupt;
    }
  }
  EXPECT_GT(tried, 200) << "seed " << kSeed;
  EXPECT_GT(corrupt, tried / 10) << "seed " << kSeed;
}

TEST_P(EveryQueryEngine, CallsAListCorruptThatReachesPastTheLastDocument) {
  for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
    auto broken = plan({0, 1}, mode, 10);
    broken.lengths = broken.lengths.first(1000);
    EXPECT_EQ(search(broken), Code::kCorrupt);
  }
}

// The index of a list's blocks is read before a block is: which of them have documents that are shown.
TEST_P(EveryQueryEngine, CallsAListCorruptWhoseIndexIsWrongWhereManyDocumentsAreHidden) {
  std::vector<DocId> docids;
  for (DocId docid = 0; docid < 20'000; ++docid)
    if (docid % 2 == 0 || docid >= 15'000) docids.push_back(docid);
  const partition::HiddenDocuments hidden(20'000, docids);
  const auto whole = plan({0}, engine::Mode::kOr, 0);
  const lists::List& list = *whole.terms[0].list;
  const ByteView bytes = list.postings.segments()[0].bytes();
  const std::uint32_t blocks = list.postings.blocks();
  ASSERT_GT(blocks, 4u);
  // The last docIDs of the blocks, four bytes each, are followed by a deficit of each block.
  const std::size_t index = bytes.size() - std::size_t{blocks} * 5;
  ASSERT_EQ(load_le<DocId>(bytes.data() + index), list.postings.last_docid(0));
  for (const bool ranked : {false, true})
    for (const std::uint32_t block : {0u, blocks / 2, blocks - 1})
      for (const DocId wrong : {DocId{0}, DocId{0xfffffff0}}) {
        std::vector<ByteBuffer> segments(1, ByteBuffer(bytes.begin(), bytes.end()));
        for (std::size_t i = 0; i < 4; ++i)
          segments[0][index + block * 4 + i] = static_cast<std::byte>(wrong >> 8 * i & 0xff);
        if (!postings::PostingList::open(std::vector<ByteView>(segments.begin(), segments.end()))) continue;
        auto broken = whole;
        broken.terms[0].list = support::make_lease(segments);
        broken.hidden = &hidden;
        broken.ranked = ranked;
        EXPECT_EQ(search(broken), Code::kCorrupt) << "block " << block << ", last docID " << wrong;
      }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryQueryEngine, testing::ValuesIn(all_engines().begin(), all_engines().end()),
                         [](const auto& tested) {
                           std::string name(tested.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TheTableOfEngines, NamesThoseThereAreWhenAskedForAnother) {
  const auto engine = engine_named("abacus");
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code(), Code::kInvalid);
  EXPECT_NE(engine.error().message().find("cpu"), std::string::npos);
  EXPECT_TRUE(engine_named(kDefaultEngine).has_value());
}

}  // namespace
}  // namespace frond::leaf
