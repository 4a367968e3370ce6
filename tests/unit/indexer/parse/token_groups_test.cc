// Tokens grouped by trie collection are the tokens that were added.
#include "indexer/parse/token_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace frond::indexer::parse {
namespace {

using Token = std::tuple<dictionary::TrieCollection, std::uint32_t, std::string>;  // collection, document, whole term

std::vector<Token> tokens_of(const TokenGroups& groups) {
  std::vector<Token> all;
  for (const TokenGroup& group : groups.groups) {
    std::uint32_t document = 0;
    for_each_token(
        groups.of(group),
        [&](std::uint32_t number) {
          document = number;
          return true;
        },
        [&](std::string_view suffix) {
          all.emplace_back(group.collection, document,
                           std::string(dictionary::TriePrefix(group.collection).text()).append(suffix));
        });
  }
  return all;
}

TEST(TokenGrouper, KeepsEveryTokenWithItsDocumentInOrder) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 random(seed);
    TokenGrouper grouper;
    TokenGroups groups;
    for (int batch = 0; batch < 3; ++batch) {
      std::map<dictionary::TrieCollection, std::vector<Token>> expected;
      for (std::uint32_t document = 0; document < 300; ++document) {
        grouper.begin_document(document);
        for (std::size_t n = random() % 50; n > 0; --n) {
          const std::size_t lengths[] = {1, 2, 3, 4, 9, 253, 254, 255, 256, 257, 258, 300};
          std::string term;
          for (std::size_t size = lengths[random() % 12 * (random() % 3 == 0)]; term.size() < size;)
            term += static_cast<char>("abc9-"[random() % 5]);
          if (term.empty()) term = std::string(1 + random() % 5, 'x');
          grouper.add(term);
          const dictionary::TrieCollection collection = dictionary::trie_place(term).collection;
          expected[collection].emplace_back(collection, document, term);
        }
      }
      grouper.finish(groups);
      std::vector<Token> wanted;
      for (const auto& [collection, tokens] : expected) wanted.insert(wanted.end(), tokens.begin(), tokens.end());
      EXPECT_EQ(tokens_of(groups), wanted) << "seed " << seed << ", batch " << batch;
    }
  }
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

TEST(TokenReader, PassesOverDocumentsThatAreNotWanted) {
  TokenGrouper grouper;
  TokenGroups groups;
  for (std::uint32_t document = 0; document < 3; ++document) {
    grouper.begin_document(document);
    grouper.add("same" + std::to_string(document));
  }
  grouper.finish(groups);
  ASSERT_EQ(groups.groups.size(), 1u);
  std::vector<std::string> got;
  for_each_token(
      groups.of(groups.groups[0]), [](std::uint32_t document) { return document != 1; },
      [&](std::string_view suffix) { got.emplace_back(suffix); });
  EXPECT_EQ(got, (std::vector<std::string>{"e0", "e2"}));
}

}  // namespace
}  // namespace frond::indexer::parse
