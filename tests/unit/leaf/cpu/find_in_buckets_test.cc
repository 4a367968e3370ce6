#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "leaf/cpu/kernels.h"
#include "leaf/lists/bucket_index.h"
#include "tests/support/built_list.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/instruction_sets.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint64_t kSeed = 416;

TEST(FindInBuckets, FindsThePostingsOfExactlyTheDocumentsThatTheListHasWithEveryInstructionSet) {
  std::size_t dense = 0, others = 0;
  support::with_every_instruction_set([&](const char* set) {
    support::Random random(kSeed);
    for (int round = 0; round < 120; ++round) {
      const std::string what =
          std::string(set) + ", seed " + std::to_string(kSeed) + ", round " + std::to_string(round);
      const auto built = support::build_list(kSeed + static_cast<std::uint32_t>(round),
                                             200 + static_cast<std::uint32_t>(random.below(5000)), round % 8, 2);
      const auto index = lists::BucketIndex::build(built.open());
      ASSERT_NE(index, nullptr) << what;
      ++(index->bits() != nullptr ? dense : others);
      // Some of the list, some others, some behind its last.
      std::set<DocId> chosen;
      for (std::size_t i = random.below(300); i > 0; --i)
        chosen.insert(random.below(2) ? built.docids[random.below(built.docids.size())]
                                      : static_cast<DocId>(random.below(built.docids.back() + 40)));
      const std::vector<DocId> docids(chosen.begin(), chosen.end());
      std::vector<std::uint32_t> found(docids.size() + 1), postings(docids.size() + 1);
      const std::size_t count = find_in_buckets(*index, docids, found.data(), postings.data());
      std::size_t next = 0;
      for (std::size_t i = 0; i < docids.size(); ++i) {
        const auto at = std::ranges::lower_bound(built.docids, docids[i]);
        if (at == built.docids.end() || *at != docids[i]) continue;
        ASSERT_LT(next, count) << what;
        ASSERT_EQ(found[next], i) << what;
        ASSERT_EQ(postings[next], at - built.docids.begin()) << what;
        ++next;
      }
      ASSERT_EQ(count, next) << what;
      if (docids.empty() || docids.front() > index->last()) continue;
      const DocId last = std::min(docids.back(), index->last());
      const auto inside =
          std::ranges::upper_bound(built.docids, last) - std::ranges::lower_bound(built.docids, docids.front());
      ASSERT_GE(index->postings_in(docids.front(), last), inside) << what;
    }
  });
  EXPECT_GT(dense, 0u);
  EXPECT_GT(others, 0u);
}

TEST(BucketIndex, IsOfListsThatAreLongAndDenseAndWhoseBlocksDecode) {
  EXPECT_EQ(lists::BucketIndex::bytes_for({}), 0u);
  EXPECT_EQ(lists::BucketIndex::bytes_for(support::build_list(1, 100, 2, 2).open()), 0u) << "short";
  EXPECT_EQ(lists::BucketIndex::bytes_for(support::build_list(1, 1000, 12, 2).open()), 0u) << "sparse";
  EXPECT_EQ(lists::BucketIndex::build(support::build_list(1, 1000, 12, 2).open()), nullptr);
  auto built = support::build_list(1, 1000, 4, 2);
  const auto list = built.open();
  EXPECT_GE(lists::BucketIndex::bytes_for(list), sizeof(lists::BucketIndex) + 1000);
  EXPECT_NE(lists::BucketIndex::build(list), nullptr);
  ByteBuffer damaged(built.segments[0].view().begin(), built.segments[0].view().end());
  for (std::size_t at = postings::kLongHeaderBytes; at < postings::kLongHeaderBytes + 64; ++at)
    damaged[at] ^= std::byte{0x55};
  const support::SlackBytes bytes(damaged);
  const auto views = {bytes.view()};
  const auto opened = postings::PostingList::open(views);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(lists::BucketIndex::build(*opened), nullptr) << "damaged";
}

}  // namespace
}  // namespace frond::leaf::cpu
