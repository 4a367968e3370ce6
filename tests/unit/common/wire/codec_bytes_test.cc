// The bytes of messages: those of the format, of older brokers, and bytes that are none.
#include "common/wire/codec.h"

#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <span>

#include "common/text/limits.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"
#include "tests/unit/common/wire/random_messages.h"

namespace frond::wire {
namespace {

// The example of docs/formats/wire.md.
TEST(WireCodec, KeepsTheBytesOfItsFormat) {
  constexpr std::uint64_t kWords[] = {0x0000001600000000,
                                      0x0002000200000000,
                                      7,
                                      0,
                                      0x0004000800000004,
                                      0,
                                      3,
                                      0,
                                      0,
                                      250'000,
                                      0x1d2f7a4ec8395b65,
                                      0,
                                      0x4bf92f3577b34da6,
                                      0xa3ce929d0e0e4736,
                                      0x000000170000000d,
                                      0x0000001400000019,
                                      0,
                                      0,
                                      0x0001000100000004,
                                      3,
                                      0x0000002200000001,
                                      0x0000000000786f66,
                                      0x0000000200000000};
  SearchRequest search{.request_id = 7, .generation = 3, .budget = std::chrono::milliseconds(250)};
  search.terms = {{"fox", 2}};
  search.partitions = {0, 2};
  search.content = 0x1d2f7a4ec8395b65;
  search.trace = {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736};
  const ByteView stored = std::as_bytes(std::span(kWords));
  EXPECT_EQ(encode(search), ByteBuffer(stored.begin(), stored.end()));
  const auto got = decode_request(stored);
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(encode(*got), ByteBuffer(stored.begin(), stored.end()));
}

TEST(WireCodec, KeepsTheBytesOfASearchWithoutRanking) {
  SearchRequest search{.request_id = 7, .generation = 3, .budget = std::chrono::milliseconds(250)};
  const ByteBuffer ranked = encode(search);
  search.rank = Rank::kNone;
  ByteBuffer unranked = encode(search);
  ASSERT_EQ(unranked.size(), ranked.size());
  // The search's second word: mode, processor, profile, rank.
  constexpr std::size_t kRank = 7 * 8 + 6;
  EXPECT_EQ(static_cast<int>(unranked[kRank]), 1);
  unranked[kRank] = ranked[kRank];
  EXPECT_EQ(unranked, ranked);
  unranked[kRank] = static_cast<std::byte>(2);
  const auto later = decode_request(unranked);
  ASSERT_FALSE(later);
  EXPECT_NE(later.error().message().find("unknown rank 2"), std::string::npos) << later.error().message();
}

// The same message from an older broker, which has only the generation's number; leaves must serve it during upgrades.
TEST(WireCodec, ReadsTheBytesOfBrokersOfBefore) {
  constexpr std::uint64_t kWords[] = {0x0000000f00000000,
                                      0x0001000200000000,
                                      7,
                                      0,
                                      0x0002000400000000,
                                      3,
                                      0,
                                      0,
                                      250'000,
                                      0x0000001700000005,
                                      0x0000001400000011,
                                      0x0001000100000004,
                                      3,
                                      0x0000002200000001,
                                      0x0000000000786f66,
                                      0x0000000200000000};
  const auto got = decode_request(std::as_bytes(std::span(kWords)));
  ASSERT_TRUE(got) << got.error().message();
  const auto& search = std::get<SearchRequest>(*got);
  EXPECT_EQ(search.generation, 3u);
  EXPECT_EQ(search.content, 0u);
  EXPECT_EQ(search.show.count, 0u);
  ASSERT_EQ(search.terms.size(), 1u);
  EXPECT_EQ(search.terms[0].text, "fox");
  EXPECT_EQ(search.partitions, (std::vector<std::uint32_t>{0, 2}));
  constexpr std::uint64_t kHello[] = {0x0000000400000000, 0x0001000200000000, 9, 2, 0};
  const auto hello = decode_request(std::as_bytes(std::span(kHello)));
  ASSERT_TRUE(hello) << hello.error().message();
  EXPECT_EQ(std::get<HelloRequest>(*hello).request_id, 9u);
  EXPECT_EQ(std::get<HelloRequest>(*hello).broker.instance, 0u);
}

// Documents lie in the first segment of some of these, and their texts in the second: each word is read once all the
// same.
TEST(WireCodec, ReadsDocumentsInSeveralSegments) {
  std::uint32_t most_segments = 0;
  for (std::size_t size = 8; size <= 200; size += 8) {
    SearchReply reply{.request_id = 7, .has_or = true};
    for (std::uint32_t i = 0; i < 1000; ++i) {
      reply.or_ranking.hits.push_back({i, 0});
      reply.or_ranking.sort_bytes.push_back(std::string(size, 'x'));
      reply.documents.push_back({.ordinal = i, .found = true, .id = "d" + std::to_string(i)});
    }
    const auto bytes = encode(Reply(reply));
    std::uint32_t but_one = 0;
    std::memcpy(&but_one, bytes.data(), sizeof but_one);
    most_segments = std::max(most_segments, but_one + 1);
    const auto decoded = decode_reply(bytes);
    ASSERT_TRUE(decoded) << size << ": " << decoded.error().message();
    EXPECT_EQ(std::get<SearchReply>(*decoded).documents.back().id, "d999");
  }
  EXPECT_GT(most_segments, 1u);
}

TEST(WireCodec, ReadsFramesAtAnyAlignment) {
  const ByteBuffer bytes = encode(Request(SearchRequest{1, 2}));
  for (std::size_t shift = 0; shift < 8; ++shift) {
    ByteBuffer moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(decode_request(ByteView(moved).subspan(shift))) << "shift " << shift;
  }
}

TEST(WireCodec, CallsEveryTruncationCorrupt) {
  RandomMessages random(printed_seed());
  for (int i = 0; i < 50; ++i) {
    const ByteBuffer request = encode(random.request()), reply = encode(random.reply());
    for (std::size_t n = 0; n < request.size(); ++n)
      ASSERT_EQ(decode_request(ByteView(request).first(n)), Code::kCorrupt) << n << " of " << request.size();
    for (std::size_t n = 0; n < reply.size(); ++n)
      ASSERT_EQ(decode_reply(ByteView(reply).first(n)), Code::kCorrupt) << n << " of " << reply.size();
  }
}

TEST(WireCodec, SurvivesFlippedAndArbitraryBytes) {
  RandomMessages random(printed_seed());
  for (int i = 0; i < kRounds; ++i) {
    ByteBuffer request = encode(random.request()), reply = encode(random.reply());
    for (int flips = 0; flips < 4; ++flips) {
      request[random.below(request.size())] ^= static_cast<std::byte>(1u << random.below(8));
      reply[random.below(reply.size())] ^= static_cast<std::byte>(1u << random.below(8));
    }
    (void)decode_request(request).has_value();
    (void)decode_reply(reply).has_value();
    (void)decode_request(reply).has_value();
    (void)decode_reply(request).has_value();
  }
}

TEST(WireCodec, RefusesMoreThanTheLimits) {
  SearchRequest search;
  search.terms.assign(kMaxTerms, {"a", 1});
  EXPECT_TRUE(decode_request(encode(search)));
  search.terms[0].occurrences = 2;
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  search.terms.assign(kMaxTerms + 1, {"a", 1});
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  search.terms = {{std::string(text::kMaxTermBytes + 1, 'a'), 1}};
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  search.terms = {{"", 1}};
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  search.terms.clear();
  search.partitions.assign(kMaxPartitions + 1, 0);
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  search.partitions.clear();
  search.depth = kMaxDepth + 1;
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  HelloRequest hello{1, {7, std::string(kMaxBrokerNameBytes, 'b')}};
  EXPECT_TRUE(decode_request(encode(hello)));
  hello.broker.name += 'b';
  EXPECT_EQ(decode_request(encode(hello)), Code::kCorrupt);
  FetchRequest fetch;
  fetch.ordinals.assign(kMaxOrdinals + 1, 0);
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  fetch.ordinals.clear();
  fetch.id.assign(kMaxFetchedIdBytes, 'a');
  EXPECT_TRUE(decode_request(encode(fetch)));
  fetch.id += 'a';
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  SearchReply reply{.has_and = true};
  for (std::uint64_t i = 0; i <= kMaxDepth; ++i) reply.and_ranking.hits.push_back({i, 1});
  EXPECT_EQ(decode_reply(encode(reply)), Code::kCorrupt);
}

TEST(WireCodec, CallsUnknownEnumsAndDisorderCorrupt) {
  SearchRequest search;
  search.mode = static_cast<Mode>(3);
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  SearchReply reply{.has_or = true, .or_ranking = {{{1, 5}, {0, 5}}}};
  EXPECT_EQ(decode_reply(encode(reply)), Code::kCorrupt);
  reply.or_ranking.hits.clear();
  reply.unsearched = {{0, static_cast<UnsearchedReason>(std::size(kUnsearchedReasons))}};
  EXPECT_EQ(decode_reply(encode(reply)), Code::kCorrupt);
  HelloReply hello;
  hello.generations = {{1, 1}};
  hello.generations[0].bm25.k1 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(decode_reply(encode(hello)), Code::kCorrupt);
  hello.generations[0].bm25.k1 = 0.9;
  hello.generations[0].partitions = {{0, {0, 0, 1}}};
  EXPECT_EQ(decode_reply(encode(hello)), Code::kCorrupt);
  hello.generations.clear();
  hello.budgets.resize(kMaxBudgets);
  EXPECT_TRUE(decode_reply(encode(hello)));
  hello.budgets.emplace_back();
  EXPECT_EQ(decode_reply(encode(hello)), Code::kCorrupt);
}

TEST(WireCodec, CallsParametersOutOfRangeCorrupt) {
  SearchRequest search;
  search.bm25 = {4.0, 1.0};
  EXPECT_TRUE(decode_request(encode(search)));
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const scoring::Bm25Parameters wrong :
       {scoring::Bm25Parameters{4.01, 0.4}, {-0.1, 0.4}, {nan, 0.4}, {infinity, 0.4}, {1.2, 1.1}, {1.2, nan}}) {
    search.bm25 = wrong;
    EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt) << wrong.k1 << " " << wrong.b;
  }
  search.bm25.reset();
  search.prior_weight = scoring::kMaxPriorWeight;
  EXPECT_TRUE(decode_request(encode(search)));
  ++search.prior_weight;
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::wire
