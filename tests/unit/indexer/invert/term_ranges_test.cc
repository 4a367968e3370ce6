// The terms of several inverters, in ranges that threads put in order.
#include "indexer/invert/in_memory_postings.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "indexer/invert/cpu_inverter.h"

namespace frond::indexer::invert {
namespace {

using Postings = std::map<std::uint32_t, Frequency>;
using TermsOf = std::map<std::string, Postings>;

constexpr std::uint64_t kFirst = (std::uint64_t{1} << 32) - 5;

// terms: one document each.
template <class Inverter>
std::unique_ptr<InMemoryPostings> held(const std::vector<std::vector<std::string>>& documents, std::uint64_t first) {
  Inverter inverter("/nonexistent", "i", 1, [] { return std::uint64_t{1} << 30; });
  for (std::size_t n = 0; n < documents.size(); ++n) {
    if (documents[n].empty()) continue;
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    grouper.begin_document(0);
    for (const std::string& term : documents[n]) grouper.add(term);
    grouper.finish(groups);
    EXPECT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{first + n}));
  }
  return inverter.take_postings();
}

// All terms, as four threads get them.
std::vector<std::pair<std::string, Postings>> all_terms(const std::vector<std::unique_ptr<InMemoryPostings>>& held,
                                                        std::size_t& ranges) {
  TermRanges terms(held);
  const auto by_threads = [](std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    constexpr int kThreads = 4;
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (std::size_t one = next++; one < count; one = next++) work(one);
      });
  };
  by_threads(dictionary::kFirstTriple,
             [&](std::size_t one) { terms.order(static_cast<dictionary::TrieCollection>(one)); });
  terms.cut();
  ranges = terms.count();
  std::vector<TermPostings> got(ranges);
  by_threads(ranges, [&](std::size_t one) { got[one] = terms.terms(one); });
  std::vector<std::pair<std::string, Postings>> all;
  for (const TermPostings& some : got)
    for (std::size_t i = 0; i < some.terms.size(); ++i) {
      const TermPostings::Term& term = some.terms[i];
      auto& postings = all.emplace_back(some.term(i), Postings()).second;
      for_each_posting(*term.chain, term.of->arena(), [&](std::uint32_t number, Frequency frequency) {
        postings[static_cast<std::uint32_t>(term.of->first_document() + number - kFirst)] = frequency;
      });
      EXPECT_EQ(term.postings, postings.size());
    }
  return all;
}

// Of every kind of collection, and on both sides of their bounds.
std::string random_term(std::mt19937& random) {
  static const std::vector<std::string> kLetters = {"a", "b", "c", "z", "0", "9", "é", "-", "日", "!", "y", "m"};
  std::string term;
  for (std::size_t letters = 1 + random() % 7; letters > 0; --letters)
    term += kLetters[random() % (random() % 2 ? 4 : kLetters.size())];
  return term;
}

template <class Inverter>
void expect_all_in_order(unsigned seed, std::size_t inverters, std::size_t terms, bool shared) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::uint32_t kDocuments = 20;
  TermsOf expected;
  std::vector<std::vector<std::vector<std::string>>> texts(inverters,
                                                           std::vector<std::vector<std::string>>(kDocuments));
  for (std::size_t i = 0; i < terms; ++i) {
    const std::string term = random_term(random);
    const auto document = static_cast<std::uint32_t>(random() % kDocuments);
    const std::size_t owner = shared ? std::hash<std::string>()(term) : dictionary::trie_place(term).collection;
    texts[owner % inverters][document].push_back(term);
    ++expected[term][document];
  }
  std::vector<std::unique_ptr<InMemoryPostings>> all;
  for (const auto& its : texts) {
    std::size_t first = 0;  // document of the inverter
    while (first + 1 < its.size() && its[first].empty()) ++first;
    all.push_back(held<Inverter>({its.begin() + static_cast<std::ptrdiff_t>(first), its.end()}, kFirst + first));
  }
  std::size_t ranges = 0;
  const auto got = all_terms(all, ranges);
  EXPECT_GT(ranges, terms > 100'000 ? 4u : 0u);
  const std::vector<std::pair<std::string, Postings>> wanted(expected.begin(), expected.end());
  EXPECT_TRUE(got == wanted);
}

TEST(TermRanges, HaveAllTermsInOrder) {
  expect_all_in_order<HashInverter>(1, 3, 300'000, /*shared=*/false);
  expect_all_in_order<HashInverter>(2, 1, 200'000, /*shared=*/false);
  expect_all_in_order<BTreeInverter>(3, 2, 200'000, /*shared=*/false);
}
TEST(TermRanges, MayHaveTermsOfACollectionFromSeveral) {
  expect_all_in_order<HashInverter>(4, 4, 300'000, /*shared=*/true);
}
TEST(TermRanges, MayBeFewOrNone) {
  for (const std::size_t terms : {0, 1, 2, 5, 50}) expect_all_in_order<HashInverter>(5, 4, terms, /*shared=*/false);
}

}  // namespace
}  // namespace frond::indexer::invert
