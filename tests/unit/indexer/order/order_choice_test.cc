// --order auto takes bisection where it makes lists smaller and is worth its time, and the input's order otherwise.
#include "indexer/order/order_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "indexer/order/graph_bisection.h"

namespace frond::indexer::order {
namespace {

constexpr std::uint32_t kChoiceSeed = 9;

// Documents of four topics, each with most of its topic's 24 terms.
ForwardIndex topics(std::uint32_t documents, bool sorted) {
  std::mt19937 random(kChoiceSeed);
  ForwardIndex index;
  index.terms = 4 * 24;
  for (std::uint32_t d = 0; d < documents; ++d) {
    const auto topic = static_cast<std::uint32_t>(sorted ? d * std::uint64_t{4} / documents : random() % 4);
    std::vector<std::uint32_t> terms(24);
    std::iota(terms.begin(), terms.end(), 24 * topic);
    std::shuffle(terms.begin(), terms.end(), random);
    terms.resize(20);
    std::sort(terms.begin(), terms.end());
    index.term_numbers.insert(index.term_numbers.end(), terms.begin(), terms.end());
    index.begins.push_back(index.term_numbers.size());
  }
  return index;
}

std::vector<std::uint32_t> order_of_input(const ForwardIndex& index) {
  std::vector<std::uint32_t> order(index.documents());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

TEST(OrderChoice, SeesThatBisectionMakesMixedTopicsSmallerForAnyNumberOfPartitions) {
  const ForwardIndex mixed = topics(16'000, false);
  const auto bisected = bisect(mixed, 2, {});
  for (const std::uint32_t partitions : {1u, 3u}) {
    const DocIdBits before = docid_bits(mixed, order_of_input(mixed), partitions);
    const DocIdBits after = docid_bits(mixed, bisected, partitions);
    EXPECT_LT(after.packed, 0.75 * before.packed) << partitions;
    EXPECT_LT(after.coded, 0.7 * before.coded) << partitions;
  }
}

TEST(OrderChoice, SeesThatATopicAfterTheOtherIsNotMadeSmallerByShuffling) {
  const ForwardIndex sorted = topics(16'000, true);
  auto shuffled = order_of_input(sorted);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(kChoiceSeed));
  EXPECT_GT(docid_bits(sorted, shuffled, 1).packed, docid_bits(sorted, order_of_input(sorted), 1).packed);
}

TEST(OrderChoice, CountsTheBitsOfGapsByHand) {
  ForwardIndex index;  // term 0 in documents 0, 1 and 9 of 10
  index.terms = 1;
  for (std::uint32_t d = 0; d < 10; ++d) {
    if (d == 0 || d == 1 || d == 9) index.term_numbers.push_back(0);
    index.begins.push_back(index.term_numbers.size());
  }
  const DocIdBits bits = docid_bits(index, order_of_input(index), 1);
  EXPECT_EQ(bits.coded, 3);  // gaps 0, 0, 7
  EXPECT_EQ(bits.packed, 3) << "less than a block is not packed";
}

TEST(OrderChoice, IsNotWorthItsTimeForVeryManyShortDocuments) {
  const std::uint64_t bytes = std::uint64_t{457} << 20, postings = 34'000'000;
  EXPECT_TRUE(order_cost(436'471, postings, bytes).worthwhile());
  EXPECT_FALSE(order_cost(100'000'000, 229 * postings, 229 * bytes).worthwhile());
  EXPECT_TRUE(order_cost(1'000'000, 40 * postings / 2, 40 * bytes).worthwhile()) << "long documents";
}

// A codec of which only the description counts.
class DescribedCodec final : public codec::ListCodec {
 public:
  DescribedCodec(std::string_view name, std::string_view family)
      : info_{.name = name, .id = 255, .family = family, .source = ""} {}
  const codec::CodecInfo& info() const override { return info_; }
  void encode(std::span<const std::uint32_t>, codec::Numbers, ByteBuffer&) const override {}
  Result<void> decode(ByteView, std::uint32_t, codec::Numbers, std::uint32_t, DocId,
                      std::span<std::uint32_t, codec::kBlockLength>) const override {
    return {};
  }

 private:
  const codec::CodecInfo info_;
};

TEST(OrderChoice, KnowsBinaryPackingByItsFamilyWhateverACodecIsCalled) {
  for (const auto* codec : codec::all_codecs())
    EXPECT_EQ(packs_blocks(*codec), codec->info().docids ? codec->info().family == "binary packing" : true)
        << codec->name();
  EXPECT_TRUE(packs_blocks(DescribedCodec("wide-blocks", "binary packing")));
  EXPECT_FALSE(packs_blocks(DescribedCodec("subpar", "rice")));
  EXPECT_FALSE(packs_blocks(DescribedCodec("rbp", "patched")));
  EXPECT_TRUE(packs_blocks(*codec::codec_choice_named("vbyte,simd-bp128")) == false) << "frequencies do not count";
}

}  // namespace
}  // namespace frond::indexer::order
