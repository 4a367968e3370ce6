// The vector loops against their meaning in the standard library's words, for every count up to a block.
#include "leaf/cpu/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/collections/random_collection.h"

namespace frond::leaf::cpu {
namespace {

using codec::kBlockLength;

// `count` distinct documents below `span`, ascending.
std::vector<DocId> documents(support::Random& random, std::size_t count, DocId span) {
  std::vector<DocId> found;
  while (found.size() < count) {
    found.push_back(static_cast<DocId>(random.below(span)));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  return found;
}

struct Case {
  std::vector<DocId> block;       // kBlockLength, of which the last may be kNoDoc
  std::vector<DocId> candidates;  // with kSelectSlack behind them
  std::size_t count = 0;
  std::vector<DocId> both;
};

Case random_case(support::Random& random, std::size_t count) {
  const DocId span = 300u << random.below(9);
  Case made;
  made.block = documents(random, 1 + random.below(kBlockLength), span);
  const DocId last = made.block.back();
  made.candidates = documents(random, std::min<std::size_t>(count, last + 1), last + 1);
  made.count = made.candidates.size();
  std::set_intersection(made.candidates.begin(), made.candidates.end(), made.block.begin(), made.block.end(),
                        std::back_inserter(made.both));
  made.block.resize(kBlockLength, kNoDoc);
  for (std::size_t i = 0; i < kSelectSlack; ++i) made.candidates.push_back(static_cast<DocId>(random.next()));
  return made;
}

template <class Keep>
void expect_keeps_what_both_have(Keep keep) {
  constexpr std::uint64_t kSeed = 11;
  support::Random random(kSeed);
  for (int round = 0; round < 20; ++round)
    for (std::size_t count = 1; count <= kBlockLength; ++count) {
      Case made = random_case(random, count);
      std::vector<DocId> apart(made.count + kSelectSlack);
      const std::size_t kept = keep(made, apart.data());
      apart.resize(kept);
      ASSERT_EQ(apart, made.both) << "seed " << kSeed << " round " << round << " count " << count;
      ASSERT_EQ(keep(made, made.candidates.data()), kept);  // in place
      made.candidates.resize(kept);
      ASSERT_EQ(made.candidates, made.both);
    }
}

TEST(KeepCompared, KeepsWhatTheBlockHas) {
  expect_keeps_what_both_have([](const Case& made, DocId* out) {
    return keep_compared(made.block.data(), made.candidates.data(), made.count, out);
  });
}

TEST(KeepSearched, KeepsWhatTheBlockHas) {
  expect_keeps_what_both_have([](const Case& made, DocId* out) {
    return keep_searched(made.block.data(), made.candidates.data(), made.count, out);
  });
}

TEST(KeepPresent, KeepsWhatTheTableHas) {
  expect_keeps_what_both_have([](const Case& made, DocId* out) {
    const DocId first = made.candidates[0], last = made.candidates[made.count - 1];
    std::vector<std::uint8_t> table(last - first + 1 + 3);
    for (const DocId document : made.block)
      if (document >= first && document <= last) table[document - first] = 1;
    return keep_present(table.data(), first, made.candidates.data(), made.count, out);
  });
}

}  // namespace
}  // namespace frond::leaf::cpu
