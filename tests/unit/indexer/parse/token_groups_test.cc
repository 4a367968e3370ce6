// Tokens grouped by trie collection and term are the tokens that were added.
#include "indexer/parse/token_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace frond::indexer::parse {
namespace {

// By term: the documents that have it, and how often.
using Index = std::map<std::string, std::map<std::uint32_t, std::uint64_t>>;

struct Read {
  Index index;
  std::size_t sections = 0, terms = 0;
};

Read read(const TokenGroups& groups) {
  Read all;
  int last_collection = 1 << 20;
  std::map<std::string, std::uint32_t> last_document;
  for (const TokenGroup& group : groups.groups) {
    all.sections += group.collection <= last_collection;
    last_collection = group.collection;
    const ByteView bytes = groups.of(group);
    for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
      const GroupedTerm term = GroupedTerm::read(at);
      at = term.end();
      ++all.terms;
      const auto text = std::string(dictionary::TriePrefix(group.collection).text()).append(term.suffix);
      EXPECT_EQ(dictionary::trie_place(text).collection, group.collection);
      EXPECT_GT(term.postings, 0u);
      for (std::uint32_t i = 0; i < term.postings; ++i) {
        EXPECT_GE(term.document(i), last_document[text]) << "documents do not descend, also from section to section";
        last_document[text] = term.document(i);
        EXPECT_GT(term.frequency(i), 0u);
        all.index[text][term.document(i)] += term.frequency(i);
      }
    }
  }
  return all;
}

TEST(TokenGrouper, KeepsEveryTokenWithItsDocument) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 random(seed);
    TokenGrouper grouper;
    TokenGroups groups;
    for (int batch = 0; batch < 3; ++batch) {
      Index expected;
      for (std::uint32_t document = 0; document < 300; ++document) {
        grouper.begin_document(document);
        for (std::size_t n = random() % 50; n > 0; --n) {
          const std::size_t lengths[] = {1, 2, 3, 4, 9, 253, 254, 255, 256, 257, 258, 300};
          std::string term;
          for (std::size_t size = lengths[random() % 12 * (random() % 3 == 0)]; term.size() < size;)
            term += static_cast<char>("abc9-"[random() % 5]);
          if (term.empty()) term = std::string(1 + random() % 5, 'x');
          grouper.add(term);
          ++expected[term][document];
        }
      }
      grouper.finish(groups);
      const Read got = read(groups);
      EXPECT_EQ(got.index, expected) << "seed " << seed << ", batch " << batch;
      EXPECT_LE(got.sections, 3u);  // long terms fill the table
      EXPECT_LE(got.terms, got.sections * expected.size()) << "each term comes once in a section";
    }
  }
}

