// Every codec's decoder for the device against ListCodec::decode(): the same numbers, and the same blocks corrupt.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/codec/list_codec.h"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/uploaded_streams.h"
#include "tests/support/posting_lists.h"

namespace frond::device_codec {
namespace {

using codec::kBlockLength, codec::ListCodec, codec::Numbers;
using support::SlackBytes;

// A list and its stream, as a blob has them.
struct List {
  std::string name;
  Numbers kind;
  std::vector<std::uint32_t> numbers;
  ByteBuffer stream;
  std::vector<DocId> lasts;

  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers.size()); }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(lasts.size()); }
  std::uint32_t size_of(std::uint32_t block) const { return std::min(kBlockLength, count() - block * kBlockLength); }
  DocId before(std::uint32_t block) const { return block ? lasts[block - 1] : kNoDoc; }
};

List encoded(const ListCodec& codec, std::string name, Numbers kind, std::vector<std::uint32_t> numbers) {
  List list{std::move(name), kind, std::move(numbers), {}, {}};
  codec.encode(list.numbers, kind, list.stream);
  for (std::size_t first = 0; first < list.numbers.size(); first += kBlockLength)
    list.lasts.push_back(list.numbers[std::min<std::size_t>(first + kBlockLength, list.numbers.size()) - 1]);
  return list;
}

std::vector<std::uint32_t> random_numbers(std::mt19937& random, Numbers kind, std::uint32_t count, unsigned width) {
  return kind == Numbers::kDocIds ? support::random_docids(random, count, width)
                                  : support::random_frequencies(random, count, width);
}

Output output_of(Numbers kind) { return kind == Numbers::kDocIds ? Output::kDocIds : Output::kFrequencies; }

struct Decoded {
  std::vector<std::uint32_t> numbers, corrupt_blocks;
};

// What of which list; no blocks: all of them.
struct Asked {
  std::size_t list;
  std::optional<std::vector<std::uint32_t>> blocks;
};
std::vector<Asked> all_of(const std::vector<List>& lists) {
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < lists.size(); ++i) asked.push_back({i, std::nullopt});
  return asked;
}

// In one launch.
Decoded decode(const ListCodec& codec, const std::vector<List>& lists, const std::vector<Asked>& asked, Output output) {
  const auto stream = *device::Stream::create();
  std::vector<UploadedStreams> uploaded;  // each in memory of its own, for sanitizers
  for (const List& list : lists) {
    const EncodedList one{list.stream, list.count(), list.lasts};
    auto copied = UploadedStreams::create(std::span(&one, 1), stream.get());
    EXPECT_TRUE(copied.has_value());
    uploaded.push_back(*std::move(copied));
  }
  std::vector<Selection> selections;
  selections.reserve(asked.size());
  for (const Asked& one : asked) selections.push_back({uploaded[one.list].streams()[0], one.blocks});
  const auto batch = UploadedBatch::create(selections, output, stream.get());
  EXPECT_TRUE(batch.has_value());
  EXPECT_TRUE(decode_streams(codec, batch->batch(), stream.get()));
  return {*batch->numbers(stream.get()), *batch->corrupt_blocks(stream.get())};
}

class EveryDeviceDecoder : public testing::TestWithParam<const ListCodec*> {};

TEST_P(EveryDeviceDecoder, GivesTheNumbersOfManyListsInOneLaunch) {
  for (const Numbers kind : {Numbers::kDocIds, Numbers::kFrequencies}) {
    std::vector<List> lists;
    for (auto& list : support::awkward_lists(kind, /*seed=*/71))
      if (list.numbers.size() <= 300 || list.numbers.size() == 2049)
        lists.push_back(encoded(*GetParam(), list.name, kind, list.numbers));
    const Decoded got = decode(*GetParam(), lists, all_of(lists), output_of(kind));
    std::size_t at = 0;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      ASSERT_EQ(got.corrupt_blocks[l], 0u) << lists[l].name;
      for (std::uint32_t block = 0; block < lists[l].blocks(); ++block, at += kBlockLength)
        for (std::uint32_t i = 0; i < lists[l].size_of(block); ++i)
          ASSERT_EQ(got.numbers[at + i], lists[l].numbers[block * kBlockLength + i])
              << lists[l].name << ", block " << block << ", number " << i;
    }
    ASSERT_EQ(at, got.numbers.size());
  }
}

TEST_P(EveryDeviceDecoder, GivesGapsOfDocidsWithoutAddingUp) {
  const bool docids = GetParam()->info().family == "linear regression";  // which has no gaps
  std::mt19937 random(72);
  std::vector<List> lists;
  for (const std::uint32_t count : {1u, 127u, 128u, 129u, 1500u})
    for (const unsigned width : {0u, 5u, 14u})
      lists.push_back(
          encoded(*GetParam(), std::to_string(count), Numbers::kDocIds, support::random_docids(random, count, width)));
  const Decoded got = decode(*GetParam(), lists, all_of(lists), Output::kGaps);
  std::size_t at = 0;
  for (const List& list : lists)
    for (std::uint32_t block = 0; block < list.blocks(); ++block, at += kBlockLength)
      for (std::uint32_t i = 0; i < list.size_of(block); ++i) {
        const std::uint32_t place = block * kBlockLength + i;
        const DocId before = docids ? 0 : place ? list.numbers[place - 1] : kNoDoc;
        ASSERT_EQ(got.numbers[at + i], list.numbers[place] - before) << list.name;
      }
}

