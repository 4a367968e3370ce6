#include "leaf/serve/documents/document_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/memory/failing_allocations.h"

namespace frond::leaf::serve {
namespace {

const text::AnalyzerConfig kStemmed{text::Stemmer::kPorter, true}, kPlain{text::Stemmer::kNone, false};
using Terms = std::vector<std::string>;

TEST(AnalyzerPool, LendsAgainWhatItWasGivenBack) {
  AnalyzerPool pool;
  const text::Analyzer* first = nullptr;
  {
    const auto lease = pool.take(kStemmed);
    first = &*lease;
  }
  const auto lease = pool.take(kStemmed);
  EXPECT_EQ(&*lease, first);
}

TEST(AnalyzerPool, KeepsNoAnalyzerThatItHasNoMemoryFor) {
  if (!support::kAllocationsCanFail) GTEST_SKIP();
  AnalyzerPool pool;
  {
    const auto lease = pool.take(kStemmed);
    support::fail_allocation(1);
  }
  EXPECT_FALSE(support::allocation_will_fail());
  EXPECT_EQ((*pool.take(kStemmed)).terms("running"), Terms{"run"});
}

TEST(AnalyzerPool, LendsAnAnalyzerToOneAtATime) {
  AnalyzerPool pool;
  const auto one = pool.take(kStemmed), other = pool.take(kStemmed);
  EXPECT_NE(&*one, &*other);
}

TEST(AnalyzerPool, LendsAnalyzersOfTheConfigurationThatIsAskedFor) {
  AnalyzerPool pool;
  const std::string text = "the running dogs";
  EXPECT_EQ((*pool.take(kStemmed)).terms(text), (Terms{"run", "dog"}));
  {
    const auto stemmed = pool.take(kStemmed);
    EXPECT_EQ((*pool.take(kPlain)).terms(text), (Terms{"the", "running", "dogs"}));
    EXPECT_EQ((*stemmed).terms(text), (Terms{"run", "dog"}));
  }
  EXPECT_EQ((*pool.take(kPlain)).terms(text), (Terms{"the", "running", "dogs"}));
  EXPECT_EQ((*pool.take(kStemmed)).terms(text), (Terms{"run", "dog"}));
}

TEST(AnalyzerPool, ServesManyThreads) {
  AnalyzerPool pool;
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&pool, i] {
      for (int round = 0; round < 50; ++round)
        EXPECT_EQ((*pool.take(i % 2 ? kStemmed : kPlain)).terms("dogs"), (Terms{i % 2 ? "dog" : "dogs"}));
    });
}

}  // namespace
}  // namespace frond::leaf::serve
