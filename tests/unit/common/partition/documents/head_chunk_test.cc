#include "common/partition/documents/heads.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "common/text/limits.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kChunkSeed = 20261123;

ByteBuffer chunk_of(const std::vector<StoredDocument>& documents, DocId first = 0) {
  ByteBuffer heads;
  std::vector<std::uint32_t> ends;
  for (const auto& document : documents) {
    append_head(document, first + static_cast<DocId>(ends.size()), heads);
    ends.push_back(static_cast<std::uint32_t>(heads.size()));
  }
  return encode_head_chunk(heads, ends);
}

TEST(AHeadChunk, HasTheLayoutOfTheFormatPage) {
  const ByteBuffer chunk = chunk_of({{"d1", "", "Fox", "a fox"}, {"d2", "", "", "fox, fox"}});
  std::string hex;
  for (const std::byte byte : chunk) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x ", std::to_integer<unsigned>(byte));
    hex += digits;
  }
  EXPECT_EQ(hex,
            "02 00 00 00 10 00 00 00 1c 00 00 00 25 00 00 00 "
            "ae b8 ff 06 02 64 31 00 03 46 6f 78 "
            "b9 c1 98 8f 02 64 32 00 00 ");
}

TEST(AHeadChunk, ReturnsFieldsOfAllSizes) {
  std::mt19937 random(kChunkSeed);
  for (const std::size_t count : {1u, 2u, 3u, 100u, 1000u}) {
    std::vector<std::string> ids, urls, titles;
    std::vector<StoredDocument> documents;
    for (std::size_t i = 0; i < count; ++i) {
      ids.emplace_back(1 + random() % text::kMaxIdBytes, static_cast<char>('a' + i % 26));
      urls.emplace_back(i % 3 == 0 ? 0 : random() % (text::kMaxUrlBytes + 1), 'u');
      titles.emplace_back(i % 5 == 0 ? 0 : random() % (text::kMaxTitleBytes + 1), '\0');
    }
    for (std::size_t i = 0; i < count; ++i) documents.push_back({ids[i], urls[i], titles[i], "body"});
    const DocId first = random();
    const ByteBuffer bytes = chunk_of(documents, first);
    const HeadChunk chunk(bytes, static_cast<std::uint32_t>(count));
    ASSERT_TRUE(chunk.validate());
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto head = parse_head(chunk.head(i).value(), first + i);
      ASSERT_TRUE(head) << head.error().message();
      EXPECT_EQ(head->id, ids[i]);
      EXPECT_EQ(head->url, urls[i]);
      EXPECT_EQ(head->title, titles[i]);
      EXPECT_EQ(head->body, "");
    }
  }
}

TEST(AHeadChunk, LeavesOutWhatIsLongerThanIngestAllows) {
  const std::string longest_id(text::kMaxIdBytes, 'i'), longest_url(text::kMaxUrlBytes, 'u'),
      longest_title(text::kMaxTitleBytes, 't'), too_long(kMaxHeadBytes, 'x'), body(1 << 20, 'b');
  const ByteBuffer bytes = chunk_of({{longest_id, longest_url, longest_title, body},
                                     {too_long, "", "", ""},
                                     {"c", too_long, "", ""},
                                     {"d", "", too_long, ""},
                                     {"e", "", "", body}});
  const HeadChunk chunk(bytes, 5);
  ASSERT_TRUE(chunk.validate());
  EXPECT_EQ(parse_head(chunk.head(0).value(), 0)->url, longest_url);
  for (const std::uint32_t i : {1, 2, 3}) EXPECT_TRUE(chunk.head(i).value().empty()) << i;
  EXPECT_EQ(parse_head(chunk.head(4).value(), 4)->id, "e");
  EXPECT_LT(bytes.size(), 2 * kMaxHeadBytes);
}

TEST(AHeadChunk, IsRefusedWithAnotherCount) {
  const ByteBuffer bytes = chunk_of({{"a", "", "", ""}, {"b", "", "", ""}});
  EXPECT_TRUE(HeadChunk(bytes, 2).validate());
  for (const std::uint32_t count : {0u, 1u, 3u, 1000u, 0xffffffffu}) {
    EXPECT_EQ(HeadChunk(bytes, count).validate(), Code::kCorrupt) << count;
  }
  for (std::size_t size = 0; size < 16; ++size) {
    EXPECT_EQ(HeadChunk(ByteView(bytes).first(size), 2).validate(), Code::kCorrupt) << size;
  }
}

// No damage goes unnoticed, except that a head may seem not to be stored.
TEST(AHeadChunk, NoticesEveryDamagedByte) {
  std::vector<StoredDocument> documents;
  documents.reserve(5);
  for (int i = 0; i < 5; ++i) documents.push_back({"an id", "http://example.test/", "A title", ""});
  const ByteBuffer bytes = chunk_of(documents, 7);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      ByteBuffer damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(change);
      const HeadChunk chunk(damaged, 5);
      if (!chunk.validate()) continue;
      int errors = 0;
      for (std::uint32_t i = 0; i < 5; ++i) {
        const auto head = chunk.head(i);
        if (head && head->empty()) continue;
        const auto document = head ? parse_head(*head, 7 + i) : Result<StoredDocument>(head.error());
        errors += !document;
        if (document) {
          EXPECT_EQ(document->title, "A title") << at;
        }
      }
      EXPECT_GT(errors, 0) << "byte " << at;
    }
  }
}

TEST(AHeadChunk, DoesNotTakeAHeadForThatOfAnotherDocument) {
  const ByteBuffer bytes = chunk_of({{"a", "", "", ""}, {"b", "", "", ""}});
  EXPECT_EQ(parse_head(HeadChunk(bytes, 2).head(0).value(), 1), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::partition
