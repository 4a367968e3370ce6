#include "common/partition/documents/document_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace frond::partition {
namespace {

std::string text(std::mt19937& random, std::size_t words) {
  std::string out;
  for (std::size_t i = 0; i < words; ++i) out += "word" + std::to_string(random() % 5000) + " ";
  return out;
}

// Decompresses to a new block.
Result<DocumentBlock> decompressed(const BlockDecompressor& decompressor, ByteView value) {
  DocumentBlock block;
  FROND_TRY(decompressor.decompress(value, block));
  return block;
}

TEST(ABlockOfDocuments, ComesBackWithAndWithoutADictionary) {
  std::mt19937 random(3);
  ByteBuffer samples;
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 1000; ++i) {
    const auto before = samples.size();
    append_document({"id", "http://example.test/", "A title", text(random, 100)}, samples);
    sizes.push_back(samples.size() - before);
  }
  const auto trained = train_dictionary(samples, sizes);
  EXPECT_FALSE(trained.empty());
  const auto large = train_dictionary(samples, sizes, kLargeDictionaryBytes);
  EXPECT_GT(large.size(), trained.size());
  for (const ByteBuffer& dictionary : {ByteBuffer(), trained, large}) {
    BlockCompressor compressor(dictionary);
    const CompressionDictionary shared(dictionary);
    const BlockDecompressor decompressor(dictionary);
    for (const std::uint32_t count : {1u, 2u, 100u, 500u}) {  // 500 documents are too many for a dictionary
      ByteBuffer raw;
      std::vector<std::string> bodies;
      for (std::uint32_t i = 0; i < count; ++i) {
        bodies.push_back(i % 3 ? text(random, 200) : "");
        append_document({std::to_string(i), "", "T", bodies.back()}, raw);
      }
      const ByteBuffer value = compressor.compress(raw, count);
      EXPECT_EQ(BlockCompressor(shared).compress(raw, count), value);
      const auto block = decompressed(decompressor, value);
      ASSERT_TRUE(block.has_value()) << block.error().message();
      ASSERT_EQ(block->documents.size(), count);
      for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(block->documents[i].body, bodies[i]);
    }
  }
}

// kFast: smaller than the fields though it uses no dictionary, however long the block is.
TEST(ABlockOfDocuments, ComesBackFromFastCompression) {
  std::mt19937 random(4);
  BlockCompressor compressor({}, StoredCompression::kFast);
  const BlockDecompressor decompressor({});
  for (const std::uint32_t words : {0u, 1u, 20u, 1'000u, 300'000u}) {
    const std::string body = text(random, words);
    ByteBuffer raw;
    append_document({"id", "u", "T", ""}, raw);
    append_document({"other", "", "", body}, raw);
    const ByteBuffer value = compressor.compress(raw, 2);
    if (words > 20) {
      EXPECT_LT(value.size(), raw.size() * 2 / 3);
    }
    EXPECT_LE(value.size(), raw.size() + 8);
    EXPECT_EQ(BlockCompressor({}, StoredCompression::kFast).compress(raw, 2), value);
    const auto block = decompressed(decompressor, value);
    ASSERT_TRUE(block.has_value()) << block.error().message();
    ASSERT_EQ(block->documents.size(), 2u);
    EXPECT_EQ(block->documents[0].title, "T");
    EXPECT_EQ(block->documents[1].body, body);
    DocumentBlock front;
    ASSERT_TRUE(decompressor.decompress_front(value, front));
    EXPECT_TRUE(body.starts_with(front.documents[1].body));
  }
}

std::string noise(std::mt19937& random, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

// To show a document only its front is needed; reading more would cost time.
TEST(ABlockOfDocuments, IsReadUpToItsFrontHoweverLargeItsLastDocumentIs) {
  std::mt19937 random(7);
  ByteBuffer samples;
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 1000; ++i) {
    const auto before = samples.size();
    append_document({"id", "", "", text(random, 100)}, samples);
    sizes.push_back(samples.size() - before);
  }
  for (const ByteBuffer& dictionary : {ByteBuffer(), train_dictionary(samples, sizes)})
    for (const bool stored : {false, true}) {
      const std::string large = stored ? noise(random, 3 << 20) : text(random, 2'000'000);
      ByteBuffer raw;
      append_document({"small", "u", "t", "b"}, raw);
      append_document({"large", "http://x/", large, "a body behind its title"}, raw);
      const auto value = BlockCompressor(dictionary).compress(raw, 2);
      const BlockDecompressor decompressor(dictionary);
      DocumentBlock front;
      const auto read = decompressor.decompress_front(value, front);
      ASSERT_TRUE(read) << read.error().message();
      EXPECT_LE(front.raw.size(), kMaxFrontBytes);
      ASSERT_EQ(front.documents.size(), 2u);
      EXPECT_EQ(front.documents[0].body, "b");
      EXPECT_EQ(front.documents[1].id, "large");
      EXPECT_EQ(front.documents[1].url, "http://x/");
      EXPECT_GT(front.documents[1].title.size(), kMaxFrontBytes / 2);
      EXPECT_TRUE(large.starts_with(front.documents[1].title));
      EXPECT_EQ(front.documents[1].body, "");
      EXPECT_EQ(decompressed(decompressor, value)->documents[1].title, large);
    }
}

