// Terms come in byte order, whatever they have in common and however many threads sort them.
#include "indexer/invert/gpu/text/terms/sorted_terms.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/partition/terms/term_digests.h"

namespace frond::indexer::invert::gpu {
namespace {

// Of all lengths; many are the same for 7, 8, 9, 15, 16, 17 or more bytes.
std::string random_term(std::mt19937& random) {
  static const std::string kLong = "internationalisationsbeauftragter";
  constexpr std::size_t kShared[] = {0, 0, 0, 1, 7, 8, 9, 15, 16, 17, 24};
  std::string term = kLong.substr(0, kShared[random() % std::size(kShared)]);
  for (std::size_t more = 1 + random() % (random() % 10 == 0 ? 60 : 4); more > 0; --more)
    term += static_cast<char>(random() % 3 == 0 ? 1 + random() % 255 : 'a' + random() % 3);
  return term;
}

TEST(SortedTerms, AreInByteOrder) {
  std::mt19937 random(11);
  for (const std::uint32_t threads : {1u, 5u})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{500}, std::size_t{150'000}}) {
      const auto numbers = std::make_unique<TermNumbers>();
      std::map<std::string, std::uint32_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        const std::string term = random_term(random);
        expected[term] = numbers->number_of(term);
      }
      std::vector<std::uint32_t> totals(numbers->size());
      for (auto one = expected.begin(); one != expected.end();) {
        const bool has_some = random() % 8 != 0;
        if (has_some) totals[one->second] = 1;
        one = has_some ? std::next(one) : expected.erase(one);
      }
      Crew crew(threads);
      const OrderedTerms ordered(*numbers, totals, crew);
      const std::vector<std::uint32_t> order = in_order(*numbers, totals, crew);
      ASSERT_EQ(order.size(), expected.size());
      ASSERT_EQ(ordered.size(), expected.size());
      std::size_t at = 0;
      for (const auto& [term, number] : expected) {
        ASSERT_EQ(order[at], number);
        ASSERT_EQ(ordered.numbers()[at], number);
        ASSERT_EQ(ordered.term(at), term);
        ASSERT_EQ(ordered.hashes()[at], partition::hash_of_term(term));
        ++at;
      }
    }
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
