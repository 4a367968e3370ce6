#include "common/codec/lines/line.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/instruction_sets.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using support::SlackBytes;

// Makes runs of close docIDs, with gaps of very different sizes between the runs.
std::vector<DocId> clustered(std::mt19937& random, std::uint32_t count) {
  std::vector<DocId> docids;
  DocId docid = random() % 1000;
  while (docids.size() < count) {
    const std::uint32_t run = 1 + random() % 60, width = random() % 8;
    for (std::uint32_t i = 0; i < run && docids.size() < count; ++i)
      docids.push_back(docid += 1 + random() % (1u << width));
    docid += random() % 5000;
  }
  return docids;
}

TEST(Line, ReachesAValueFirstWhereItsDefinitionSays) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const Line line{random() >> random() % 32, static_cast<unsigned>(random() % 20)};
    const auto value = static_cast<std::int64_t>(random() % 3000) - 5;
    std::uint64_t position = 0;
    while (position < 5000 && static_cast<std::int64_t>(line(position)) < value) ++position;
    if (position == 5000) {
      EXPECT_GE(line.first_reaching(value), 5000u) << "seed " << seed;
    } else {
      EXPECT_EQ(line.first_reaching(value), position) << "seed " << seed;
    }
  }
}

TEST(Line, GivesDocIdsBackAsItsDefinitionSaysOnEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
      std::mt19937 random(seed);
      const Line line{(std::uint64_t{random()} << 32 | random()) >> random() % 40, static_cast<unsigned>(seed % 33)};
      const unsigned width = random() % 33;
      const std::uint32_t size = seed % 3 ? kBlockLength : 1 + random() % 127;
      const std::uint64_t position = random() % 100000;
      const std::uint32_t offset = random();
      std::vector<std::uint32_t> deviations(size), expected(size);
      for (std::uint32_t i = 0; i < size; ++i) {
        deviations[i] = width ? random() >> (32 - width) : 0;
        expected[i] = offset + static_cast<std::uint32_t>(line(position + i)) + deviations[i];
      }
      bool ascending = true;
      for (std::uint32_t i = 1; i < size; ++i) ascending &= expected[i - 1] < expected[i];
      ByteBuffer bytes;
      pack_deviations(deviations, width, bytes);
      const SlackBytes in(bytes);
      std::array<std::uint32_t, kBlockLength> out;
      ASSERT_EQ(docids_beside(line, position, offset, in.view().data(), width, size, kNoDoc, out), ascending)
          << set << ", seed " << seed;
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin())) << set << ", seed " << seed;
    }
  });
}

TEST(Line, SeesADocIdThatDoesNotAscendWhereverItIs) {
  for (std::uint32_t wrong = 0; wrong < kBlockLength; ++wrong) {
    std::vector<std::uint32_t> deviations(kBlockLength, 1);
    deviations[wrong] = 0;
    ByteBuffer bytes;
    pack_deviations(deviations, 1, bytes);
    const SlackBytes in(bytes);
    std::array<std::uint32_t, kBlockLength> out;
    // The docIDs are 11, 12, 13, …, of which one is made equal to the docID before it.
    EXPECT_FALSE(docids_beside({1, 0}, 0, 10, in.view().data(), 1, kBlockLength, 10, out)) << wrong;
  }
}

TEST(Line, FitsWithNoWiderAStripThanTheLineFromFirstToLast) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const auto docids = clustered(random, 2 + random() % 600);
    const std::uint64_t straight = (std::uint64_t{docids.back() - docids.front()} << 20) / (docids.size() - 1);
    const Fit fit = narrowest(docids, 20, ~std::uint64_t{0} >> 1);
    EXPECT_LE(fit.spread, fit_to({straight, 20}, 0, docids).spread) << "seed " << seed;
    for (std::size_t i = 0; i < docids.size(); ++i) {
      const std::int64_t deviation = std::int64_t{docids[i]} - fit.base - static_cast<std::int64_t>(fit.line(i));
      ASSERT_GE(deviation, 0) << "seed " << seed;
      ASSERT_LE(deviation, static_cast<std::int64_t>(fit.spread)) << "seed " << seed;
    }
  }
}

TEST(Line, FindsTheNarrowestStripButForAFiftiethOfTheFirst) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto docids = clustered(random, 3 + random() % 60);
    // One border of the narrowest strip goes through two of the docIDs.
    std::uint64_t narrow = ~std::uint64_t{0};
    for (std::size_t a = 0; a < docids.size(); ++a)
      for (std::size_t b = a + 1; b < docids.size(); ++b)
        narrow =
            std::min(narrow, fit_to({(std::uint64_t{docids[b] - docids[a]} << 20) / (b - a), 20}, 0, docids).spread);
    const std::uint64_t straight = (std::uint64_t{docids.back() - docids.front()} << 20) / (docids.size() - 1);
    const std::uint64_t first = fit_to({straight, 20}, 0, docids).spread;
    EXPECT_LE(narrowest(docids, 20, ~std::uint64_t{0} >> 1).spread, narrow + first / 50 + 2) << "seed " << seed;
  }
}

TEST(Line, HasBoundsThatNeverExcludeTheFirstDocIdNotLess) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto docids = clustered(random, 1 + random() % 700);
    const Fit fit = narrowest(docids, 20, ~std::uint64_t{0} >> 1);
    const auto size = static_cast<std::uint32_t>(docids.size());
    for (int i = 0; i < 200; ++i) {
      const DocId target = random() % (docids.back() + 1);
      const PositionRange range = positions_beside(fit.line, 0, fit.base, fit.spread, size, target);
      const auto place =
          static_cast<std::uint32_t>(std::lower_bound(docids.begin(), docids.end(), target) - docids.begin());
      ASSERT_LE(range.first, place) << "seed " << seed << ", target " << target;
      ASSERT_GT(range.end, place) << "seed " << seed << ", target " << target;
    }
  }
}

}  // namespace
}  // namespace frond::codec