TEST(ABlockOfDocuments, IsItsOwnFrontWhereItIsSmall) {
  std::mt19937 random(8);
  ByteBuffer raw;
  append_document({"a", "u", "t", text(random, 10'000)}, raw);
  const auto value = BlockCompressor({}).compress(raw, 1);
  const BlockDecompressor decompressor({});
  DocumentBlock front;
  ASSERT_TRUE(decompressor.decompress_front(value, front));
  EXPECT_EQ(front.documents[0].body, decompressed(decompressor, value)->documents[0].body);
  for (std::size_t n = 0; n < value.size(); n += 97)
    EXPECT_EQ(decompressor.decompress_front(ByteView(value).first(n), front), Code::kCorrupt) << n << " bytes";
}

TEST(ABlockOfDocuments, SurvivesDamageInItsFront) {
  std::mt19937 random(9);
  ByteBuffer raw;
  append_document({"a", "u", text(random, 300'000), "b"}, raw);
  const auto value = BlockCompressor({}).compress(raw, 1);
  const BlockDecompressor decompressor({});
  for (int i = 0; i < 300; ++i) {
    ByteBuffer damaged = value;
    damaged[random() % (i % 2 ? 64 : damaged.size())] ^= static_cast<std::byte>(1u << (random() % 8));
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    DocumentBlock front;
    const bool read = decompressor.decompress_front(damaged, front).has_value();
    EXPECT_TRUE(read || front.documents.empty());
    EXPECT_LE(front.raw.size(), kMaxFrontBytes);
  }
}

TEST(ABlockOfDocuments, IsStoredWhereCompressionDoesNotPay) {
  ByteBuffer raw;
  append_document({"a", "", "", "b"}, raw);
  const auto value = BlockCompressor({}).compress(raw, 1);
  EXPECT_EQ(value.size(), raw.size() + 3);
  EXPECT_EQ(decompressed(BlockDecompressor({}), value)->documents[0].body, "b");
}

TEST(ABlockOfDocuments, LeavesNothingOfTheBlockThatWasInItsMemoryBefore) {
  std::mt19937 random(4);
  const BlockDecompressor decompressor({});
  BlockCompressor compressor({});
  DocumentBlock block;
  for (const std::size_t words : {2000u, 10u, 0u, 300u}) {
    ByteBuffer raw;
    const std::string body = text(random, words);
    append_document({"a", "u", "t", body}, raw);
    append_document({"b", "", "", ""}, raw);
    ASSERT_TRUE(decompressor.decompress(compressor.compress(raw, 2), block).has_value());
    ASSERT_EQ(block.documents.size(), 2u);
    EXPECT_EQ(block.documents[0].body, body);
    EXPECT_EQ(block.documents[1].id, "b");
  }
  EXPECT_FALSE(decompressor.decompress({}, block).has_value());
  EXPECT_TRUE(block.documents.empty());
}

TEST(ABlockOfDocuments, SurvivesTruncationAndFlippedBits) {
  std::mt19937 random(9);
  ByteBuffer raw;
  for (int i = 0; i < 20; ++i) append_document({"id", "u", "t", text(random, 50)}, raw);
  const auto value = BlockCompressor({}).compress(raw, 20);
  const BlockDecompressor decompressor({});
  for (std::size_t n = 0; n < value.size(); ++n)
    EXPECT_FALSE(decompressed(decompressor, ByteView(value).first(n)).has_value()) << n << " bytes";
  for (std::size_t n = 0; n < value.size(); ++n) {
    auto damaged = value;
    damaged[n] ^= std::byte{0x10};
    (void)decompressed(decompressor, damaged).has_value();
  }
}

TEST(ABlockOfDocuments, SaysWhenItsDictionaryIsMissing) {
  ByteBuffer value;
  ByteWriter writer(value);
  ByteBuffer raw;
  append_document({"a", "", "", std::string(1000, 'b')}, raw);
  auto compressed = BlockCompressor({}).compress(raw, 1);
  compressed[3] = std::byte{2};  // the form: varints of 1 and of 1007 take three bytes
  const auto block = decompressed(BlockDecompressor({}), compressed);
  ASSERT_FALSE(block.has_value());
  EXPECT_NE(block.error().message().find("dictionary is missing"), std::string::npos) << block.error().message();
}

}  // namespace
}  // namespace frond::partition
