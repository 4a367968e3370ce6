#include "common/codec/distances.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;
constexpr Numbers kKinds[] = {Numbers::kDocIds, Numbers::kFrequencies};

// The definition, computed in 64 bits, which do not wrap round. False: no numbers have these distances.
bool defined(const Block& stored, Numbers kind, DocId before, Block& numbers) {
  std::uint64_t last = before == kNoDoc ? ~std::uint64_t{0} : before;
  bool fine = true;
  for (std::size_t i = 0; i < kBlockLength; ++i) {
    if (kind == Numbers::kDocIds) {
      last += std::uint64_t{stored[i]} + 1;
      fine &= last <= 0xffffffff;
      numbers[i] = static_cast<std::uint32_t>(last);
    } else {
      fine &= stored[i] != 0xffffffff;
      numbers[i] = stored[i] + 1;
    }
  }
  return fine;
}

TEST(Distances, ComeBackAsTheirDefinitionSaysOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
      std::mt19937 random(seed);
      const unsigned width = seed % 33;
      Block stored, expected;
      for (auto& each : stored) each = width ? random() >> (32 - width) : 0;
      if (seed % 7 == 0) stored[random() % kBlockLength] = 0xffffffff;
      const DocId before = seed % 3 ? random() >> (seed % 2 ? 1 : 12) : kNoDoc;
      for (const Numbers kind : kKinds) {
        Block got = stored;
        const bool fine = defined(stored, kind, before, expected);
        ASSERT_EQ(from_distances(got, kind, before), fine) << set << ", seed " << seed;
        if (fine) {
          ASSERT_EQ(got, expected) << set << ", seed " << seed;
        }
      }
    }
  });
}

TEST(Distances, OfABlockThatIsNotFullComeBackInABufferOfAWholeOne) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
      std::mt19937 random(seed);
      const unsigned width = seed % 33;
      const std::uint32_t size = 1 + random() % kBlockLength;
      Block stored;
      for (auto& each : stored) each = random();  // also behind the numbers
      for (std::uint32_t i = 0; i < size; ++i) stored[i] = width ? random() >> (32 - width) : 0;
      const DocId before = seed % 3 ? random() >> (seed % 2 ? 1 : 12) : kNoDoc;
      for (const Numbers kind : kKinds) {
        Block got = stored;
        std::vector<std::uint32_t> expected(stored.begin(), stored.begin() + size);
        const bool fine = from_distances(expected, kind, before);
        ASSERT_EQ(from_distances(got, size, kind, before), fine) << set << ", seed " << seed;
        if (fine) {
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << set << ", seed " << seed;
        }
      }
    }
  });
}

TEST(Distances, OfNumbersAreTheirWayBack) {
  for (const Numbers kind : kKinds)
    for (const auto& list : support::awkward_lists(kind, /*seed=*/11)) {
      DocId before = kNoDoc;
      for (std::size_t first = 0; first < list.numbers.size(); first += kBlockLength) {
        const auto block =
            std::span(list.numbers).subspan(first, std::min<std::size_t>(kBlockLength, list.numbers.size() - first));
        std::vector<std::uint32_t> stored(block.size());
        to_distances(block, kind, before, stored.data());
        ASSERT_TRUE(from_distances(stored, kind, before)) << list.name;
        ASSERT_TRUE(std::equal(stored.begin(), stored.end(), block.begin())) << list.name;
        before = block.back();
      }
    }
}

TEST(Distances, SeeASumThatWrapsRoundByOne) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{kBlockLength}})
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<std::uint32_t> stored(size, 0);
      // The docIDs end at 0xffffffff: with one more they wrap round.
      const DocId before = 1000;
      stored[at] = 0xffffffff - before - static_cast<std::uint32_t>(size);
      auto fits = stored, wraps = stored;
      ++wraps[at];
      EXPECT_TRUE(from_distances(fits, Numbers::kDocIds, before)) << size << " numbers, the far one at " << at;
      EXPECT_EQ(fits.back(), 0xffffffffu);
      EXPECT_FALSE(from_distances(wraps, Numbers::kDocIds, before)) << size << " numbers, the far one at " << at;
    }
}

}  // namespace
}  // namespace frond::codec
