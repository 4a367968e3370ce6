// ListView and PostingList return what ListBuilder stored, and any other bytes are safe to read.
#include <gtest/gtest.h>

#include <array>

#include "common/postings/long_form.h"
#include "common/postings/posting_list.h"
#include "common/postings/short_code.h"
#include "common/postings/short_form.h"
#include "tests/support/built_list.h"

namespace frond::postings {
namespace {

using support::build_list;
using support::BuiltList;
using support::SlackBytes;
using Block = std::array<std::uint32_t, kBlockLength>;

constexpr std::uint32_t kCounts[] = {1, 2, 3, 64, 126, 127, 128, 129, 255, 256, 257, 2047, 2048, 2049, 10000};

template <class List>
void expect_same(const List& list, const std::vector<DocId>& docids, const std::vector<Frequency>& frequencies) {
  ASSERT_EQ(list.count(), docids.size());
  std::vector<DocId> got_docids;
  std::vector<Frequency> got_frequencies;
  Block out;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    ASSERT_TRUE(list.decode_docids(block, out));
    got_docids.insert(got_docids.end(), out.begin(), out.begin() + list.block_size(block));
    ASSERT_EQ(got_docids.back(), list.last_docid(block));
    ASSERT_TRUE(list.decode_frequencies(block, out));
    got_frequencies.insert(got_frequencies.end(), out.begin(), out.begin() + list.block_size(block));
  }
  ASSERT_EQ(got_docids, docids);
  ASSERT_EQ(got_frequencies, frequencies);
}

// Opens any bytes, reads everything, and checks it against the promises of posting_list.h.
void expect_survives(ByteView blob) {
  const auto view = ListView::open(blob);
  if (!view) {
    ASSERT_EQ(view, Code::kCorrupt);
    return;
  }
  Block out;
  for (std::uint32_t block = 0; block < view->blocks(); ++block) {
    if (view->decode_docids(block, out)) {
      const std::uint32_t size = view->block_size(block);
      for (std::uint32_t i = 1; i < size; ++i) ASSERT_GT(out[i], out[i - 1]);
      if (block) {
        ASSERT_GT(out[0], view->last_docid(block - 1));
      }
      ASSERT_EQ(out[size - 1], view->last_docid(block));
      ASSERT_LE(out[size - 1], view->last_docid());
    }
    if (view->decode_frequencies(block, out)) {
      ASSERT_EQ(std::count(out.begin(), out.begin() + view->block_size(block), 0u), 0);
    }
    view->block_deficit(block);
    ASSERT_LE(view->find_block(view->last_docid(block), 0), view->blocks());
  }
}

TEST(ListBlob, ReturnsItsPostings) {
  for (const std::uint32_t count : kCounts)
    for (const unsigned width : {0u, 1u, 5u, 10u}) {
      const BuiltList list = build_list(count, count, width, width);
      SCOPED_TRACE(std::to_string(count) + " postings, " + std::to_string(width) + " bits");
      const auto view = ListView::open(list.segments[0].view());
      ASSERT_TRUE(view);
      expect_same(*view, list.docids, list.frequencies);
    }
}

TEST(ListBlob, PacksDocIdsAndFrequenciesWithAnyTwoCodecs) {
  const BuiltList list = build_list(1, 300, 6, 3);
  for (const codec::ListCodec* docids : codec::all_codecs())
    for (const codec::ListCodec* frequencies : codec::all_codecs()) {
      if (!docids->info().docids || !frequencies->info().frequencies) continue;
      const ListBuilder builder(codec::CodecChoice("two", {docids}, {frequencies}), list.lengths, 0.4,
                                list.average_length);
      const SlackBytes blob(builder.build(list.docids, list.frequencies)[0]);
      const auto view = ListView::open(blob.view());
      ASSERT_TRUE(view);
      EXPECT_EQ(view->docid_codec(), docids);
      EXPECT_EQ(view->frequency_codec(), frequencies);
      expect_same(*view, list.docids, list.frequencies);
    }
}

TEST(ListBlob, OfTheShortFormHasNoCodec) {
  const BuiltList list = build_list(1, 127, 6, 3);
  const auto view = ListView::open(list.segments[0].view());
  ASSERT_TRUE(view);
  EXPECT_EQ(view->docid_codec(), nullptr);
  EXPECT_EQ(view->frequency_codec(), nullptr);
  EXPECT_EQ(view->best_deficit(0), kNoDeficit);
}

TEST(ListBlob, LeastDeficitIsThatOfItsBlocks) {
  const BuiltList list = build_list(2, 1000, 6, 3);
  const auto view = ListView::open(list.segments[0].view());
  ASSERT_TRUE(view);
  scoring::PackedDeficit least = 0xffff;
  for (std::uint32_t block = 0; block < view->blocks(); ++block) least = std::min(least, view->block_deficit(block));
  EXPECT_EQ(view->list_deficit(), least);
}

void expect_best_deficits(std::uint32_t count, unsigned frequency_width, float most_above) {
  const BuiltList list = build_list(count, count, 6, frequency_width);
  const auto view = ListView::open(list.segments[0].view());
  std::vector<float> deficits;
  for (std::size_t i = 0; i < list.docids.size(); ++i)
    deficits.push_back(scoring::deficit(0.4, list.average_length, list.frequencies[i], list.lengths[list.docids[i]]));
  std::sort(deficits.begin(), deficits.end());
  for (std::size_t i = 0; i < kBestRanks.size(); ++i) {
    if (count < kBestRanks[i]) {
      EXPECT_EQ(view->best_deficit(i), kNoDeficit);
      continue;
    }
    const float stored = scoring::unpack_deficit(view->best_deficit(i));
    EXPECT_GE(stored, deficits[kBestRanks[i] - 1]) << count;
    EXPECT_LE(stored, deficits[kBestRanks[i] - 1] * most_above) << count;
  }
}
TEST(ListBlob, BestDeficitsAreReachedByThatManyPostingsAndCloseToTheNext) {
  for (const std::uint32_t count : {128u, 999u, 1000u, 5000u, 8001u, 60'000u}) {
    expect_best_deficits(count, 3, 1.05f);
    expect_best_deficits(count, 24, 1.3f);  // the scale is as wide as the deficits
  }
}

TEST(ListBlob, IsTheSameWithATableOfDeficits) {
  const DeficitTable table(0.4, 300);
  std::vector<std::uint32_t> lengths;
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    lengths.push_back(i * 7919 % 5'000);
    if (i % 2 == 0) continue;
    docids.push_back(i);
    frequencies.push_back(1 + i * 31 % 7);
  }
  const ListBuilder plain(*codec::codec_named(codec::kDefaultCodec), lengths, 0.4, 300);
  const ListBuilder quick(*codec::codec_named(codec::kDefaultCodec), lengths, 0.4, 300, &table);
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, docids.size()})
    EXPECT_EQ(plain.build(std::span(docids).first(count), std::span(frequencies).first(count)),
              quick.build(std::span(docids).first(count), std::span(frequencies).first(count)));
  for (Frequency frequency = 1; frequency < 7; ++frequency)
    for (const std::uint32_t length : {0u, 1u, 2'047u, 2'048u, 4'000'000'000u})
      EXPECT_EQ(std::bit_cast<float>(table.bits_of(frequency, length)), scoring::deficit(0.4, 300, frequency, length));
}

TEST(ListBlob, ReturnsTheGreatestNumbers) {
  // Without ListBuilder, which would need 2^32 document lengths.
  for (const std::vector<DocId>& docids : {std::vector<DocId>{kNoDoc - 1}, {0, kNoDoc - 1}, {kNoDoc - 3, kNoDoc - 1}}) {
    const std::vector<Frequency> frequencies(docids.size(), 0xffffffff);
    ByteBuffer blob;
    encode_short(docids, frequencies, 0, blob);
    const SlackBytes bytes(blob);
    expect_same(*ListView::open(bytes.view()), docids, frequencies);
  }
}

TEST(ListBlob, OfOnePostingTakesFourBytes) {
  ByteBuffer blob;
  encode_short(std::vector<DocId>{1000000}, std::vector<Frequency>{1}, scoring::pack_deficit(1), blob);
  EXPECT_EQ(blob.size(), 4u);
}

TEST(ListBlob, OfFewPostingsIsCompactWhereItCanBeAndReturnsThem) {
  for (std::uint32_t count = 1; count <= 18; ++count)
    for (const std::uint32_t gap : {1u, 1u << 5, 1u << 12, 1u << 20, 1u << 27})
      for (const Frequency frequency : {1u, 2u, 500u})
        for (const float deficit : {0.0f, 0.1f, 0.126f, 1.0f, 15.9f, 100.0f}) {
          std::vector<DocId> docids;
          for (std::uint32_t i = 0; i < count; ++i) docids.push_back((i + 1) * gap);
          const std::vector<Frequency> frequencies(count, frequency);
          ByteBuffer blob;
          encode_short(docids, frequencies, scoring::pack_deficit(deficit), blob);
          const bool compact = static_cast<unsigned>(blob[0]) >= 0x80;
          SCOPED_TRACE(std::to_string(count) + " postings, gap " + std::to_string(gap));
          if (count > 16 || frequency > 2 || deficit < 0.125f) {
            EXPECT_FALSE(compact);
          }
          if (count <= 16 && frequency == 1 && deficit > 0.125f && gap == 1u << 12) {
            EXPECT_TRUE(compact);
          }
          const SlackBytes bytes(blob);
          const auto view = ListView::open(bytes.view());
          ASSERT_TRUE(view);
          expect_same(*view, docids, frequencies);
          EXPECT_LE(view->list_deficit(), scoring::pack_deficit(deficit));
          if (deficit > 0.01f && deficit < 16) {
            EXPECT_GT(scoring::unpack_deficit(view->list_deficit()), deficit * 0.93f);
          }
        }
}

TEST(ListBlob, SizesAddUp) {
  for (const std::uint32_t count : kCounts) {
    const BuiltList list = build_list(count, count, 6, 2);
    const auto view = ListView::open(list.segments[0].view());
    const auto sizes = view->sizes();
    EXPECT_EQ(sizes.header + sizes.index + sizes.bounds + sizes.docids + sizes.frequencies, view->bytes().size());
    EXPECT_GT(sizes.docids, 0u);
  }
}

TEST(ListBlob, LiesAtAnyAlignment) {
  const BuiltList list = build_list(1, 1000, 7, 3);
  const ByteView blob = list.segments[0].view();
  for (std::size_t shift = 1; shift < 16; ++shift) {
    ByteBuffer moved(shift);
    moved.insert(moved.end(), blob.begin(), blob.end());
    const SlackBytes bytes(moved);
    expect_same(*ListView::open(bytes.view().subspan(shift)), list.docids, list.frequencies);
  }
}

TEST(ListBlob, SurvivesTruncationAtEveryByte) {
  for (const std::uint32_t count : {1u, 2u, 100u, 127u, 128u, 300u, 2100u}) {
    const BuiltList list = build_list(count, count, 7, 3);
    const ByteView blob = list.segments[0].view();
    for (std::size_t size = 0; size < blob.size(); ++size) {
      const SlackBytes bytes(blob.first(size));
      if (count >= 128) {
        ASSERT_EQ(ListView::open(bytes.view()), Code::kCorrupt) << count << " postings, " << size << " bytes";
      } else {
        expect_survives(bytes.view());
      }
    }
  }
}

TEST(ListBlob, SurvivesChangedBytes) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    BuiltList list = build_list(seed, 1 + random() % (seed % 2 ? 127 : 3000), random() % 12, random() % 12);
    SlackBytes& blob = list.segments[0];
    for (int round = 0; round < 30; ++round) {
      const std::size_t reach = round % 2 ? blob.view().size() : std::min<std::size_t>(40, blob.view().size());
      blob[random() % reach] = static_cast<std::byte>(random());
      SCOPED_TRACE("seed " + std::to_string(seed));
      expect_survives(blob.view());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ListBlob, SaysWhatIsWrongWithAHeader) {
  const BuiltList list = build_list(1, 500, 5, 1);
  const auto message = [&](std::size_t at, std::uint8_t value) {
    SlackBytes changed(list.segments[0].view());
    changed[at] = std::byte{value};
    const auto view = ListView::open(changed.view());
    return view ? std::string("opened") : view.error().message();
  };
  EXPECT_EQ(message(0, 0xf2), "list: unknown form 242");
  EXPECT_EQ(message(0, 0), "short list: a wrong number of postings");
  EXPECT_EQ(message(1, 199), "list: unknown docID codec 199");
  EXPECT_EQ(message(2, 199), "list: unknown frequency codec 199");
  EXPECT_EQ(message(7, 0x7f), "list: deficits without end");
  EXPECT_EQ(message(10, 0xff), "list: 459252 postings in a blob");
  EXPECT_NE(message(11, 0xff).find("list: header tells of"), std::string::npos);
  EXPECT_EQ(message(15, 0x80), "list: an unknown flag");
}

TEST(ListBlob, FindsTheBlockThatAScanFinds) {
  for (const std::uint32_t count : {1u, 127u, 128u, 129u, 1000u, 20000u}) {
    const BuiltList built = build_list(count, count, 5, 1);
    const ListView list = *ListView::open(built.segments[0].view());
    std::mt19937 random(count);
    for (int round = 0; round < 2000; ++round) {
      const std::uint32_t from = random() % (list.blocks() + 1);
      const DocId target = round % 4 ? random() % (list.last_docid() + 2) : list.last_docid(random() % list.blocks());
      std::uint32_t expected = from;
      while (expected < list.blocks() && list.last_docid(expected) < target) ++expected;
      ASSERT_EQ(list.find_block(target, from), expected) << "target " << target << ", from " << from;
    }
    ASSERT_EQ(list.find_block(kNoDoc, 0), list.blocks());
  }
}

// ---- Segments.

class SegmentedList : public testing::Test {
 protected:
  static const BuiltList& built() {
    static const BuiltList list = build_list(7, 2 * kSegmentPostings + 77, 1, 2);
    return list;
  }
};

TEST_F(SegmentedList, IsOneRunOfBlocks) {
  ASSERT_EQ(built().segments.size(), 3u);
  for (const auto& segment : built().segments) EXPECT_LE(segment.view().size(), 4u << 20);
  const PostingList list = built().open();
  expect_same(list, built().docids, built().frequencies);
  EXPECT_EQ(list.blocks(), 2 * kSegmentBlocks + 1);
}

TEST_F(SegmentedList, FindsBlocksAcrossSegments) {
  const PostingList list = built().open();
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t from = random() % (list.blocks() + 1);
    const DocId target = random() % (built().docids.back() + 2);
    std::uint32_t expected = from;
    while (expected < list.blocks() && list.last_docid(expected) < target) ++expected;
    ASSERT_EQ(list.find_block(target, from), expected) << "target " << target << ", from " << from;
  }
}

TEST_F(SegmentedList, LeastDeficitIsThatOfItsBlocks) {
  const PostingList list = built().open();
  scoring::PackedDeficit least = 0xffff;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) least = std::min(least, list.block_deficit(block));
  // The last segment is in the short form, which has one deficit byte for list and block.
  EXPECT_EQ(list.list_deficit(), least);
}

