// Every promise in codec.h.
#include "common/wire/codec.h"

#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <span>

#include "common/text/limits.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"
#include "tests/unit/common/wire/random_messages.h"

namespace frond::wire {
namespace {

constexpr int kRounds = 2000;

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %lu\n", static_cast<unsigned long>(seed));
  return seed;
}

// A message has one encoding, so messages are equal if their bytes are.
TEST(WireCodec, ReturnsTheRequestsItWasGiven) {
  RandomMessages random(printed_seed());
  for (int i = 0; i < kRounds; ++i) {
    const ByteBuffer bytes = encode(random.request());
    const Result<Request> got = decode_request(bytes);
    ASSERT_TRUE(got) << got.error().message();
    ASSERT_EQ(encode(*got), bytes) << "round " << i;
  }
}

TEST(WireCodec, ReturnsTheRepliesItWasGiven) {
  RandomMessages random(printed_seed());
  for (int i = 0; i < kRounds; ++i) {
    const ByteBuffer bytes = encode(random.reply());
    const Result<Reply> got = decode_reply(bytes);
    ASSERT_TRUE(got) << got.error().message();
    ASSERT_EQ(encode(*got), bytes) << "round " << i;
  }
}

TEST(WireCodec, RefusesToShowMoreThanTheRankingOrAPageMayHave) {
  SearchRequest sent;
  sent.depth = 2000;
  const std::pair<Show, bool> cases[] = {{{0, 1000}, true},  {{1000, 1000}, true}, {{1001, 1000}, false},
                                         {{0, 1001}, false}, {{~0u, 1}, false},    {{2000, 1}, false}};
  for (const auto& [show, allowed] : cases) {
    sent.show = show;
    EXPECT_EQ(decode_request(encode(sent)).has_value(), allowed) << show.offset << " " << show.count;
  }
}

TEST(WireCodec, CarriesEveryFieldOfASearch) {
  SearchRequest sent{7, 3, Mode::kAnd, Processor::kCpu, true, 20, 15, std::chrono::microseconds(1500)};
  sent.terms = {{"fox", 2}, {"dog", 1}};
  sent.partitions = {4, 9};
  sent.show = {5, 15, kFieldUrl};
  sent.rank = Rank::kNone;
  sent.bm25 = {1.2, 0.75};
  sent.prior_weight = 7;
  const auto got = decode_request(encode(sent));
  ASSERT_TRUE(got);
  const auto& search = std::get<SearchRequest>(*got);
  EXPECT_EQ(search.request_id, 7u);
  EXPECT_EQ(search.generation, 3u);
  EXPECT_EQ(search.mode, Mode::kAnd);
  EXPECT_EQ(search.processor, Processor::kCpu);
  EXPECT_EQ(search.rank, Rank::kNone);
  EXPECT_EQ(search.bm25, sent.bm25);
  EXPECT_EQ(search.prior_weight, 7u);
  EXPECT_TRUE(search.profile);
  EXPECT_EQ(search.depth, 20u);
  EXPECT_EQ(search.show.offset, 5u);
  EXPECT_EQ(search.show.count, 15u);
  EXPECT_EQ(search.show.fields, kFieldUrl);
  EXPECT_EQ(search.auto_needs, 15u);
  EXPECT_EQ(search.budget.count(), 1500);
  ASSERT_EQ(search.terms.size(), 2u);
  EXPECT_EQ(search.terms[0].text, "fox");
  EXPECT_EQ(search.terms[0].occurrences, 2u);
  EXPECT_EQ(search.partitions, sent.partitions);
}

TEST(WireCodec, CarriesEveryFieldOfAnAnswer) {
  SearchReply sent{7, true, false, {{{5, 100}, {2, 90}, {9, 90}}, 3, false}};
  sent.unsearched = {{1, UnsearchedReason::kCorrupt}};
  sent.profile = {{2, "cpu", 1, 2, 3, 4}};
  const auto got = decode_reply(encode(sent));
  ASSERT_TRUE(got);
  const auto& search = std::get<SearchReply>(*got);
  EXPECT_TRUE(search.has_and);
  EXPECT_FALSE(search.has_or);
  EXPECT_EQ(search.and_ranking.hits, sent.and_ranking.hits);
  EXPECT_EQ(search.and_ranking.matches, 3u);
  EXPECT_FALSE(search.and_ranking.exact);
  ASSERT_EQ(search.unsearched.size(), 1u);
  EXPECT_EQ(search.unsearched[0].partition, 1u);
  EXPECT_EQ(search.unsearched[0].reason, UnsearchedReason::kCorrupt);
  ASSERT_EQ(search.profile.size(), 1u);
  EXPECT_EQ(search.profile[0].engine, "cpu");
  EXPECT_EQ(search.profile[0].postings, 4u);
}

// unknownGeneration is unknown_generation here.
std::string snake_case(std::string_view camel_case) {
  std::string name;
  for (const char c : camel_case) {
    if (std::isupper(static_cast<unsigned char>(c))) name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

TEST(WireCodec, CarriesHowASearchRan) {
  SearchReply sent{7, true, false};
  sent.runs.push_back({.mode = Mode::kOr, .on_gpu = true, .queue = RunQueue::kEither, .reason = RunReason::kStolen});
  SearchRun& run = sent.runs.back();
  run.stolen = true;
  run.resident = Resident::kYes;
  std::uint64_t next = 1ull << 40;
  for (auto* one :
       {&run.postings, &run.blocks, &run.shortest, &run.second, &run.predicted_cpu_ns, &run.predicted_gpu_ns,
        &run.wait_ns, &run.cpu_ns, &run.build_ns, &run.transfer_ns, &run.kernel_ns, &run.answer_ns})
    *one = next++;
  std::uint32_t next32 = 1;
  for (auto* one : {&run.k, &run.partitions, &run.terms, &run.batch_queries, &run.batch_plans}) *one = next32++;
  const auto got = decode_reply(encode(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<SearchReply>(*got).runs, sent.runs);
  sent.runs.resize(kMaxRuns + 1);
  EXPECT_EQ(decode_reply(encode(sent)), Code::kCorrupt);
  // Of a newer leaf.
  sent.runs.resize(1);
  sent.runs[0].reason = static_cast<RunReason>(200);
  const auto newer = decode_reply(encode(sent));
  ASSERT_TRUE(newer);
  EXPECT_EQ(std::get<SearchReply>(*newer).runs[0].reason, RunReason::kUnknown);
}

TEST(WireCodec, SendsTheReasonsOfRunsThatTheSchemaHas) {
  const auto enumerants = capnp::Schema::from<schema::RunReason>().getEnumerants();
  ASSERT_EQ(enumerants.size(), std::size(kRunReasons));
  for (const RunReasonRow& row : kRunReasons) {
    EXPECT_EQ(row.name, kRunReasons[static_cast<std::size_t>(row.reason)].name);
    EXPECT_EQ(snake_case(enumerants[static_cast<unsigned>(row.reason)].getProto().getName().cStr()), row.name);
  }
}

TEST(WireCodec, SendsTheReasonsThatTheSchemaHas) {
  const auto enumerants = capnp::Schema::from<schema::UnsearchedReason>().getEnumerants();
  ASSERT_EQ(enumerants.size(), std::size(kUnsearchedReasons));
  for (const UnsearchedReasonRow& row : kUnsearchedReasons) {
    EXPECT_EQ(snake_case(enumerants[static_cast<unsigned>(row.reason)].getProto().getName().cStr()), row.name);
  }
}

// The example of docs/formats/wire.md.
TEST(WireCodec, KeepsTheBytesOfItsFormat) {
  constexpr std::uint64_t kWords[] = {0x0000001300000000,
                                      0x0002000200000000,
                                      7,
                                      0,
                                      0x0004000500000004,
                                      0,
                                      3,
                                      0,
                                      0,
                                      250'000,
                                      0x1d2f7a4ec8395b65,
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

TEST(WireCodec, CarriesWhoSaysHelloAndWhatIsSaidOfAGeneration) {
  const HelloRequest sent{5, {77, "broker-1:8080", {4, 0xfeed}, std::chrono::milliseconds(500), true}};
  const auto got = decode_request(encode(Request(sent)));
  ASSERT_TRUE(got) << got.error().message();
  const Broker& broker = std::get<HelloRequest>(*got).broker;
  EXPECT_EQ(broker.instance, 77u);
  EXPECT_EQ(broker.name, "broker-1:8080");
  EXPECT_EQ(broker.serving, (GenerationId{4, 0xfeed}));
  EXPECT_EQ(broker.hello_every.count(), 500);
  EXPECT_TRUE(broker.needs_leaf);
  HelloReply reply{5, "c"};
  reply.generations = {{4, 1}};
  reply.generations[0].content = 0xfeed;
  reply.draining = true;
  reply.features = kAllFeatures | 0xf000000000000000;
  reply.machine = "2 cores";
  reply.budgets = {{.flag = "--gpu-cache", .amount = 7, .bytes = true, .chosen = true, .device = 1},
                   {.flag = "--threads", .amount = 2}};
  const auto answer = decode_reply(encode(Reply(reply)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<HelloReply>(*answer).generations[0].content, 0xfeedu);
  EXPECT_TRUE(std::get<HelloReply>(*answer).draining);
  EXPECT_EQ(std::get<HelloReply>(*answer).machine, "2 cores");
  EXPECT_EQ(std::get<HelloReply>(*answer).budgets, reply.budgets);
  EXPECT_EQ(std::get<HelloReply>(*answer).features, reply.features) << "bits of later versions too";
  FetchRequest fetch{5, 4};
  fetch.content = 0xfeed;
  EXPECT_EQ(std::get<FetchRequest>(*decode_request(encode(Request(fetch)))).content, 0xfeedu);
}

// Leaves that do not know clauses must not take such a search for one of words.
TEST(WireCodec, SendsClausesAsAKindOfTheirOwn) {
  SearchRequest sent{7, 3};
  sent.depth = 20;
  sent.partitions = {4};
  sent.show = {5, 15, kFieldUrl};
  const auto kind_of = [](const SearchRequest& request) {
    const ByteBuffer bytes = encode(request);
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)));
    return reader.getRoot<schema::Request>().which();
  };
  EXPECT_EQ(kind_of(sent), schema::Request::SEARCH);
  EXPECT_EQ(features_needed(sent), 0u);
  EXPECT_TRUE(head_of_search(encode(sent))->is_words);
  std::vector<SearchRequest> all(4, sent);
  all[0].clause = R"({"all":{}})";
  all[1].filter = R"({"none":{}})";
  all[2].exact_total = true;
  all[3].show.columns = {"year", "source"};
  for (const SearchRequest& one : all) {
    EXPECT_EQ(kind_of(one), schema::Request::CLAUSES);
    EXPECT_EQ(features_needed(one), kFeatureClauses);
    const ByteBuffer bytes = encode(one);
    EXPECT_EQ(target_of(bytes)->generation.number, 3u);
    EXPECT_EQ(head_of_search(bytes)->request_id, 7u);
    EXPECT_FALSE(head_of_search(bytes)->is_words);
    const auto got = decode_request(bytes);
    ASSERT_TRUE(got) << got.error().message();
    const auto& search = std::get<SearchRequest>(*got);
    EXPECT_EQ(search.clause, one.clause);
    EXPECT_EQ(search.filter, one.filter);
    EXPECT_EQ(search.exact_total, one.exact_total);
    EXPECT_EQ(search.show.columns, one.show.columns);
    EXPECT_EQ(search.show.count, 15u);
    EXPECT_EQ(search.partitions, one.partitions);
  }
}
TEST(WireCodec, CarriesAnOrderAndFacets) {
  SearchRequest sent{7, 3};
  sent.clause = R"({"all":{}})";
  sent.sort = "year:desc:last";
  sent.after = query::SortPosition{std::string("\0\xff\0", 3), 5};
  sent.facets = R"({"t":{"values":{"field":"tag","size":10}}})";
  EXPECT_EQ(features_needed(sent), kFeatureClauses | kFeatureSorting);
  sent.simple_facets = false;
  EXPECT_EQ(features_needed(sent), kFeatureClauses | kFeatureSorting | kFeatureFacetTrees);
  const auto got = decode_request(encode(sent));
  ASSERT_TRUE(got) << got.error().message();
  const auto& search = std::get<SearchRequest>(*got);
  EXPECT_EQ(search.sort, sent.sort);
  EXPECT_EQ(search.after, sent.after);
  EXPECT_EQ(search.facets, sent.facets);

  SearchReply reply{7};
  reply.has_or = true;
  reply.or_ranking.hits = {{9, 0}, {2, 0}, {3, 0}};
  reply.or_ranking.sort_bytes = {"a", std::string("b\0", 2), std::string("b\0", 2)};
  reply.facets.resize(2);
  reply.facets[0] = {.with_value = 3, .missing = 1, .words = {"x", std::string("y\0z", 3)}, .counts = {1, 2}};
  reply.facets[1] = {.with_value = 2, .keys = {4, 9}};
  reply.facets[1].sum.add(-2.5);
  reply.facets[1].nested.resize(2, reply.facets[0]);
  const auto back = decode_reply(encode(reply));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(std::get<SearchReply>(*back).or_ranking.sort_bytes, reply.or_ranking.sort_bytes);
  EXPECT_EQ(std::get<SearchReply>(*back).facets, reply.facets);
}

TEST(WireCodec, RefusesOrdersAndFacetsThatCannotBe) {
  const auto refused = [](auto change) {
    SearchRequest sent;
    sent.clause = R"({"all":{}})";
    sent.sort = "year";
    change(sent);
    return decode_request(encode(sent)) == Code::kCorrupt;
  };
  EXPECT_FALSE(refused([](SearchRequest&) {}));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.clause.clear(); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.sort.assign(query::kMaxSortTextBytes + 1, 'x'); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.facets.assign(query::kMaxFacetsBytes + 1, 'x'); }));
  EXPECT_TRUE(refused([](SearchRequest& sent) { sent.after = {std::string(query::kMaxSortBytes + 1, 'x'), 1}; }));
  EXPECT_TRUE(refused([](SearchRequest& sent) {
    sent.sort.clear();
    sent.after = {"x", 1};
  }));
  const auto bad = [](auto change) {
    SearchReply reply{7};
    reply.has_or = true;
    reply.or_ranking.hits = {{9, 1}, {2, 2}};
    reply.or_ranking.sort_bytes = {"a", "b"};
    reply.facets.resize(1);
    change(reply);
    return decode_reply(encode(reply)) == Code::kCorrupt;
  };
  EXPECT_FALSE(bad([](SearchReply&) {}));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes.pop_back(); }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes[0] = "c"; }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.or_ranking.sort_bytes[0] = "b"; }));  // 9 before 2
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets.resize(query::kMaxFacets + 1); }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].counts = {1}; }));  // of no bucket
  const auto nested = [&](std::size_t depth) {
    return bad([=](SearchReply& reply) {
      for (std::size_t i = 1; i < depth; ++i) reply.facets[0].nested = std::vector{reply.facets[0]};
    });
  };
  EXPECT_FALSE(nested(query::kMaxFacetDepth));
  EXPECT_TRUE(nested(query::kMaxFacetDepth + 1));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].nested.resize(100'001); }));
  EXPECT_TRUE(bad([](SearchReply& reply) {
    reply.facets.resize(2);
    reply.facets[0].keys.resize(kMaxFacetBuckets);
    reply.facets[1].words.resize(1);
  }));
  EXPECT_TRUE(bad([](SearchReply& reply) { reply.facets[0].words.resize(33, std::string(1 << 20, 'x')); }));
}

