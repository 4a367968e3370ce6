#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "leaf/cpu/kernels.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/instruction_sets.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint64_t kSeed = 415;

TEST(FindShown, MarksExactlyThePostingsThatAreNotHiddenWithEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    support::Random random(kSeed);
    for (int round = 0; round < 2000; ++round) {
      const std::string what =
          std::string(set) + ", seed " + std::to_string(kSeed) + ", round " + std::to_string(round);
      // Close together and far apart, up to the last document of which there is a bit.
      const std::size_t span = round % 3 == 0 ? 140 : round % 3 == 1 ? 500 : 20'000, first = random.below(1000);
      std::vector<std::uint64_t> hidden((first + span) / 64 + 1);
      const std::uint64_t shown_of_ten = random.below(11);
      for (std::size_t i = 0; i < hidden.size() * 64; ++i)
        hidden[i / 64] |= std::uint64_t{random.below(10) >= shown_of_ten} << i % 64;
      const std::size_t size = 1 + random.below(codec::kBlockLength);
      std::set<DocId> chosen;
      while (chosen.size() < size) chosen.insert(static_cast<DocId>(first + random.below(hidden.size() * 64 - first)));
      std::vector<DocId> docids(chosen.begin(), chosen.end());
      docids.resize(codec::kBlockLength + kSelectSlack, kNoDoc);
      const std::size_t from = random.below(2) * random.below(size), to = from + random.below(size - from + 1);

      std::array<std::uint64_t, 2> found{~std::uint64_t{0}, ~std::uint64_t{0}};
      const std::size_t count = find_shown(docids.data(), from, to, hidden, found.data());
      std::size_t expected = 0;
      for (std::size_t i = 0; i < codec::kBlockLength; ++i) {
        const bool shown = i >= from && i < to && (hidden[docids[i] / 64] >> docids[i] % 64 & 1) == 0;
        ASSERT_EQ(found[i / 64] >> i % 64 & 1, shown) << what << ", posting " << i << " of " << from << " to " << to;
        expected += shown;
      }
      ASSERT_EQ(count, expected) << what;
    }
  });
}

}  // namespace
}  // namespace frond::leaf::cpu
