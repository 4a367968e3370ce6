// Trie collections, and the terms of a dictionary in order.
#include "indexer/dictionary/dictionary.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace frond::indexer::dictionary {
namespace {

TEST(TrieCollection, IsWhatTheTableOfThePaperSays) {
  const auto place = [](std::string_view term) { return trie_place(term).collection; };
  EXPECT_EQ(place("-80"), 0);
  EXPECT_EQ(place("3d"), 0);
  EXPECT_EQ(place("česky"), 0);
  EXPECT_EQ(place("01"), 1);
  EXPECT_EQ(place("0195"), 1);
  EXPECT_EQ(place("954"), 10);
  EXPECT_EQ(place("a"), 11);
  EXPECT_EQ(place("act"), 11);
  EXPECT_EQ(place("añonuevo"), 11);
  EXPECT_EQ(place("zoo"), 36);
  EXPECT_EQ(place("aaat"), 37);
  EXPECT_EQ(place("aabomycin"), 38);
  EXPECT_EQ(place("zzzy"), 17612);
}

TEST(TrieCollection, ImpliesThePrefixThatItsTermsLose) {
  for (const std::string term : {"3d", "česky", "0195", "9", "b", "zoé", "zoology", "mmmmm", "aaat", "zzzy"}) {
    const TriePlace place = trie_place(term);
    EXPECT_EQ(TriePrefix(place.collection).text(), term.substr(0, place.prefix_bytes)) << term;
  }
}

// Words that share prefixes, and difficult ones: short, long, with digits or bytes above ASCII.
std::string random_term(std::mt19937& random) {
  static const std::vector<std::string> kLetters = {"a", "b", "z", "0", "9", "é", "ß", "-", "日", "m"};
  std::string term;
  const std::size_t letters = random() % 40 == 0 ? 100 : 1 + random() % 6;
  while (term.size() < letters) term += kLetters[random() % (random() % 2 ? 3 : kLetters.size())];
  return term;
}

TEST(Dictionary, KeepsEveryTermAndGivesThemInByteOrder) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    Arena arena;
    Dictionary<int> dictionary(arena);
    for (int round = 0; round < 2; ++round) {  // the second after clear()
      std::map<std::string, int> expected;
      for (int i = 0; i < 50'000; ++i) {
        const std::string term = random_term(random);
        const TriePlace place = trie_place(term);
        ++dictionary.find_or_add(place.collection, std::string_view(term).substr(place.prefix_bytes));
        ++expected[term];
      }
      EXPECT_EQ(dictionary.terms(), expected.size());
      std::vector<std::pair<std::string, int>> got;
      dictionary.for_each_in_order([&](std::string_view prefix, std::string_view suffix, int count) {
        got.emplace_back(std::string(prefix).append(suffix), count);
        return true;
      });
      const std::vector<std::pair<std::string, int>> wanted(expected.begin(), expected.end());
      EXPECT_EQ(got, wanted) << "seed " << seed << ", round " << round;
      dictionary.clear();
      arena.clear();
    }
  }
}

TEST(Dictionary, EndsAVisitThatSaysSo) {
  Arena arena;
  Dictionary<int> dictionary(arena);
  for (const char* suffix : {"a", "b", "c"}) dictionary.find_or_add(0, suffix);
  int seen = 0;
  dictionary.for_each_in_order([&](std::string_view, std::string_view, int) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST(Arena, KeepsPiecesApartAndWhereTheyAre) {
  Arena arena;
  std::mt19937 random(7);
  std::vector<std::pair<ArenaRef, std::size_t>> pieces;
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t bytes = i % 100 == 0 ? Arena::kBlockBytes : 1 + random() % 5'000;
    pieces.emplace_back(arena.allocate(bytes), bytes);
    std::memset(arena.at(pieces.back().first), i & 0xff, bytes);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t at : {std::size_t{0}, pieces[i].second / 2, pieces[i].second - 1})
      ASSERT_EQ(static_cast<std::size_t>(arena.at(pieces[i].first)[at]), i & 0xff) << i;
  arena.clear();
  EXPECT_EQ(arena.bytes(), 0u);
}

}  // namespace
}  // namespace frond::indexer::dictionary
