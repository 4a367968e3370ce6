// A codec changes sizes and speed, never an answer: every engine gives the same hits and scores, to the byte, on lists
// packed with each codec of the registry, with two at once, and with `auto`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "common/codec/codec_choice.h"
#include "common/topk/top_k.h"
#include "leaf/engines.h"
#include "tests/support/collections/indexed_collection.h"

namespace frond::leaf {
namespace {

using support::IndexedCollection;
using support::TermNumber;

constexpr std::uint64_t kSeed = 301;
const SteadyClock kClock;

const support::Collection& collection() {
  static const auto random = support::random_collection(kSeed, {.documents = 4000, .terms = 80});
  return random;
}

std::vector<topk::Hit> search(engine::QueryEngine& engine, const IndexedCollection& index,
                              std::span<const TermNumber> query, engine::Mode mode, std::uint32_t k) {
  std::vector<std::vector<topk::Hit>> lists;
  for (std::size_t p = 0; p < index.partitions().size(); ++p) {
    const engine::Plan plan = index.plan(p, query, mode, k);
    auto outcomes = engine.search(std::span(&plan, 1), kClock);
    EXPECT_TRUE(outcomes.at(0).has_value()) << outcomes[0].error().message();
    lists.push_back(outcomes[0]->hits);
  }
  return topk::merge(lists, k);
}

std::vector<std::string> names() {
  std::vector<std::string> all{std::string(codec::kAuto)};
  const codec::ListCodec* before = codec::codec_named(codec::kDefaultCodec);
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    all.emplace_back(codec->name());
    if (before->info().docids && codec->info().frequencies)
      all.push_back(std::string(before->name()) + "," + std::string(codec->name()));
    before = codec;
  }
  return all;
}

class EveryCodec : public testing::TestWithParam<std::string> {};

TEST_P(EveryCodec, GivesTheHitsOfTheDefaultOne) {
  const IndexedCollection plain(collection(), {});
  const IndexedCollection index(collection(), {.partitions = 2, .codec = GetParam()});
  const auto oracle = *engine_named("exhaustive");
  support::Random random(kSeed + 1);
  for (int q = 0; q < 25; ++q) {
    const auto query = support::random_query(random, collection(), 4);
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {10u, 1000u}) {
        const auto wanted = search(*oracle, plain, query, mode, k);
        for (const auto& entry : all_engines()) {
          ASSERT_EQ(search(*entry.make(), index, query, mode, k), wanted)
              << entry.name << ", query " << q << ", k " << k << ", seed " << kSeed;
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCodec, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace frond::leaf
