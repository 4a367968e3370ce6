// Lists of every codec, and of several codecs at once, searched by the GPU engine: the same hits as the oracle's,
// nothing left to the CPU, and damaged streams found out or read as the host reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/postings/list_builder.h"
#include "common/postings/long_form.h"
#include "leaf/engines.h"
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/gpu/uploaded_list.h"

namespace frond::leaf::gpu {
namespace {

using support::Random;

const SteadyClock kClock;
const scoring::Bm25Parameters kBm25;

std::vector<std::string> all_choices() {
  std::vector<std::string> names;
  for (const auto* codec : codec::all_codecs()) names.emplace_back(codec->name());
  for (const char* several : {"auto", "hs-lrc,rice", "gpu-bp256,vbyte", "simd-bp128,newpfd"})
    names.emplace_back(several);
  return names;
}

std::unique_ptr<GpuEngine> make_engine(engine::QueryEngine& below) {
  auto made =
      GpuEngine::create({.memory_bytes = std::size_t{100} << 20, .copying = DeviceCache::Copying::kByTheCaller}, below);
  EXPECT_TRUE(made.has_value()) << made.error().message();
  return *std::move(made);
}

// `count` docIDs with gaps of different widths, some far wider than the others, as patched codecs have exceptions for.
struct Postings {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
};
Postings random_postings(Random& random, std::uint32_t count, std::uint32_t bits) {
  Postings made;
  auto docid = static_cast<DocId>(random.below(9));
  for (std::uint32_t i = 0; i < count; ++i) {
    made.docids.push_back(docid);
    const auto width = i / 128 % 3 == 0 ? random.below(bits + 1) : random.below(12) == 0 ? bits + 3 : bits / 2;
    docid += 1 + static_cast<DocId>(random.below(std::uint64_t{1} << width));
    made.frequencies.push_back(1 +
                               static_cast<Frequency>(random.below(std::uint64_t{1} << random.below(bits / 2 + 1))));
  }
  return made;
}

// Every third document of so many.
partition::HiddenDocuments some_hidden(std::uint32_t documents) {
  std::vector<DocId> docids;
  for (DocId docid = 1; docid < documents; docid += 3) docids.push_back(docid);
  return {documents, std::move(docids)};
}

class ServedCodec : public testing::TestWithParam<std::string> {
 protected:
  std::vector<ByteBuffer> build(const Postings& postings, const std::vector<std::uint32_t>& lengths) const {
    return postings::ListBuilder(*codec::codec_choice_named(GetParam()), lengths, kBm25.b, 100)
        .build(postings.docids, postings.frequencies);
  }
};

TEST_P(ServedCodec, GivesTheOraclesHitsWithoutTheCpu) {
  const auto collection =
      support::random_collection(811, {.documents = 4000, .terms = 40, .most_frequent = 0.7, .max_length = 300});
  const support::IndexedCollection index(collection, {.partitions = 1, .codec = GetParam()});
  const auto oracle = *engine_named("exhaustive");
  const auto below = *engine_named("cpu");
  const auto engine = make_engine(*below);
  Random random(812);
  std::vector<engine::Plan> plans;
  for (int query = 0; query < 8; ++query) {
    const auto terms = support::random_query(random, collection, 4);
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {1u, 10u, 1000u})
        if (auto plan = index.plan(0, terms, mode, k); fits_kernels(plan)) plans.push_back(std::move(plan));
  }
  const auto hidden = some_hidden(4000);
  const partition::DocumentPriors priors(support::random_priors(random, 4000));
  for (std::size_t i = 0; i < plans.size(); i += 2) plans[i].hidden = &hidden;
  for (std::size_t i = 0; i < plans.size(); i += 3) plans[i].priors = &priors;
  const auto got = engine->search(plans, kClock);
  const auto wanted = oracle->search(plans, kClock);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ASSERT_TRUE(got[i].has_value()) << got[i].error().message();
    ASSERT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
    if (got[i]->exact) {
      ASSERT_EQ(got[i]->matches, wanted[i]->matches) << "plan " << i;
    }
  }
  const auto counted = engine->counters();
  EXPECT_EQ(counted.lists.damaged + counted.lists.too_large, 0u);
  EXPECT_EQ(counted.fallbacks, counted.unanswered);
}

