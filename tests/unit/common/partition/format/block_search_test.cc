#include "common/partition/format/sst_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace frond::partition {
namespace {

struct Entry {
  std::string key;
  std::size_t value_bytes;
  std::uint8_t type = 1;
};

// A block as RocksDB writes it, with keys that share prefixes with the key before, and the places of its values.
struct Block {
  explicit Block(const std::vector<Entry>& entries) {
    ByteWriter writer(bytes);
    std::string before;
    for (const Entry& entry : entries) {
      const std::string key = entry.key + static_cast<char>(entry.type) + std::string(7, '\0');
      std::size_t shared = 0;
      while (shared < std::min(key.size(), before.size()) && key[shared] == before[shared]) ++shared;
      writer.put_varint(shared);
      writer.put_varint(key.size() - shared);
      writer.put_varint(entry.value_bytes);
      writer.put_bytes(as_bytes(key).subspan(shared));
      places.push_back({bytes.size(), entry.value_bytes});
      writer.put_bytes(ByteBuffer(entry.value_bytes, std::byte{0xee}));
      before = key;
    }
    for (const std::uint32_t number : {0u, 1u}) writer.put(number);  // one restart point
    writer.put_bytes(ByteBuffer(kBlockTrailerBytes));
  }
  BlockAnswer find(std::string_view key) const {
    return find_in_block(ByteView(bytes).first(std::min(bytes.size(), kBlockHeadBytes)), bytes.size(), key);
  }
  ByteBuffer bytes;
  std::vector<ValuePlace> places;
};

TEST(ABlock, TellsWhereALongValueIsFromItsHead) {
  const Block block({{"fog", 100}, {"fox", 3000}, {"foxes", 1'000'000}});
  for (const std::size_t i : {0u, 1u, 2u}) {
    const auto answer = block.find(std::vector<std::string>{"fog", "fox", "foxes"}[i]);
    EXPECT_TRUE(answer.told);
    EXPECT_EQ(answer.value, block.places[i]) << i;
  }
  const Block alone({{std::string(1027, 'k'), 20'000}});
  EXPECT_EQ(alone.find(std::string(1027, 'k')).value, alone.places[0]);
}

TEST(ABlock, TellsThatAKeyIsNotThere) {
  const Block block({{"fox", 100}, {"foxes", 1'000'000}});
  for (const char* key : {"", "fo", "foxe", "foxesx", "g"}) {
    const auto answer = block.find(key);
    EXPECT_TRUE(answer.told) << key;
    EXPECT_FALSE(answer.value) << key;
  }
}

TEST(ABlock, OfAnotherLayoutHasToBeReadWhole) {
  EXPECT_FALSE(Block({{"a", 20'000}, {"b", 20'000}}).find("b").told) << "a long value that is not the last";
  EXPECT_FALSE(Block({{"a", 20'000, /*type: a deletion*/ 0}}).find("a").told);
  EXPECT_FALSE(find_in_block({}, 20'000, "a").told);
  EXPECT_FALSE(find_in_block(ByteBuffer(8), 8, "a").told);
}

TEST(ABlock, SurvivesAnyBytes) {
  constexpr std::uint32_t kSearchSeed = 17;
  std::mt19937 random(kSearchSeed);
  const Block good({{"fog", 100}, {"fox", 300}, {"foxes", 20'000}});
  for (int round = 0; round < 20'000; ++round) {
    ByteBuffer bytes = good.bytes;
    for (unsigned flips = random() % 4 + 1; flips > 0; --flips)
      bytes[random() % 600] = static_cast<std::byte>(random());
    const auto answer = find_in_block(ByteView(bytes).first(random() % kBlockHeadBytes), bytes.size(), "foxes");
    if (answer.value) {
      EXPECT_LE(answer.value->offset, bytes.size()) << "seed " << kSearchSeed;
      EXPECT_LE(answer.value->bytes, bytes.size() - answer.value->offset) << "seed " << kSearchSeed;
    }
  }
}

}  // namespace
}  // namespace frond::partition
