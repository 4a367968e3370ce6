// What the CPU inverter promises beyond the seam. tests/contract/inverter tests the rest.
#include "indexer/invert/cpu_inverter.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert {
namespace {

TEST(CpuInverter, NamesRunsByLabelFlushAndPartition) {
  const support::ScratchFolder folder;
  HashInverter inverter(folder.path(), "cpu7", 2, [] { return std::uint64_t{1} << 30; });
  for (const DocumentNumber number : {3, 4}) {
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    grouper.begin_document(0);
    grouper.add("word");
    grouper.finish(groups);
    ASSERT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{number}));
    const auto runs = inverter.flush();
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 1u);
    const std::string name = number == 3 ? "cpu7-0-p1.run" : "cpu7-1-p0.run";
    EXPECT_EQ(runs->front().path, folder.path() / name);
  }
}

TEST(CpuInverter, HoldsNoMoreThanItsMinimumWhenItIsEmpty) {
  const HashInverter inverter("/nonexistent", "cpu0", 1, [] { return std::uint64_t{0}; });
  EXPECT_LE(inverter.memory_bytes(), kMinInverterBytes);
}

// Two terms of one trie collection whose other letters have the same hash.
std::pair<std::string, std::string> terms_of_one_hash() {
  std::unordered_map<std::uint32_t, std::string> seen;
  for (std::uint32_t n = 0;; ++n) {
    std::string suffix;
    for (std::uint32_t rest = n + 1; rest > 0; rest /= 26) suffix += static_cast<char>('a' + rest % 26);
    const auto [at, is_new] = seen.emplace(dictionary::HashDictionary<PostingChain>::hash_of(suffix), suffix);
    if (!is_new) return {"abc" + at->second, "abc" + suffix};
  }
}

TEST(CpuInverter, TellsTermsOfTheSameHashApart) {
  const auto [one, other] = terms_of_one_hash();
  HashInverter inverter("/nonexistent", "i", 1, [] { return std::uint64_t{1} << 30; });
  // Those that are looked up first, again, and before they are known.
  const std::vector<std::vector<std::string>> documents = {{one}, {other, other}, {one, other}, {other}, {one}};
  std::map<std::string, std::map<std::uint32_t, Frequency>> expected, got;
  for (DocumentNumber n = 0; n < documents.size(); ++n) {
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    grouper.begin_document(0);
    const auto add = [&](const std::string& term) {
      grouper.add(term);
      ++expected[term][static_cast<std::uint32_t>(n)];
    };
    // Look-ups are prepared between others.
    for (int i = 0; i < 40; ++i) add("abcx" + std::to_string(i));
    for (const std::string& term : documents[n]) add(term);
    for (int i = 0; i < 40; ++i) add("abcy" + std::to_string(i));
    grouper.finish(groups);
    ASSERT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{n}));
  }
  const auto postings = inverter.take_postings();
  for (std::size_t collection = 0; collection < dictionary::kTrieCollections; ++collection) {
    if (postings->terms_of(static_cast<dictionary::TrieCollection>(collection)) == 0) continue;
    const auto terms = postings->order(static_cast<dictionary::TrieCollection>(collection));
    TermPostings all;
    terms->append(0, terms->size(), all);
    for (std::size_t i = 0; i < all.terms.size(); ++i)
      for_each_posting(*all.terms[i].chain, postings->arena(), [&](std::uint32_t number, Frequency frequency) {
        got[std::string(all.term(i))][number] = frequency;
      });
  }
  EXPECT_EQ(got, expected) << one << ", " << other;
}

}  // namespace
}  // namespace frond::indexer::invert
