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
