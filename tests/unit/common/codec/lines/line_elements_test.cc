// Single docIDs along lines, read as a GPU's threads read them: they equal what the codecs decode, and bounds hold.
#include "common/codec/lines/line_elements.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/aligned_stream.h"
#include "tests/support/posting_lists.h"

namespace frond::codec {
namespace {

using support::AlignedStream;

std::vector<support::NumberList> docid_lists() {
  auto lists = support::awkward_lists(Numbers::kDocIds, /*seed=*/61);
  lists.pop_back();  // the longest: reading each docID alone takes too long
  return lists;
}

template <class Lines>
void expect_docids(const ListCodec& codec, Lines lines) {
  for (const auto& list : docid_lists()) {
    ByteBuffer bytes;
    codec.encode(list.numbers, Numbers::kDocIds, bytes);
    const AlignedStream stream(bytes);
    const auto count = static_cast<std::uint32_t>(list.numbers.size());
    Lines opened = lines;
    ASSERT_TRUE(opened.open(stream.words(), count)) << list.name;
    for (std::uint32_t position = 0; position < count; ++position) {
      LineStretch stretch;
      ASSERT_TRUE(opened.stretch_of(stream.words(), position, stretch)) << list.name;
      const std::uint32_t index = position - stretch.first;
      ASSERT_LT(index, stretch.size) << list.name;
      ASSERT_EQ(stretch.docid(stream.words(), index), list.numbers[position]) << list.name << ", " << position;
    }
  }
}

TEST(LineElements, GiveEveryDocidOfEveryCodec) {
  expect_docids(lrc(), LrcLines());
  expect_docids(lrcseg(), SegmentLines(true));
  expect_docids(seglrc(), SegmentLines(false));
  expect_docids(hs_lrc(), HsLrcLines());
}

template <class Lines>
void expect_bounds(const ListCodec& codec, Lines lines, std::mt19937& random) {
  for (const auto& list : docid_lists()) {
    ByteBuffer bytes;
    codec.encode(list.numbers, Numbers::kDocIds, bytes);
    const AlignedStream stream(bytes);
    const auto count = static_cast<std::uint32_t>(list.numbers.size());
    Lines opened = lines;
    ASSERT_TRUE(opened.open(stream.words(), count));
    for (int round = 0; round < 50; ++round) {
      LineStretch stretch;
      ASSERT_TRUE(opened.stretch_of(stream.words(), support::random_below(random, count), stretch));
      const auto* first = list.numbers.data() + stretch.first;
      const auto* last = first + stretch.size - 1;
      const DocId target = round % 2 ? first[support::random_below(random, stretch.size)]
                                     : *first + (*last > *first ? static_cast<DocId>(random() % (*last - *first)) : 0);
      const PositionRange range = stretch.where(target, *last);
      const auto place = static_cast<std::uint32_t>(std::lower_bound(first, last + 1, target) - first);
      ASSERT_LE(range.first, place) << list.name << ", target " << target;
      ASSERT_LT(place, range.end) << list.name << ", target " << target;
      ASSERT_LE(range.end, stretch.size) << list.name;
    }
  }
}

TEST(LineElements, SayWhereADocidMayBe) {
  std::mt19937 random(62);
  expect_bounds(lrc(), LrcLines(), random);
  expect_bounds(lrcseg(), SegmentLines(true), random);
  expect_bounds(seglrc(), SegmentLines(false), random);
  expect_bounds(hs_lrc(), HsLrcLines(), random);
}

// If docIDs are close to a line, it leaves only a few positions of a stretch of 128 or more.
template <class Lines>
void expect_narrow_bounds(const ListCodec& codec, Lines lines) {
  std::vector<DocId> docids;
  for (DocId i = 0; i < 10000; ++i) docids.push_back(i * 50 + i * 7 % 40);
  ByteBuffer bytes;
  codec.encode(docids, Numbers::kDocIds, bytes);
  const AlignedStream stream(bytes);
  ASSERT_TRUE(lines.open(stream.words(), 10000));
  for (std::uint32_t position = 0; position < 10000; position += 97) {
    LineStretch stretch;
    ASSERT_TRUE(lines.stretch_of(stream.words(), position, stretch));
    const PositionRange range = stretch.where(docids[position], docids[stretch.first + stretch.size - 1]);
    EXPECT_LE(range.end - range.first, 4u) << codec.name() << ", position " << position;
  }
}

TEST(LineElements, LeaveAFewDocidsWhereTheyLieAlongALine) {
  expect_narrow_bounds(lrc(), LrcLines());
  expect_narrow_bounds(lrcseg(), SegmentLines(true));
  expect_narrow_bounds(seglrc(), SegmentLines(false));
  expect_narrow_bounds(hs_lrc(), HsLrcLines());
}

TEST(LineElements, NameTheBucketOfADocidFromTheDocidAlone) {
  std::mt19937 random(63);
  const auto docids = support::random_docids(random, 5000, 9);
  ByteBuffer bytes;
  hs_lrc().encode(docids, Numbers::kDocIds, bytes);
  const AlignedStream stream(bytes);
  HsLrcLines lines;
  ASSERT_TRUE(lines.open(stream.words(), 5000));
  for (std::uint32_t position = 0; position < 5000; ++position) {
    LineStretch stretch;
    ASSERT_TRUE(lines.stretch_for(stream.words(), docids[position], stretch));
    ASSERT_LT(position - stretch.first, stretch.size);
    ASSERT_GE(lines.last_of_bucket(docids[position]), docids[stretch.first + stretch.size - 1]);
  }
  LineStretch none;
  EXPECT_FALSE(lines.stretch_for(stream.words(), kNoDoc, none));
}

template <class Lines>
void expect_survives(Lines lines, std::mt19937& random, const AlignedStream& stream, std::uint32_t count) {
  if (!lines.open(stream.words(), count)) return;
  for (int round = 0; round < 20; ++round) {
    LineStretch stretch;
    const std::uint32_t position = support::random_below(random, count);
    if (!lines.stretch_of(stream.words(), position, stretch)) continue;
    ASSERT_LT(position - stretch.first, stretch.size);
    static_cast<void>(stretch.docid(stream.words(), position - stretch.first));  // some docID
    const PositionRange range = stretch.where(static_cast<DocId>(random()), static_cast<DocId>(random()));
    ASSERT_LE(range.first, range.end);
    ASSERT_LE(range.end, stretch.size);
  }
}

TEST(LineElements, SurviveAnyBytes) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::uint32_t count = 1 + support::random_below(random, 3000);
    ByteBuffer bytes(std::size_t{16} * support::random_below(random, 200));
    const unsigned mask = seed % 2 ? 0xff : 0x0f;  // plausible widths half of the time
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & mask);
    AlignedStream stream(bytes);
    if (seed % 3 == 0 && bytes.size() >= 8)
      stream[bytes.size() / 4 - 2] = support::random_below(random, 100);  // buckets
    expect_survives(LrcLines(), random, stream, count);
    expect_survives(SegmentLines(true), random, stream, count);
    expect_survives(SegmentLines(false), random, stream, count);
    expect_survives(HsLrcLines(), random, stream, count);
  }
}

}  // namespace
}  // namespace frond::codec
