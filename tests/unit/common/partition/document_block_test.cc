#include "common/partition/document_block.h"

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
  for (const ByteBuffer& dictionary : {ByteBuffer(), trained}) {
    BlockCompressor compressor(dictionary);
    const BlockDecompressor decompressor(dictionary);
    for (const std::uint32_t count : {1u, 2u, 100u}) {
      ByteBuffer raw;
      std::vector<std::string> bodies;
      for (std::uint32_t i = 0; i < count; ++i) {
        bodies.push_back(i % 3 ? text(random, 200) : "");
        append_document({std::to_string(i), "", "T", bodies.back()}, raw);
      }
      const auto block = decompressor.decompress(compressor.compress(raw, count));
      ASSERT_TRUE(block.has_value()) << block.error().message();
      ASSERT_EQ(block->documents.size(), count);
      for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(block->documents[i].body, bodies[i]);
    }
  }
}

TEST(ABlockOfDocuments, IsStoredWhereCompressionDoesNotPay) {
  ByteBuffer raw;
  append_document({"a", "", "", "b"}, raw);
  const auto value = BlockCompressor({}).compress(raw, 1);
  EXPECT_EQ(value.size(), raw.size() + 3);
  EXPECT_EQ(BlockDecompressor({}).decompress(value)->documents[0].body, "b");
}

TEST(ABlockOfDocuments, SurvivesTruncationAndFlippedBits) {
  std::mt19937 random(9);
  ByteBuffer raw;
  for (int i = 0; i < 20; ++i) append_document({"id", "u", "t", text(random, 50)}, raw);
  const auto value = BlockCompressor({}).compress(raw, 20);
  const BlockDecompressor decompressor({});
  for (std::size_t n = 0; n < value.size(); ++n)
    EXPECT_FALSE(decompressor.decompress(ByteView(value).first(n)).has_value()) << n << " bytes";
  for (std::size_t n = 0; n < value.size(); ++n) {
    auto damaged = value;
    damaged[n] ^= std::byte{0x10};
    (void)decompressor.decompress(damaged).has_value();
  }
}

TEST(ABlockOfDocuments, SaysWhenItsDictionaryIsMissing) {
  ByteBuffer value;
  ByteWriter writer(value);
  ByteBuffer raw;
  append_document({"a", "", "", std::string(1000, 'b')}, raw);
  auto compressed = BlockCompressor({}).compress(raw, 1);
  compressed[3] = std::byte{2};  // the form: varints of 1 and of 1007 take three bytes
  const auto block = BlockDecompressor({}).decompress(compressed);
  ASSERT_FALSE(block.has_value());
  EXPECT_NE(block.error().message().find("dictionary is missing"), std::string::npos) << block.error().message();
}

}  // namespace
}  // namespace frond::partition