TEST_P(ServedCodec, CountsAllAndGivesTheFirstWithoutTheCpu) {
  const auto collection =
      support::random_collection(815, {.documents = 4000, .terms = 40, .most_frequent = 0.7, .max_length = 300});
  const auto oracle = *engine_named("exhaustive");
  const auto below = *engine_named("cpu");
  const auto engine = make_engine(*below);
  for (const std::uint32_t partitions : {1u, 3u}) {
    const support::IndexedCollection index(collection, {.partitions = partitions, .codec = GetParam()});
    Random random(816 + partitions);
    std::vector<engine::Plan> plans;
    for (int query = 0; query < 5; ++query) {
      const auto terms = support::random_query(random, collection, 4);
      for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
        for (const std::uint32_t k : {0u, 1u, 10u, 1000u}) {
          auto plan = index.plan(random.below(partitions), terms, mode, k);
          plan.ranked = false;
          if (fits_kernels(plan)) plans.push_back(std::move(plan));
        }
    }
    const auto hidden = some_hidden(4000 / partitions);
    for (std::size_t i = 0; i < plans.size(); i += 2) plans[i].hidden = &hidden;
    const auto wanted = oracle->search(plans, kClock);
    const auto got = engine->search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      ASSERT_TRUE(got[i].has_value()) << got[i].error().message();
      ASSERT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
      ASSERT_EQ(got[i]->matches, wanted[i]->matches) << "plan " << i;
      ASSERT_TRUE(got[i]->exact) << "plan " << i;
    }
    EXPECT_EQ(engine->counters().fallbacks, 0u);
  }
}