TEST_P(EveryDeviceDecoder, GivesSelectedBlocksInTheOrderAskedFor) {
  std::mt19937 random(73);
  std::vector<List> lists;
  std::vector<Asked> asked;
  for (const std::uint32_t count : {100u, 3000u, 4096u, 5001u, 128u}) {
    asked.push_back({lists.size(), std::vector<std::uint32_t>()});
    lists.push_back(
        encoded(*GetParam(), std::to_string(count), Numbers::kDocIds, support::random_docids(random, count, 9)));
    for (std::uint32_t i = 0; i < count / 300; ++i)
      asked.back().blocks->push_back(support::random_below(random, lists.back().blocks()));
  }
  const Decoded got = decode(*GetParam(), lists, asked, Output::kDocIds);
  std::size_t at = 0;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    ASSERT_EQ(got.corrupt_blocks[l], 0u);
    for (const std::uint32_t block : *asked[l].blocks) {
      for (std::uint32_t i = 0; i < lists[l].size_of(block); ++i)
        ASSERT_EQ(got.numbers[at + i], lists[l].numbers[block * kBlockLength + i]) << "block " << block;
      at += kBlockLength;
    }
  }
}

// Each block a task of its own, so that counts say which are corrupt; and what is not has the host's numbers.
void expect_as_on_the_host(const ListCodec& codec, const std::vector<List>& lists, const std::string& trace) {
  std::vector<Asked> asked;
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (std::uint32_t block = 0; block < lists[l].blocks(); ++block)
      asked.push_back({l, std::vector<std::uint32_t>{block}});
  const Decoded got = decode(codec, lists, asked, output_of(lists.front().kind));
  for (std::size_t t = 0; t < asked.size(); ++t) {
    const List& list = lists[asked[t].list];
    const std::uint32_t block = asked[t].blocks->front();
    const SlackBytes stream(list.stream);
    std::array<std::uint32_t, kBlockLength> wanted;
    const bool fine =
        codec.decode(stream.view(), list.count(), list.kind, block, list.before(block), wanted).has_value();
    ASSERT_EQ(got.corrupt_blocks[t], fine ? 0u : 1u) << trace << ", block " << block << ": " << list.name;
    for (std::uint32_t i = 0; fine && i < list.size_of(block); ++i)
      ASSERT_EQ(got.numbers[t * kBlockLength + i], wanted[i]) << trace << ", block " << block << ", number " << i;
  }
}

TEST_P(EveryDeviceDecoder, FindsTheSameBlocksCorruptAsTheHostInChangedBytes) {
  for (const Numbers kind : {Numbers::kDocIds, Numbers::kFrequencies})
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
      std::mt19937 random(seed);
      std::vector<List> lists;
      for (int i = 0; i < 12; ++i) {
        const std::uint32_t count = 1 + support::random_below(random, i % 4 == 0 ? 2500 : 300);
        List list = encoded(*GetParam(), std::to_string(i), kind,
                            random_numbers(random, kind, count, support::random_below(random, 20)));
        // From anywhere, and from the index at the end.
        const auto size = static_cast<std::uint32_t>(list.stream.size());
        for (std::uint32_t change = support::random_below(random, 4) + 1; change > 0; --change) {
          const std::uint32_t back = change % 2 ? std::min(size, 64u) : size;
          list.stream[size - 1 - support::random_below(random, back)] = static_cast<std::byte>(random());
        }
        lists.push_back(std::move(list));
      }
      expect_as_on_the_host(*GetParam(), lists, "seed " + std::to_string(seed));
    }
}

TEST_P(EveryDeviceDecoder, FindsTheSameBlocksCorruptAsTheHostInArbitraryBytes) {
  for (const Numbers kind : {Numbers::kDocIds, Numbers::kFrequencies})
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
      std::mt19937 random(seed);
      std::vector<List> lists;
      for (int i = 0; i < 16; ++i) {
        const std::uint32_t count = 1 + support::random_below(random, 900);
        List list = encoded(*GetParam(), std::to_string(i), kind, random_numbers(random, kind, count, 8));
        list.stream.assign(std::size_t{16} * support::random_below(random, 150), std::byte{0});
        const unsigned mask = i % 2 ? 0xff : 0x1f;  // plausible widths half of the time
        for (std::byte& byte : list.stream) byte = static_cast<std::byte>(random() & mask);
        lists.push_back(std::move(list));
      }
      expect_as_on_the_host(*GetParam(), lists, "seed " + std::to_string(seed));
    }
}

std::string name_of(const testing::TestParamInfo<const ListCodec*>& info) {
  std::string name(info.param->name());
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryDeviceDecoder, testing::ValuesIn(codec::all_codecs()), name_of);

TEST(DeviceDecoders, TellOfTheFirstCorruptList) {
  const ListCodec& codec = *codec::codec_named("gpu-bp128");
  std::mt19937 random(75);
  std::vector<List> lists;
  lists.reserve(3);
  for (int i = 0; i < 3; ++i)
    lists.push_back(encoded(codec, "", Numbers::kDocIds, support::random_docids(random, 700, 9)));
  EXPECT_TRUE(check_decoded(codec, decode(codec, lists, all_of(lists), Output::kDocIds).corrupt_blocks));
  std::fill(lists[1].stream.end() - 16, lists[1].stream.end(), std::byte{0xff});
  const auto checked = check_decoded(codec, decode(codec, lists, all_of(lists), Output::kDocIds).corrupt_blocks);
  EXPECT_EQ(checked, Code::kCorrupt);
  EXPECT_NE(checked.error().message().find("list 1"), std::string::npos) << checked.error().message();
}

TEST(DeviceDecoders, TakeAnEmptyBatch) {
  EXPECT_TRUE(decode(*codec::codec_named("gpu-bp128"), {}, {}, Output::kDocIds).numbers.empty());
}

}  // namespace
}  // namespace frond::device_codec