TEST(WireCodec, RefusesClausesAndColumnsPastTheirLimits) {
  SearchRequest search;
  search.clause.assign(kMaxClauseBytes, 'x');
  EXPECT_TRUE(decode_request(encode(search)));
  search.clause += 'x';
  EXPECT_EQ(decode_request(encode(search)), Code::kCorrupt);
  FetchRequest fetch;
  fetch.columns.assign(kMaxColumns, std::string(frond::schema::kMaxFieldNameBytes, 'x'));
  EXPECT_TRUE(decode_request(encode(fetch)));
  fetch.columns.back() += 'x';
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  fetch.columns.assign(kMaxColumns + 1, "x");
  EXPECT_EQ(decode_request(encode(fetch)), Code::kCorrupt);
  FetchReply reply;
  reply.documents.push_back({.found = true, .columns = "{}"});
  EXPECT_TRUE(decode_reply(encode(reply)));
  for (const char* columns : {"{", "[]", "x"}) {
    reply.documents[0].columns = columns;
    EXPECT_EQ(decode_reply(encode(reply)), Code::kCorrupt) << columns;
  }
  HelloReply hello;
  hello.generations.resize(1);
  hello.generations[0].schema.assign(frond::schema::kMaxSchemaBytes + 1, 'x');
  EXPECT_EQ(decode_reply(encode(hello)), Code::kCorrupt);
}

