#include "common/postings/cursor.h"

#include <gtest/gtest.h>

#include "tests/support/built_list.h"

namespace frond::postings {
namespace {

using support::build_list;
using support::BuiltList;
using support::SlackBytes;

constexpr std::uint32_t kCounts[] = {1, 2, 15, 16, 17, 127, 128, 129, 256, 257, 5000};

TEST(Cursor, WalksEveryPosting) {
  for (const std::uint32_t count : kCounts) {
    const BuiltList built = build_list(count, count, 6, 3);
    const PostingList list = built.open();
    Cursor cursor(list, static_cast<DocId>(built.lengths.size()));
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(cursor.docid(), built.docids[i]);
      ASSERT_EQ(cursor.block(), i / kBlockLength);
      ASSERT_EQ(cursor.block_last(), list.last_docid(i / kBlockLength));
      if (i % 3) {
        ASSERT_EQ(cursor.frequency(), built.frequencies[i]);
      }
      cursor.next();
    }
    EXPECT_EQ(cursor.docid(), kNoDoc);
    EXPECT_EQ(cursor.block(), list.blocks());
    EXPECT_EQ(cursor.block_last(), kNoDoc);
    EXPECT_FALSE(cursor.corrupt());
    EXPECT_TRUE(cursor.status());
    EXPECT_EQ(cursor.blocks_decoded(), list.blocks());
  }
}

// Random moves of all kinds, compared with a vector.
TEST(Cursor, DoesWhatAVectorDoes) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const BuiltList built = build_list(seed, 1 + random() % 4000, 1 + random() % 7, random() % 4);
    const PostingList list = built.open();
    Cursor cursor(list);
    std::size_t at = 0;
    const auto& docids = built.docids;
    while (at < docids.size()) {
      ASSERT_EQ(cursor.docid(), docids[at]) << "seed " << seed;
      if (random() % 2) {
        ASSERT_EQ(cursor.frequency(), built.frequencies[at]) << "seed " << seed;
      }
      const unsigned move = random() % 4;
      if (move == 0) {
        cursor.next();
        ++at;
      } else if (move == 1 && seed % 3 == 0) {
        cursor.next_block();
        at = (at / kBlockLength + 1) * kBlockLength;
      } else {
        const DocId ahead = random() % (random() % 3 ? 50 : 5000);
        const DocId target = random() % 8 ? docids[at] + ahead : docids[at] - std::min(docids[at], ahead);
        const std::uint32_t block = cursor.block_of(target);
        cursor.next_geq(target);
        at = static_cast<std::size_t>(
            std::max(std::lower_bound(docids.begin(), docids.end(), target) - docids.begin(), std::ptrdiff_t(at)));
        ASSERT_EQ(cursor.block(), block) << "seed " << seed;
      }
    }
    ASSERT_EQ(cursor.docid(), kNoDoc) << "seed " << seed;
    cursor.next_geq(5);
    ASSERT_EQ(cursor.docid(), kNoDoc);
  }
}

TEST(Cursor, CrossesSegments) {
  const BuiltList built = build_list(3, kSegmentPostings + 500, 1, 2);
  const PostingList list = built.open();
  Cursor cursor(list);
  for (const std::size_t at : {std::size_t{5}, std::size_t{kSegmentPostings - 1}, std::size_t{kSegmentPostings},
                               std::size_t{kSegmentPostings + 499}}) {
    cursor.next_geq(built.docids[at]);
    ASSERT_EQ(cursor.docid(), built.docids[at]);
    ASSERT_EQ(cursor.frequency(), built.frequencies[at]);
  }
  EXPECT_EQ(cursor.blocks_decoded(), 4u);
  cursor.next();
  EXPECT_EQ(cursor.docid(), kNoDoc);
}

TEST(Cursor, DecodesNoBlockThatItSkips) {
  const BuiltList built = build_list(5, 100 * kBlockLength, 4, 1);
  const PostingList list = built.open();
  Cursor cursor(list);
  cursor.next_geq(built.docids[70 * kBlockLength + 3]);
  EXPECT_EQ(cursor.block(), 70u);
  EXPECT_EQ(cursor.blocks_decoded(), 2u);
}

TEST(Cursor, OfAnEmptyListIsAtItsEnd) {
  const PostingList list;
  Cursor cursor(list);
  EXPECT_EQ(cursor.docid(), kNoDoc);
  cursor.next_geq(3);
  EXPECT_EQ(cursor.docid(), kNoDoc);
  EXPECT_FALSE(cursor.corrupt());
}

TEST(Cursor, EndsAtADocumentThatThePartitionDoesNotHave) {
  const BuiltList built = build_list(6, 300, 4, 1);
  const PostingList list = built.open();
  Cursor cursor(list, built.docids[200]);
  EXPECT_EQ(cursor.docid(), built.docids[0]);
  cursor.next_geq(built.docids[130]);
  EXPECT_EQ(cursor.docid(), kNoDoc);
  EXPECT_TRUE(cursor.corrupt());
  EXPECT_EQ(cursor.status(), Code::kCorrupt);
}

// For any bytes, docIDs ascend and stay below the limit, and the walk ends.
TEST(Cursor, WalksChangedBytesSafely) {
  std::uint32_t corrupt = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    BuiltList built = build_list(seed, 1 + random() % 3000, 1 + random() % 8, random() % 5);
    const auto limit = static_cast<DocId>(built.lengths.size());
    SlackBytes& blob = built.segments[0];
    for (int i = 0; i < 8; ++i) blob[random() % blob.view().size()] = static_cast<std::byte>(random());
    const auto list = PostingList::open(built.views());
    if (!list) continue;
    Cursor cursor(*list, limit);
    std::int64_t before = -1;
    while (cursor.docid() != kNoDoc) {
      ASSERT_GT(std::int64_t{cursor.docid()}, before) << "seed " << seed;
      ASSERT_LT(cursor.docid(), limit) << "seed " << seed;
      before = cursor.docid();
      if (random() % 2) {
        ASSERT_GE(cursor.frequency(), 1u) << "seed " << seed;
      }
      if (cursor.docid() == kNoDoc) break;
      random() % 2 ? cursor.next() : cursor.next_geq(cursor.docid() + 1 + random() % 500);
    }
    corrupt += cursor.corrupt();
    ASSERT_EQ(cursor.status().has_value(), !cursor.corrupt());
  }
  EXPECT_GT(corrupt, 20u);
}

TEST(Cursor, GivesFrequencyOneWhereABlockDoesNotDecodeAndEnds) {
  const BuiltList built = build_list(8, 128, 3, 2);
  SlackBytes blob(built.segments[0].view());
  const std::size_t frequency_width = sections_of(read_header(blob.view())).last_docids - 1;
  // The width of the one block is the last byte of the frequency stream.
  blob[frequency_width] = std::byte{77};
  const auto list = PostingList::open(std::vector{blob.view()});
  ASSERT_TRUE(list);
  Cursor cursor(*list);
  EXPECT_EQ(cursor.docid(), built.docids[0]);
  EXPECT_EQ(cursor.frequency(), 1u);
  EXPECT_EQ(cursor.frequency(), 1u);
  EXPECT_EQ(cursor.docid(), kNoDoc);
  EXPECT_EQ(cursor.status(), Code::kCorrupt);
  EXPECT_EQ(list->blocks(), 1u);
}

}  // namespace
}  // namespace frond::postings
