#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "leaf/cpu/window_matches.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/instruction_sets.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint64_t kSeed = 611;

TEST(WindowMarks, AreThoseOfAllListsWithEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    support::Random random(kSeed);
    WindowMarks marks;
    for (int round = 0; round < 500; ++round) {
      const std::string what =
          std::string(set) + ", seed " + std::to_string(kSeed) + ", round " + std::to_string(round);
      const DocId first = static_cast<DocId>(random.below(1000)) * kWindowDocuments;
      std::vector<bool> wanted(kWindowDocuments);
      for (std::uint64_t lists = random.below(4); lists > 0; --lists) {
        // Close together, far apart, and none at all.
        const std::uint64_t step = round % 3 == 0 ? 3 : round % 3 == 1 ? 60 : 2000;
        std::vector<DocId> docids;
        for (std::uint64_t at = random.below(step); at < kWindowDocuments; at += 1 + random.below(step)) {
          docids.push_back(first + static_cast<DocId>(at));
          wanted[at] = true;
        }
        marks.add(docids.data(), docids.size(), first);
      }
      std::size_t count = 0;
      for (std::uint32_t i = 0; i < kWindowDocuments; ++i) {
        ASSERT_EQ(marks.bits()[i / 64] >> i % 64 & 1, wanted[i]) << what << ", document " << i;
        count += wanted[i];
      }
      ASSERT_EQ(count_bits(marks.bits().data(), kGroups), count) << what;
      for (std::size_t words = 0; words < 20; ++words) {
        std::size_t some = 0;
        for (std::size_t i = 0; i < words * 64; ++i) some += wanted[i];
        ASSERT_EQ(count_bits(marks.bits().data(), words), some) << what << ", " << words << " words";
      }
      marks.clear();
    }
  });
}

}  // namespace
}  // namespace frond::leaf::cpu