// The bytes that brokers sent before there were `fields` and `id`.
TEST(WireCodec, ReadsAFetchOfABrokerOfBeforeAsOneOfAllFields) {
  std::uint64_t words[] = {0x0000000e00000000,
                           0x0002000200000000,
                           8,
                           1,
                           0x0002000300000004,
                           0,
                           3,
                           0,
                           0x1d2f7a4ec8395b65,
                           0x0000000e00000005,
                           0x0000001500000009,
                           0x0000002200000001,
                           0x0000000000786f66,
                           1,
                           5};
  const ByteView stored = std::as_bytes(std::span(words));
  const auto fetched = [&] { return std::get<FetchRequest>(decode_request(stored).value()); };
  EXPECT_EQ(fetched().fields, kAllFields);
  EXPECT_EQ(fetched().id, "");
  words[7] = std::uint64_t{0xfffa ^ kAllFields} << 32;  // all bits except title and snippet, XOR the default
  EXPECT_EQ(fetched().fields, kFieldUrl) << "unknown bits are ignored";
}

TEST(WireCodec, TellsWhichCollectionARequestIsFor) {
  using Kind = RequestTarget::Kind;
  const auto target = [](const Request& request) { return target_of(encode(request)).value(); };
  SearchRequest search{.request_id = 1, .generation = 7};
  search.content = 9;
  EXPECT_EQ(target(search).kind, Kind::kSearch);
  EXPECT_EQ(target(search).generation, (GenerationId{7, 9}));
  FetchRequest fetch{.request_id = 1, .generation = 5};
  fetch.content = 4;
  EXPECT_EQ(target(fetch).kind, Kind::kFetch);
  EXPECT_EQ(target(fetch).generation, (GenerationId{5, 4}));
  HelloRequest hello{3, {1, "b:1", {1, 0}, std::chrono::milliseconds(500), false, "mail"}};
  EXPECT_EQ(target(hello).kind, Kind::kHello);
  EXPECT_EQ(target(hello).collection, "mail");
  EXPECT_EQ(target(HelloRequest{3}).collection, "") << "an older broker's";
  EXPECT_EQ(target(CancelRequest{3}).kind, Kind::kCancel);
  EXPECT_FALSE(target_of({}));
  EXPECT_FALSE(target_of(ByteBuffer(24, std::byte{0xa5})));
}

