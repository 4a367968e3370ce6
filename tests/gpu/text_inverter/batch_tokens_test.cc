// What a search has for the host comes back whole, however much it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "indexer/invert/gpu/text/device/device_text.h"

namespace frond::indexer::invert::gpu {
namespace {

std::string text_of(const TokenKey& key) {
  char bytes[kKeyBytes + 1] = {};
  std::memcpy(bytes, key.words, kKeyBytes);
  return bytes;
}

TEST(BatchTokens, AreWholeHoweverManyThereAre) {
  struct Case {
    std::uint32_t words, long_words;  // new ones; those that are too long for the device
  };
  constexpr Case kCases[] = {{10, 5}, {2000, 1200}, {2500, 1300}, {5000, 1500}, {0, 0}, {1024, 1024}, {1025, 1025}};
  const auto device = DeviceText::create({.device_bytes = 64 << 20, .max_text = 128 << 10}).value();
  std::uint32_t batch = 0, tokens = 0;
  for (const Case& expected : kCases) {
    const std::size_t side = batch % DeviceText::kSides, place = batch % DeviceText::kPlaces;
    std::set<std::string> words;
    std::set<std::uint32_t> long_begins;
    std::string text;
    for (std::uint32_t i = 0; i < expected.words; ++i) {
      const std::string word = "b" + std::to_string(batch) + "w" + std::to_string(i);
      words.insert(word);
      text += word + " ";
    }
    for (std::uint32_t i = 0; i < expected.long_words; ++i) {
      long_begins.insert(static_cast<std::uint32_t>(text.size()));
      text += std::string(30, 'l') + " ";
    }
    text += "\n";
    ASSERT_LE(text.size(), device->capacity().text);
    const TextPlace filled = device->places().fill(place).value();
    std::copy(text.begin(), text.end(), filled.text.begin());
    filled.piece_begins[0] = 0;
    filled.piece_numbers[0] = batch;
    ASSERT_TRUE(device->places().send(place, static_cast<std::uint32_t>(text.size()), 1));
    const BatchTokens found = device->find(side, place).value();
    std::set<std::string> got;
    for (const TokenKey& key : found.new_keys) got.insert(text_of(key));
    EXPECT_EQ(found.new_keys.size(), expected.words) << "batch " << batch;
    EXPECT_EQ(got, words) << "batch " << batch;
    std::set<std::uint32_t> got_begins;
    for (const HostChunk& chunk : found.chunks) got_begins.insert(chunk.begin);
    EXPECT_EQ(found.chunks.size(), expected.long_words) << "batch " << batch;
    EXPECT_EQ(got_begins, long_begins) << "batch " << batch;
    EXPECT_FALSE(found.too_many_chunks);
    std::vector<std::uint32_t> terms(expected.words), places(expected.long_words + std::size_t{1});
    for (std::uint32_t& term : terms) term = tokens++;
    ASSERT_TRUE(device->learn(side, terms));
    const auto lengths = device->add(side, places, {}, tokens);
    ASSERT_TRUE(lengths);
    EXPECT_EQ((*lengths)[0], expected.words) << "batch " << batch;
    ++batch;
  }
  const std::vector<std::uint32_t> totals = device->run().totals(tokens).value();
  EXPECT_EQ(totals, std::vector<std::uint32_t>(tokens, 1));
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
