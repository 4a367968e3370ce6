// Trie collections, and the terms of a dictionary in order.
#include "indexer/dictionary/btree_dictionary.h"
#include "indexer/dictionary/hash_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
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

template <class Dictionary>
class EveryDictionary : public testing::Test {};
using Dictionaries = testing::Types<HashDictionary<int>, BTreeDictionary<int>>;
TYPED_TEST_SUITE(EveryDictionary, Dictionaries);

TYPED_TEST(EveryDictionary, KeepsEveryTermAndGivesThemInByteOrder) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    Arena arena;
    TypeParam dictionary(arena);
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

TYPED_TEST(EveryDictionary, GivesTheTermsOfOneCollectionByPlace) {
  std::mt19937 random(4);
  Arena arena;
  TypeParam dictionary(arena);
  std::map<TrieCollection, std::map<std::string, int>> expected;
  for (int i = 0; i < 50'000; ++i) {
    const std::string term = random_term(random);
    const TriePlace place = trie_place(term);
    const std::string suffix = term.substr(place.prefix_bytes);
    ++dictionary.find_or_add(place.collection, suffix);
    ++expected[place.collection][suffix];
  }
  for (std::size_t i = 0; i < kTrieCollections; ++i) {
    const auto collection = static_cast<TrieCollection>(i);
    const auto& wanted = expected[collection];
    ASSERT_EQ(dictionary.terms_of(collection), wanted.size()) << i;
    const auto ordered = dictionary.order(collection);
    ASSERT_EQ(ordered.size(), wanted.size());
    std::vector<std::pair<std::string, int>> got;
    std::string scratch;
    for (std::size_t place = 0; place < ordered.size(); ++place)
      got.emplace_back(ordered.suffix(place, scratch), ordered.value(place));
    EXPECT_EQ(got, (std::vector<std::pair<std::string, int>>(wanted.begin(), wanted.end())));
    EXPECT_EQ(dictionary.terms_of(collection), wanted.size()) << "also when they are in order";
  }
}

TYPED_TEST(EveryDictionary, EndsAVisitThatSaysSo) {
  Arena arena;
  TypeParam dictionary(arena);
  for (const char* suffix : {"a", "b", "c"}) dictionary.find_or_add(0, suffix);
  int seen = 0;
  dictionary.for_each_in_order([&](std::string_view, std::string_view, int) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

// Ascending and descending terms split always at the same end; a shared beginning of four bytes decides nothing.
TEST(BTreeDictionary, KeepsTermsThatComeInOrderOrDifferLate) {
  for (const bool ascending : {true, false})
    for (const std::string beginning : {"", "a", "abcd", "abcdefgh"}) {
      Arena arena;
      BTreeDictionary<int> dictionary(arena);
      std::map<std::string, int*> values;
      for (int i = 0; i < 20'000; ++i) {
        const int number = ascending ? i : 20'000 - i;
        const std::string term =
            beginning + std::string(5 - std::to_string(number).size(), '0') + std::to_string(number);
        int& value = dictionary.find_or_add(40, term);
        value = number;
        values[term] = &value;
      }
      EXPECT_EQ(dictionary.terms(), values.size());
      for (const auto& [term, value] : values) ASSERT_EQ(&dictionary.find_or_add(40, term), value) << term;
      auto next = values.begin();
      dictionary.for_each_in_order([&](std::string_view prefix, std::string_view suffix, int& value) {
        EXPECT_EQ(prefix, "aad");
        EXPECT_EQ(suffix, next->first);
        EXPECT_EQ(&value, next->second);
        return ++next, true;
      });
      EXPECT_EQ(next, values.end());
    }
}

TEST(BTreeDictionary, TakesShortSuffixesAndTheEmptyOne) {
  Arena arena;
  BTreeDictionary<int> dictionary(arena);
  std::vector<std::string> terms = {"", "a", "ab", "abc", "abcd", "abcda", "abcdb", "abce", "b", "\xff\xff\xff\xff"};
  for (std::size_t i = terms.size(); i-- > 0;) dictionary.find_or_add(37, terms[i]) = static_cast<int>(i);
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(dictionary.find_or_add(37, terms[i]), static_cast<int>(i));
  std::vector<std::string> got;
  dictionary.for_each_in_order([&](std::string_view, std::string_view suffix, int) {
    got.emplace_back(suffix);
    return true;
  });
  EXPECT_EQ(got, terms);
}

// At least half of a node's places are used, but in a root.
TEST(BTreeDictionary, TakesLittleMoreThanTwiceTheNodesThatFullOnesWouldBe) {
  Arena arena;
  BTreeDictionary<int> dictionary(arena);
  std::mt19937 random(5);
  while (dictionary.terms() < 100'000) dictionary.find_or_add(0, random_term(random));
  const std::size_t full = dictionary.terms() / kMaxNodeTerms * sizeof(BTreeNode);
  EXPECT_LT(dictionary.table_bytes(), full * 22 / 10);
}

// Tables that grow leave pieces that others take.
TEST(HashDictionary, TakesLittleMoreThanTheTablesThatItHas) {
  Arena arena;
  HashDictionary<int> dictionary(arena);
  std::mt19937 random(9);
  while (dictionary.terms() < 300'000) {
    const std::string term = random_term(random) + std::to_string(random());
    const TriePlace place = trie_place(term);
    dictionary.find_or_add(place.collection, std::string_view(term).substr(place.prefix_bytes));
  }
  // An entry of 16 bytes or more, and a slot of 8, of which a third to two thirds are used.
  const std::size_t entries = dictionary.terms() * (16 + 8), tables = dictionary.terms() * 24;
  EXPECT_LT(arena.bytes() + dictionary.table_bytes(), entries + tables + tables / 2 + (std::size_t{4} << 20));
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
