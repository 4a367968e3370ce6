// Mode `auto` gives pages of one ranking, documents with all words first, then the others: for every k and offset, with
// any number of partitions and leaves, on the CPU engine and on the exhaustive one. Compared with AND and OR of the
// whole collection in one partition.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "broker/merge/merge.h"
#include "common/topk/top_k.h"
#include "leaf/engines.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

using broker::merge::Count;

struct Wanted {
  std::vector<topk::Hit> hits;
  std::uint64_t all_words = 0;
};

// The whole ranking, from the exhaustive engine's AND and OR.
Wanted ranking_of(ServedCollection& whole, wire::SearchRequest request, std::size_t documents) {
  request.partitions = {0};
  request.processor = wire::Processor::kExhaustive;
  request.depth = static_cast<std::uint32_t>(documents);
  Wanted wanted;
  request.mode = wire::Mode::kAnd;
  wanted.hits = whole.search(request).and_ranking.hits;
  wanted.all_words = wanted.hits.size();
  request.mode = wire::Mode::kOr;
  for (const topk::Hit& hit : whole.search(request).or_ranking.hits)
    if (std::none_of(wanted.hits.begin(), wanted.hits.begin() + static_cast<std::ptrdiff_t>(wanted.all_words),
                     [&](const topk::Hit& known) { return known.ordinal == hit.ordinal; }))
      wanted.hits.push_back(hit);
  return wanted;
}

// As a broker asks: leaf i has the partitions p with p mod leaves = i.
broker::merge::Merged asked(ServedCollection& served, const SearchParts& parts, wire::SearchRequest request,
                            std::uint32_t partitions, std::uint32_t leaves, std::uint32_t offset) {
  std::vector<wire::SearchReply> replies;
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    request.partitions.clear();
    for (std::uint32_t p = leaf; p < partitions; p += leaves) request.partitions.push_back(p);
    replies.push_back(served.search(request, parts));
    EXPECT_TRUE(broker::merge::check(request, replies.back()));
  }
  return broker::merge::merge(request, replies, offset);
}

TEST(ModeAuto, GivesPagesOfOneRankingForAnyPartitionsLeavesAndEngine) {
  const auto cpu = *engine_named("cpu");
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const auto documents = support::random_documents(static_cast<std::uint32_t>(20 + random() % 200), seed);
    ServedCollection whole(documents, 1);
    for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
      ServedCollection served(documents, partitions);
      support::InlineScheduler scheduler(served.clock);
      SearchParts parts{served.board, served.store, *cpu, served.oracle, scheduler, served.clock};
      for (int i = 0; i < 12; ++i) {
        std::vector<std::string> words;
        for (std::uint32_t word = random() % 3; word < 12 && words.size() < 4; word += 1 + random() % 4)
          words.push_back("t" + std::to_string(word));
        if (i == 0) words.push_back("unknown");
        auto request = request_of(wire::Mode::kAuto, words, partitions);
        request.rank = i % 4 == 3 ? wire::Rank::kNone : wire::Rank::kScore;
        request.processor = i % 2 == 0 ? wire::Processor::kCpu : wire::Processor::kExhaustive;
        const Wanted wanted = ranking_of(whole, request, documents.size());
        for (const auto& [k, offset] :
             {std::pair{1u, 0u}, {2u, 0u}, {1u, 1u}, {10u, 0u}, {3u, 4u}, {10u, 15u}, {300u, 0u}})
          for (const std::uint32_t leaves : {1u, std::min(partitions, 3u)}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", query " + std::to_string(i) + ", " +
                         std::to_string(partitions) + " partitions, " + std::to_string(leaves) + " leaves, k " +
                         std::to_string(k) + ", offset " + std::to_string(offset));
            request.depth = request.auto_needs = k + offset;
            if (request.rank == wire::Rank::kNone) request.auto_needs = ~0u;
            const auto merged = asked(served, parts, request, partitions, leaves, offset);
            const std::size_t end = std::min<std::size_t>(wanted.hits.size(), offset + k);
            ASSERT_EQ(merged.page.size(), end - std::min<std::size_t>(end, offset));
            for (std::size_t at = 0; at < merged.page.size(); ++at)
              ASSERT_EQ(merged.page[at].hit, wanted.hits[offset + at]);
            ASSERT_EQ(merged.all_words, (Count{wanted.all_words, true}));
            ASSERT_LE(merged.total.value, wanted.hits.size());
            ASSERT_TRUE(!merged.total.exact || merged.total.value == wanted.hits.size());
            ASSERT_TRUE(merged.total.exact || request.rank == wire::Rank::kScore);
          }
      }
    }
  }
}

}  // namespace
}  // namespace frond::leaf::serve