// Terms that come with a number, as impacts do, beside terms that come one by one.
TEST(TokenGrouper, TakesATermSoManyTimes) {
  std::mt19937 random(6);
  TokenGrouper grouper;
  TokenGroups groups;
  for (int batch = 0; batch < 2; ++batch) {
    Index expected;
    for (std::uint32_t document = 0; document < 2000; ++document) {
      grouper.begin_document(document);
      for (std::size_t n = random() % 20; n > 0; --n) {
        const std::string term = "t" + std::to_string(random() % (document % 10 == 0 ? 100'000 : 50));
        if (expected[term].contains(document)) continue;
        const std::uint16_t numbers[] = {1, 2, 255, 65'535};
        const std::uint16_t times = numbers[random() % 4];
        grouper.add(term, times);
        expected[term][document] = times;
        const std::string once = "once" + std::to_string(n);
        grouper.add(once);
        grouper.add(once);
        expected[once][document] += 2;
      }
    }
    std::erase_if(expected, [](const auto& one) { return one.second.empty(); });
    grouper.finish(groups);
    EXPECT_EQ(read(groups).index, expected) << "seed 6, batch " << batch;
  }
}

// What comes in sections comes so, too: the number is of the posting in the section at hand.
TEST(TokenGrouper, TakesATermSoManyTimesInEverySection) {
  TokenGrouper grouper;
  TokenGroups groups;
  Index expected;
  for (std::uint32_t document = 0; document < 3; ++document) {
    grouper.begin_document(document);
    for (int i = 0; i < 150'000; ++i) {
      const std::string term = "x" + std::to_string(i + 100'000 * document);
      const auto times = static_cast<std::uint16_t>(1 + i % 255);
      grouper.add(term, times);
      expected[term][document] = times;
    }
  }
  grouper.finish(groups);
  const Read got = read(groups);
  EXPECT_GT(got.sections, 1u);
  EXPECT_EQ(got.index, expected);
}

TEST(TokenGrouper, CutsABatchOfVeryManyTermsIntoSections) {
  TokenGrouper grouper;
  TokenGroups groups;
  Index expected;
  const std::uint32_t before = grouper.epoch();
  for (std::uint32_t document = 0; document < 2; ++document) {
    grouper.begin_document(document);
    for (std::uint32_t n = 0; n < 2u << kMaxTableBits; ++n) {
      const std::string term = n % 3 == 0 ? "common" : "term" + std::to_string(n);
      grouper.add(term);
      ++expected[term][document];
    }
  }
  EXPECT_GT(grouper.epoch(), before);
  grouper.finish(groups);
  const Read got = read(groups);
  EXPECT_EQ(got.index, expected);
  EXPECT_GT(got.sections, 2u);
}

TEST(TokenGrouper, BoundsThePostingsOfASection) {
  TokenGrouper grouper(/*kept_bytes=*/8'000);
  TokenGroups groups;
  Index expected;
  for (std::uint32_t document = 0; document < 5'000; ++document) {
    grouper.begin_document(document);
    grouper.add("the");
    ++expected["the"][document];
  }
  grouper.finish(groups);
  EXPECT_EQ(read(groups).index, expected);
  EXPECT_EQ(read(groups).sections, 5u);
}

TEST(TokenGrouper, CountsMoreThanAFrequencyHolds) {
  TokenGrouper grouper;
  TokenGroups groups;
  grouper.begin_document(7);
  for (int i = 0; i < 200'000; ++i) grouper.add("again");
  grouper.finish(groups);
  EXPECT_EQ(read(groups).index, (Index{{"again", {{7, 200'000}}}}));
}

TEST(TokenGrouper, GivesNothingForNothing) {
  TokenGrouper grouper;
  TokenGroups groups;
  grouper.begin_document(0);
  grouper.begin_document(65'534 - 1);
  grouper.finish(groups);
  EXPECT_TRUE(groups.groups.empty());
  EXPECT_TRUE(groups.bytes.empty());
}

TEST(TermTable, NumbersTermsAndKeepsThem) {
  TermTable table;
  EXPECT_EQ(table.find_or_add("fox"), 0u);
  EXPECT_EQ(table.find_or_add("foxes"), 1u);
  EXPECT_EQ(table.find_or_add("fox"), 0u);
  EXPECT_EQ(table.suffix(1), "es");
  EXPECT_EQ(table.collection(1), dictionary::trie_place("foxes").collection);
  for (std::uint32_t n = 0; !table.full(); ++n) EXPECT_EQ(table.find_or_add("t" + std::to_string(n)), n + 2);
  EXPECT_EQ(table.find_or_add("foxes"), 1u) << "terms that are there are found in a full table";
  std::vector<TermId> numbers(table.max_terms(), kNoTerm);
  numbers[1] = numbers[100] = 0;
  table.keep(numbers);
  EXPECT_EQ(numbers[0], kNoTerm);
  EXPECT_EQ(numbers[1], 0u);
  EXPECT_EQ(numbers[100], 1u);
  EXPECT_EQ(table.find_or_add("foxes"), 0u);
  EXPECT_EQ(table.find_or_add("t98"), 1u);
  EXPECT_EQ(table.suffix(0), "es");
  EXPECT_EQ(table.find_or_add("fox"), 2u) << "forgotten, and new again";
}

}  // namespace
}  // namespace frond::indexer::parse
