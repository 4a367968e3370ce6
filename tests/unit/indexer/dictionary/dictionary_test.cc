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
    std::map<std::string, int> got;
    std::size_t place = 0;
    for (const auto& [suffix, count] : wanted) {
      std::string its;
      ordered.append_suffix(place, its);
      EXPECT_EQ(its, suffix);
      ordered.for_each(place, place + 1, [&](std::string_view one, int value) { got[std::string(one)] = value; });
      ++place;
    }
    EXPECT_EQ(got, wanted);
    std::vector<std::string> middle, all;
    ordered.for_each(0, wanted.size(), [&](std::string_view one, int) { all.emplace_back(one); });
    ordered.for_each(wanted.size() / 3, wanted.size() / 2,
                     [&](std::string_view one, int) { middle.emplace_back(one); });
    EXPECT_TRUE(std::equal(middle.begin(), middle.end(), all.begin() + static_cast<std::ptrdiff_t>(wanted.size() / 3)));
    EXPECT_EQ(middle.size(), wanted.size() / 2 - wanted.size() / 3);
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

TEST(TableMemory, KeepsPiecesApartAndUsesThemAgain) {
  TableMemory memory;
  std::mt19937 random(8);
  struct Piece {
    std::byte* begin;
    std::size_t bytes;
    unsigned fill;
  };
  std::vector<Piece> pieces;
  const auto check = [](const Piece& piece) {
    for (std::size_t at : {std::size_t{0}, piece.bytes / 2, piece.bytes - 1})
      ASSERT_EQ(static_cast<unsigned>(piece.begin[at]), piece.fill);
  };
  for (int round = 0; round < 2; ++round) {  // the second after clear()
    std::size_t taken = 0, most = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
      if (!pieces.empty() && random() % 5 < 2) {
        std::swap(pieces[random() % pieces.size()], pieces.back());
        check(pieces.back());
        memory.give(pieces.back().begin, pieces.back().bytes);
        taken -= pieces.back().bytes;
        pieces.pop_back();
        continue;
      }
      const std::size_t bytes = TableMemory::kLeastBytes << (random() % 1000 == 0 ? 16 : random() % 8);
      pieces.push_back({memory.take(bytes), bytes, i & 0xff});
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back().begin) % TableMemory::kLeastBytes, 0u);
      std::memset(pieces.back().begin, static_cast<int>(i & 0xff), bytes);
      most = std::max(most, taken += bytes);
    }
    for (const Piece& piece : pieces) check(piece);
    EXPECT_GE(memory.bytes(), taken);
    EXPECT_LT(memory.bytes(), most + most / 4 + TableMemory::kLargeBlock);
    memory.clear();
    pieces.clear();
    EXPECT_EQ(memory.bytes(), 0u);
  }
}

// As tables grow: those that are left are taken by others.
TEST(TableMemory, TakesLittleMoreThanTwiceTheTablesThatGrow) {
  TableMemory memory;
  std::mt19937 random(9);
  std::vector<std::pair<std::byte*, std::size_t>> tables(5'000);
  std::size_t taken = 0;
  for (int i = 0; i < 40'000; ++i) {
    auto& [begin, bytes] = tables[random() % (1 + random() % tables.size())];
    const std::size_t more = std::max(TableMemory::kLeastBytes, 2 * bytes);
    if (more > TableMemory::kLargeBlock * 2) continue;
    std::byte* const grown = memory.take(more);
    if (bytes != 0) memory.give(begin, bytes);
    taken += more - bytes;
    begin = grown;
    bytes = more;
  }
  EXPECT_GT(taken, 4 * TableMemory::kLargeBlock);
  EXPECT_LT(memory.bytes(), 2 * taken + TableMemory::kLargeBlock);
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