TEST_F(SegmentedList, TellsTheLeastDeficitOfARunOfBlocks) {
  const PostingList list = built().open();
  for (const std::uint32_t first : {0u, 1u, kSegmentBlocks - 1, kSegmentBlocks, list.blocks() - 1})
    for (const std::uint32_t last : {first, first + 1, kSegmentBlocks, 2 * kSegmentBlocks - 1, list.blocks() - 1}) {
      if (last < first || last >= list.blocks()) continue;
      scoring::PackedDeficit least = 0xffff;
      for (std::uint32_t block = first; block <= last; ++block) least = std::min(least, list.block_deficit(block));
      EXPECT_EQ(list.least_deficit(first, last), least) << first << " to " << last;
    }
}

TEST_F(SegmentedList, RefusesSegmentsOutOfOrderOrNotFull) {
  const auto views = built().views();
  EXPECT_EQ(PostingList::open(std::vector{views[1], views[0], views[2]}), Code::kCorrupt);
  EXPECT_EQ(PostingList::open(std::vector{views[0], views[0]}), Code::kCorrupt);
  EXPECT_EQ(PostingList::open(std::vector{views[2], views[0]}), Code::kCorrupt);
  EXPECT_EQ(PostingList::open(std::vector{views[0], views[1].first(100)}), Code::kCorrupt);
  EXPECT_EQ(PostingList::open(std::vector{views[0], ByteView()}), Code::kCorrupt);
}

TEST_F(SegmentedList, RefusesASegmentThatBeginsBeforeTheOneBeforeItEnds) {
  // The second segment ends behind the first, as it must, but begins before its end. Decoding its first block shows it.
  const DocId last = built().docids[kSegmentPostings - 1];
  ByteBuffer overlapping;
  encode_short(std::vector<DocId>{last - 1, last + 5}, std::vector<Frequency>{1, 1}, 0, overlapping);
  const SlackBytes bytes(overlapping);
  const auto list = PostingList::open(std::vector{built().views()[0], bytes.view()});
  ASSERT_TRUE(list);
  Block out;
  EXPECT_EQ(list->decode_docids(kSegmentBlocks, out), Code::kCorrupt);
}

TEST(PostingList, OfNoSegmentsIsEmpty) {
  const auto list = PostingList::open({});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->count(), 0u);
  EXPECT_EQ(list->blocks(), 0u);
  EXPECT_EQ(list->find_block(0, 0), 0u);
}

}  // namespace
}  // namespace frond::postings
