// The places of bits, by every instruction set.
#include "common/text/token_cutter.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/instruction_sets.h"

namespace frond::text {
namespace {

TEST(TokenBits, FindsThePlacesOfAllBits) {
  support::with_every_instruction_set([](const char* set) {
    std::mt19937_64 random(3);
    for (std::size_t numbers = 0; numbers < 40; ++numbers) {
      std::vector<std::uint64_t> bits(numbers);
      for (std::uint64_t& one : bits) {
        one = random() % 8 == 0 ? ~std::uint64_t{0} : random();
        if (random() % 2 == 0) one &= random();
      }
      const auto base = static_cast<std::uint32_t>(random());
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < 64 * numbers; ++i)
        if ((bits[i / 64] >> i % 64 & 1) != 0) expected.push_back(base + i);
      std::vector<std::uint32_t> got(expected.size() + kMorePlaces);
      got.resize(find_places(bits.data(), numbers, base, got.data()));
      EXPECT_EQ(got, expected) << set << ", " << numbers << " numbers";
    }
  });
}

}  // namespace
}  // namespace frond::text