TEST(WireCodec, CarriesWhatIsGivenUp) {
  const auto got = decode_request(encode(CancelRequest{7}));
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<CancelRequest>(*got).request_id, 7u);
}

// A kind of a later version is refused, but the request that a reply belongs to can still be read.
TEST(WireCodec, KnowsWhomAReplyIsForThatItCannotRead) {
  const auto of_kind = [](std::uint64_t id, std::uint64_t kind) {
    const std::uint64_t words[] = {0x0000000400000000, 0x0001000200000000, id, kind, 0};
    const ByteView bytes = std::as_bytes(std::span(words));
    return ByteBuffer(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(decode_request(of_kind(7, 9)), Code::kCorrupt);
  EXPECT_EQ(decode_reply(of_kind(7, 9)), Code::kCorrupt);
  EXPECT_EQ(request_id_of(of_kind(7, 9)), 7u);
  EXPECT_FALSE(request_id_of(of_kind(0, 9)));
  EXPECT_FALSE(request_id_of({}));
  EXPECT_FALSE(request_id_of(ByteBuffer(24, std::byte{0xa5})));
  ByteBuffer damaged = encode(Reply(SearchReply{.request_id = 9, .has_and = true, .and_ranking = {{{1, 5}}, 1}}));
  damaged.resize(damaged.size() - 8);
  EXPECT_EQ(decode_reply(damaged), Code::kCorrupt);
  EXPECT_FALSE(request_id_of(damaged)) << "cut short: nothing of it is to be trusted";
}

// Such a reply would close the connection and fail everything that is pending on it.
TEST(WireCodec, SendsAnErrorInsteadOfAReplyThatIsTooLarge) {
  FetchReply fetched{.request_id = 7};
  for (Ordinal i = 0; i < 2; ++i) fetched.documents.push_back({i, true, "id", std::string(40 << 20, 't'), "", ""});
  const ByteBuffer bytes = encode(Reply(fetched));
  EXPECT_LE(bytes.size(), kMaxMessageBytes);
  const auto got = decode_reply(bytes);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<ErrorReply>(*got).request_id, 7u);
  EXPECT_EQ(std::get<ErrorReply>(*got).reason, UnsearchedReason::kCorrupt);
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

TEST(WireCodec, CarriesStopWords) {
  HelloReply hello;
  hello.generations = {{1, 1}};
  for (const text::StopWords& stop_words :
       {text::StopWords(false), text::StopWords(true), *text::StopWords::named("french"),
        *text::StopWords::own({"l\u00e0", "ici"})})
    for (const auto kind :
         {text::AnalyzerKind::kStandard, text::AnalyzerKind::kStandard2, text::AnalyzerKind::kStandard3}) {
      hello.generations[0].analyzer = {text::Stemmer::kPorter, stop_words, kind};
      const auto read = decode_reply(encode(hello));
      ASSERT_TRUE(read) << read.error().message();
      EXPECT_EQ(std::get<HelloReply>(*read).generations[0].analyzer, hello.generations[0].analyzer);
    }
  hello.generations[0].analyzer.stop_words = *text::StopWords::named("french");
  ByteBuffer bytes = encode(hello);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  bytes[text.find("french")] = std::byte{'g'};
  const auto refused = decode_reply(bytes);
  ASSERT_EQ(refused, Code::kCorrupt);
  EXPECT_NE(refused.error().message().find("stop words 'grench'"), std::string::npos) << refused.error().message();
}

TEST(WireCodec, NamesTheAnalyzerThatItDoesNotKnow) {
  HelloReply hello;
  hello.generations = {{1, 1}};
  hello.generations[0].analyzer = {text::Stemmer::kGerman, true, text::AnalyzerKind::kStandard2, true};
  const auto read = decode_reply(encode(hello));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(std::get<HelloReply>(*read).generations[0].analyzer, hello.generations[0].analyzer);
  ByteBuffer bytes = encode(hello);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t name = text.find("standard2");
  ASSERT_NE(name, text.npos);
  bytes[name + 8] = std::byte{'9'};
  const auto refused = decode_reply(bytes);
  ASSERT_EQ(refused, Code::kCorrupt);
  EXPECT_NE(refused.error().message().find("analyzer 'standard9'"), std::string::npos) << refused.error().message();
}

TEST(WireCodec, SendsANegativeBudgetAsNoneAndAHugeOneAsTheLongest) {
  SearchRequest search;
  search.budget = std::chrono::microseconds(-5);
  EXPECT_EQ(std::get<SearchRequest>(*decode_request(encode(search))).budget.count(), 0);
  search.budget = std::chrono::microseconds::max();
  EXPECT_EQ(std::get<SearchRequest>(*decode_request(encode(search))).budget.count(), 0xffffffff);
}

}  // namespace
}  // namespace frond::wire
