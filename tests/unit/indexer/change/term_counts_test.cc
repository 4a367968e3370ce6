#include "indexer/change/term_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/partition/terms/term_digests.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::change {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::uint64_t>>;

TEST(TermCounts, CountDocumentsThatAreKeptOnceForEachTerm) {
  TermCounts counts;
  for (const char* term : {"b", "a", "b"}) counts.add_token(term);
  EXPECT_EQ(counts.tokens(), 3u);
  EXPECT_EQ(counts.digest(), partition::hash_of_term("a") + 2 * partition::hash_of_term("b"));
  EXPECT_EQ(counts.keep_document(), 2u);
  for (const char* term : {"c", "a"}) counts.add_token(term);
  counts.drop_document();
  EXPECT_EQ(counts.tokens(), 0u);
  EXPECT_EQ(counts.digest(), 0u);
  counts.add_token("a");
  EXPECT_EQ(counts.keep_document(), 1u);
  EXPECT_EQ(counts.in_order(), (Pairs{{"a", 2}, {"b", 1}}));
}

TEST(TermCounts, AddUp) {
  TermCounts one, other;
  one.add_documents("x", 3);
  other.add_documents("x", 4);
  other.add_documents("w", 1);
  other.add_token("never kept");
  one.add_all(std::move(other));
  EXPECT_EQ(one.in_order(), (Pairs{{"w", 1}, {"x", 7}}));
  EXPECT_TRUE(TermCounts().in_order().empty());
}

TEST(TermCounts, HaveManyTerms) {
  std::mt19937 random(11);
  TermCounts counts;
  std::map<std::string, std::uint64_t> expected;
  for (int document = 0; document < 2000; ++document) {
    std::map<std::string, int> terms;
    for (int token = 0; token < 30; ++token) {
      const std::string term = "t" + std::to_string(random() % (1u << random() % 16));
      counts.add_token(term);
      ++terms[term];
    }
    EXPECT_EQ(counts.keep_document(), terms.size());
    for (const auto& [term, frequency] : terms) ++expected[term];
  }
  EXPECT_EQ(counts.in_order(), Pairs(expected.begin(), expected.end()));
}

// Terms of some thousand documents, counted in 20 KB: runs are merged, and merged again.
TEST(TermCounts, AreTheSameWhateverIsHeldInMemory) {
  std::mt19937 random(12);
  const support::ScratchFolder folder;
  std::vector<TermCounts> all;
  std::map<std::string, std::int64_t> expected, got;
  std::size_t runs = 0;
  for (int part = 0; part < 3; ++part) {
    TermCounts counts(folder.path(), 20'000), others(folder.path(), 3000);
    for (int document = 0; document < 2000; ++document) {
      std::map<std::string, int> terms;
      for (int token = 0; token < 9; ++token) {
        const std::string term = "t" + std::to_string(random() % (1u << random() % 16));
        counts.add_token(term);
        ++terms[term];
      }
      if (document % 7 == 0) {
        counts.drop_document();
        continue;
      }
      EXPECT_EQ(counts.keep_document(), terms.size());
      for (const auto& [term, frequency] : terms) ++expected[term];
      others.add_documents("o" + std::to_string(document % 100), 2);
      expected["o" + std::to_string(document % 100)] += 2;
    }
    counts.add_all(std::move(others));
    EXPECT_TRUE(counts.outcome());
    runs = std::max(runs, counts.runs());
    all.push_back(std::move(counts));
  }
  EXPECT_GT(runs, 8u);
  EXPECT_LT(runs, 60u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const auto cursor = terms_of(std::move(all));
  while (cursor->next().value()) EXPECT_TRUE(got.emplace(cursor->term(), cursor->by()).second);
  EXPECT_EQ(got, expected);
}

TEST(TermCounts, SayThatTheDiskTakesNoMore) {
  TermCounts counts("/nowhere/at/all", 100);
  for (int i = 0; i < 100; ++i) counts.add_documents("t" + std::to_string(i), 1);
  EXPECT_EQ(counts.outcome(), Code::kUnavailable);
  EXPECT_LT(counts.in_order().size(), 10u) << "no more is held";
}

}  // namespace
}  // namespace frond::indexer::change
