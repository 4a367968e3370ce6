#include "leaf/clauses/matchers/phrase_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/base/bytes.h"

namespace frond::leaf::clauses {
namespace {

// By trying all places for all words.
std::uint32_t counted_naively(const std::vector<std::uint32_t>& text, const std::vector<PhrasePlaces::Word>& words,
                              std::uint32_t slop) {
  std::vector<std::int64_t> taken;
  const auto fits = [&](const auto& self, std::int64_t low, std::int64_t high) -> bool {
    if (high - low > slop) return false;
    if (taken.size() == words.size()) return true;
    const PhrasePlaces::Word& word = words[taken.size()];
    for (std::size_t place = 0; place < text.size(); ++place) {
      const auto at = static_cast<std::int64_t>(place), offset = at - word.number;
      if (std::ranges::find(word.codes, text[place]) == word.codes.end()) continue;
      if (std::ranges::find(taken, at) != taken.end()) continue;
      taken.push_back(at);
      const bool fit = self(self, std::min(low, offset), std::max(high, offset));
      taken.pop_back();
      if (fit) return true;
    }
    return false;
  };
  std::uint32_t count = 0;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (text[place] != words[0].codes[0]) continue;
    taken.assign(1, static_cast<std::int64_t>(place));
    count += fits(fits, taken[0], taken[0]) ? 1 : 0;
  }
  return count;
}

TEST(PhrasePlaces, AreThoseThatTryingAllPlacesFinds) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t codes = 1 + below(4), width = 1u << below(3);
    std::vector<std::uint32_t> text(below(round % 50 == 0 ? 90 : 12));
    ByteBuffer bytes;
    for (std::uint32_t& code : text) {
      code = 1 + below(codes + below(2) * 3);
      for (std::uint32_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(code >> 8 * i & 0xff));
    }
    std::vector<std::uint32_t> numbers{0};
    for (std::uint32_t i = 1 + below(4); i-- > 0;) numbers.push_back(numbers.back() + 1 + below(4) / 3);
    const std::uint32_t slop = below(5);
    PhrasePlaces places(numbers, slop);
    for (PhrasePlaces::Word& word : places.words()) word.codes = {1 + below(codes)};
    if (below(3) == 0) places.words().back().codes = {2, 1, 4};
    const auto words = places.words();
    ASSERT_EQ(places.count({0, static_cast<std::uint32_t>(text.size()), bytes.data()}, width),
              counted_naively(text, words, slop))
        << "round " << round;
  }
}

}  // namespace
}  // namespace frond::leaf::clauses