TEST_P(ServedCodec, AdmitsListsOfEveryLengthAndOfTwoSegments) {
  Random random(813);
  for (const std::uint32_t count :
       {1u, 127u, 128u, 129u, 256u, 1000u, 1024u, 5000u, postings::kSegmentPostings + 300}) {
    const auto made = random_postings(random, count, count > 10'000 ? 2 : 9);
    const std::uint32_t documents = made.docids.back() + 1;
    const auto lease = support::make_lease(build(made, std::vector<std::uint32_t>(documents, 100)));
    const auto uploaded = support::UploadedList::create(lease->postings, documents);
    ASSERT_TRUE(uploaded.has_value()) << uploaded.error().message();
    EXPECT_EQ(uploaded->wrong_blocks(), 0u) << count << " postings";
  }
}

// Bounds are not damaged, and k is more than there are matches, so what a list holds decides the answer alone.
TEST_P(ServedCodec, FindsDamagedStreamsOrReadsWhatTheHostReads) {
  const std::uint64_t seed = 814;
  Random random(seed);
  const auto damaged = random_postings(random, 900, 8), sound = random_postings(random, 290, 9);
  const std::uint32_t documents = std::max(damaged.docids.back(), sound.docids.back()) + 1;
  const std::vector<std::uint32_t> lengths(documents, 100);
  const auto blob = build(damaged, lengths)[0];
  const auto other = support::make_lease(build(sound, lengths), {1, "sound"});
  const auto oracle = *engine_named("exhaustive");
  const auto below = *engine_named("cpu");
  const auto engine = make_engine(*below);
  const scoring::CollectionStatistics statistics{.documents = documents, .tokens = std::uint64_t{100} * documents};
  const std::size_t end = postings::sections_of(postings::read_header(blob)).last_docids;
  int searched = 0, refused = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<ByteBuffer> segments{blob};
    for (std::uint64_t wrong = 1 + random.below(3); wrong > 0; --wrong) {
      // Often in the indexes, which end the streams.
      const std::size_t begin = round % 2 ? postings::kLongHeaderBytes : end - std::min<std::size_t>(end / 2, 80);
      segments[0][begin + random.below(end - begin)] ^= static_cast<std::byte>(1 + random.below(255));
    }
    const auto lease = support::make_lease(segments, {1, "damaged " + std::to_string(round)});
    std::vector<engine::Plan> plans(4);  // ranked, and not ranked
    for (std::size_t i = 0; i < plans.size(); ++i) {
      engine::Plan& plan = plans[i];
      plan = {.mode = i % 2 == 0 ? engine::Mode::kOr : engine::Mode::kAnd,
              .ranked = i < 2,
              .k = 1000,
              .terms = {},
              .lengths = lengths,
              .partition = 1,
              .norm = scoring::length_norm(kBm25, statistics)};
      const float weight = scoring::term_weight(kBm25, statistics, 900, 1);
      const scoring::BoundScale bounds(weight, kBm25, statistics, {kBm25.b, 100});
      plan.terms.push_back({lease, weight, bounds});
      if (i > 0) plan.terms.push_back({other, weight, bounds});
    }
    const auto got = engine->try_search(plans, kClock);
    const auto wanted = oracle->search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (!got[i]) {
        ++refused;
        continue;
      }
      ++searched;
      ASSERT_TRUE(got[i]->has_value()) << (*got[i]).error().message();
      ASSERT_TRUE(wanted[i].has_value()) << "seed " << seed << " round " << round << ": "
                                         << wanted[i].error().message();
      ASSERT_EQ((*got[i])->hits, wanted[i]->hits) << "seed " << seed << " round " << round << " plan " << i;
      if (!plans[i].ranked) {
        ASSERT_EQ((*got[i])->matches, wanted[i]->matches) << "seed " << seed << " round " << round << " plan " << i;
      }
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(engine->counters().lists.damaged, 0u);
  EXPECT_NE(engine->cache().refusals().find(" damaged, 0 too large; the last, \"damaged "), std::string::npos)
      << engine->cache().refusals();
  EXPECT_FALSE(engine->lost());
}

// Of the last bytes of an hs-lrc stream, which are its index: ends of buckets, widths, the shift. What is admitted can
// be looked up by bucket as well as it can be decoded.
TEST(HsLrcLists, AreRefusedOrCountedRightWithAWrongIndex) {
  const std::uint64_t seed = 817;
  Random random(seed);
  const auto damaged = random_postings(random, 900, 8), sound = random_postings(random, 700, 8);
  const std::uint32_t documents = std::max(damaged.docids.back(), sound.docids.back()) + 1;
  const std::vector<std::uint32_t> lengths(documents, 100);
  const postings::ListBuilder builder(*codec::codec_choice_named("hs-lrc"), lengths, kBm25.b, 100);
  const auto blob = builder.build(damaged.docids, damaged.frequencies)[0];
  // A driving list of all that is in both, so that every document is looked up.
  std::vector<DocId> probes = damaged.docids;
  probes.insert(probes.end(), sound.docids.begin(), sound.docids.end());
  std::sort(probes.begin(), probes.end());
  probes.erase(std::unique(probes.begin(), probes.end()), probes.end());
  probes.resize(800);
  const auto other =
      support::make_lease(builder.build(probes, std::vector<Frequency>(probes.size(), 1)), {1, "probes"});
  const auto oracle = *engine_named("exhaustive");
  const auto below = *engine_named("cpu");
  const auto engine = make_engine(*below);
  const std::size_t end = postings::sections_of(postings::read_header(blob)).frequencies;
  int searched = 0, refused = 0;
  for (std::size_t at = end - 120; at < end; ++at)
    for (const std::uint8_t flipped : {1, 2, 16}) {
      std::vector<ByteBuffer> segments{blob};
      segments[0][at] ^= static_cast<std::byte>(flipped);
      engine::Plan plan;
      plan.mode = engine::Mode::kAnd;
      plan.ranked = false;
      plan.k = 1000;
      plan.lengths = lengths;
      plan.partition = 1;
      const auto lease =
          support::make_lease(segments, {1, "damaged " + std::to_string(at) + "^" + std::to_string(flipped)});
      for (const auto& list : {lease, other})
        plan.terms.push_back({list, 1, {1, kBm25, {documents, 100}, {kBm25.b, 100}}});
      const auto got = engine->try_search(std::span(&plan, 1), kClock);
      if (!got[0]) {
        ++refused;
        continue;
      }
      ++searched;
      const auto wanted = oracle->search(std::span(&plan, 1), kClock);
      ASSERT_TRUE(wanted[0].has_value()) << at << ": " << wanted[0].error().message();
      ASSERT_EQ((*got[0])->hits, wanted[0]->hits) << "byte " << at << " ^ " << int{flipped} << ", seed " << seed;
    }
  EXPECT_GT(searched, 0);  // of widths and offsets of buckets that only the last block is in, and of padding
  EXPECT_GT(refused, searched);
}

TEST(HsLrcLists, AreCountedTheSameByBucketsAndInBlocks) {
  const auto oracle = *engine_named("exhaustive");
  const auto below = *engine_named("cpu");
  const std::uint32_t documents = 900'000;
  const std::vector<std::uint32_t> lengths(documents, 100);
  const postings::ListBuilder builder(*codec::codec_choice_named("hs-lrc"), lengths, kBm25.b, 100);
  Random random(818);
  // The last one has two segments.
  std::vector<lists::ListLease> lists;
  for (const std::uint32_t gap : {700u, 90u, 40u, 6u}) {
    Postings made;
    for (DocId docid = 5; docid < documents - 900; docid += 1 + static_cast<DocId>(random.below(gap)))
      made.docids.push_back(docid);
    made.frequencies.assign(made.docids.size(), 1);
    lists.push_back(support::make_lease(builder.build(made.docids, made.frequencies), {1, std::to_string(gap)}));
  }
  std::vector<engine::Plan> plans;
  for (const std::size_t second : {1u, 2u, 3u})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
      engine::Plan& plan = plans.emplace_back();
      plan.mode = mode;
      plan.ranked = false;
      plan.k = 10;
      plan.lengths = lengths;
      plan.partition = 1;
      for (const std::size_t list : {std::size_t{0}, second})
        plan.terms.push_back({lists[list], 1, {1, kBm25, {documents, 100}, {kBm25.b, 100}}});
    }
  const auto wanted = oracle->search(plans, kClock);
  for (const bool by_bucket : {true, false}) {
    const auto engine = *GpuEngine::create(
        {.memory_bytes = std::size_t{100} << 20, .copying = DeviceCache::Copying::kByTheCaller, .by_bucket = by_bucket},
        *below);
    const auto got = engine->search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      EXPECT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
      EXPECT_EQ(got[i]->matches, wanted[i]->matches) << "plan " << i;
    }
    EXPECT_EQ(engine->counters().fallbacks, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ServedCodec, testing::ValuesIn(all_choices()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ','; }, '_');
  return name;
});

TEST(ServedCodecs, AreThoseOfTheRegistryButThreeThatArePackedAgain) {
  for (const auto* codec : codec::all_codecs()) {
    const bool packed_again =
        codec->name() == "pfordelta2" || codec->name() == "pfordelta3" || codec->name() == "pfordelta4";
    EXPECT_NE(codecs::is_served(codec->id()), packed_again) << codec->name();
    EXPECT_EQ(codecs::kernel_for(codec->id(), codec->id()), codec->id());
  }
}

}  // namespace
}  // namespace frond::leaf::gpu
