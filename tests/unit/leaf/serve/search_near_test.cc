// Searches that ask for words like others: the same whichever partitions there are, beside what is searched.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

std::vector<support::TestDocument> documents_of_like_words(std::uint32_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto documents = support::random_documents(count, seed);
  for (support::TestDocument& document : documents)
    for (int i = 0; i < 6; ++i) {
      std::string word = "w";
      for (std::size_t left = 2 + random() % 3; left > 0; --left) word += static_cast<char>('a' + random() % 4);
      document.terms[word] = 1;
    }
  return documents;
}

TEST(SearchQueryWithNearWords, SaysTheSameOfEveryNumberOfPartitions) {
  const auto documents = documents_of_like_words(200, 3);
  std::map<std::string, std::uint64_t> frequencies;
  for (const auto& document : documents)
    for (const auto& [term, frequency] : document.terms) ++frequencies[term];
  std::vector<query::NearTerms> first;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    ServedCollection served(documents, partitions);
    wire::SearchRequest request = request_of(wire::Mode::kOr, {"t3"}, partitions);
    const wire::SearchReply plain = served.search(request);
    for (const char* const word : {"waab", "wab", "wbbbbb", "x"}) request.near.push_back({.word = word, .most = 256});
    request.near.push_back({.word = "waab", .only_absent = true});
    const wire::SearchReply reply = served.search(request);
    expect_same_hits(reply, plain);
    ASSERT_EQ(reply.near.size(), request.near.size());
    EXPECT_FALSE(reply.near[0].terms.empty());
    EXPECT_TRUE(reply.near[3].terms.empty());
    for (const query::NearTerms& found : reply.near)
      for (const query::NearTerm& term : found.terms) EXPECT_EQ(term.df, frequencies[term.text]) << term.text;
    if (frequencies["waab"] > 0) {
      EXPECT_TRUE(reply.near[4].terms.empty());
    }
    if (first.empty()) first = reply.near;
    EXPECT_EQ(reply.near, first) << partitions;
  }
}

TEST(SearchQueryWithNearWords, NeedsNothingToSearch) {
  ServedCollection served(documents_of_like_words(50, 4), 2);
  wire::SearchRequest request = request_of(wire::Mode::kAuto, {}, 2);
  request.near.push_back({.word = "waa"});
  const wire::SearchReply reply = served.search(request);
  EXPECT_TRUE(reply.unsearched.empty());
  EXPECT_EQ(reply.and_ranking.matches, 0u);
  ASSERT_EQ(reply.near.size(), 1u);
  EXPECT_FALSE(reply.near[0].terms.empty());
}

}  // namespace
}  // namespace frond::leaf::serve
