// Documents that brokers fetch from the leaf.
#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <random>
#include <span>

#include "common/text/limits.h"
#include "common/text/snippets/snippet.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

// One that has no room.
class FullScheduler final : public schedule::Scheduler {
 public:
  Result<void> admit(std::span<schedule::Task>, schedule::Lane) override { return Error(Code::kOverloaded, "full"); }
  void drain() override {}
  Load load() const override { return {1, 1, 1}; }
  bool runs_caller() const override { return false; }
};

// Every document three times, in no order.
std::vector<Ordinal> shuffled_thrice(std::size_t documents, unsigned seed) {
  std::vector<Ordinal> ordinals;
  for (std::size_t i = 0; i < 3 * documents; ++i) ordinals.push_back(i % documents);
  std::shuffle(ordinals.begin(), ordinals.end(), std::mt19937(seed));
  return ordinals;
}

wire::FetchReply fetched_by(ServedCollection& served, schedule::Scheduler& scheduler, const Clock& clock,
                            wire::FetchRequest request) {
  DocumentHandler handler(served.board, scheduler, clock);
  std::promise<wire::Reply> reply;
  handler.fetch(std::move(request), Deadline::after(clock, std::chrono::seconds(60)),
                [&](wire::Reply got) { reply.set_value(std::move(got)); });
  auto got = std::get<wire::FetchReply>(reply.get_future().get());
  scheduler.drain();
  return got;
}

TEST_F(LeafServiceTest, FetchesDocumentsOfAllItsPartitionsInTheOrderAsked) {
  const auto reply = ask<wire::FetchReply>(fetch_of({99, 0, 1, 50}));
  ASSERT_EQ(reply.documents.size(), 4u);
  for (const auto& fetched : reply.documents) {
    EXPECT_TRUE(fetched.found);
    const auto& expected = documents_[fetched.ordinal];
    EXPECT_EQ(fetched.id, expected.id);
    EXPECT_EQ(fetched.title, expected.title);
    EXPECT_EQ(fetched.url, expected.url);
    EXPECT_FALSE(fetched.snippet.empty());
    EXPECT_EQ(fetched.snippet.find(text::kMatchBegin) != std::string::npos, expected.terms.contains("t1"));
  }
  EXPECT_EQ(reply.documents[0].ordinal, 99u);
}

TEST_F(LeafServiceTest, FetchesADocumentByItsIdWhole) {
  auto request = fetch_of({});
  for (const auto& expected : documents_) {
    request.id = expected.id;
    const auto reply = ask<wire::FetchReply>(request);
    ASSERT_EQ(reply.documents.size(), 1u) << expected.id;
    const auto& fetched = reply.documents.front();
    EXPECT_TRUE(fetched.found);
    EXPECT_EQ(fetched.id, expected.id);
    EXPECT_EQ(fetched.title, expected.title);
    EXPECT_EQ(fetched.url, expected.url);
    EXPECT_EQ(fetched.body, expected.body);
  }
  request.id = "nothing";
  EXPECT_TRUE(ask<wire::FetchReply>(request).documents.empty());
  request.generation = 9;
  EXPECT_EQ(ask<wire::ErrorReply>(request).reason, wire::UnsearchedReason::kUnknownGeneration);
}

TEST_F(LeafServiceTest, FindsNoHiddenDocumentByItsId) {
  const auto generation = std::const_pointer_cast<generation::ServedGeneration>(served_.board.get()->front());
  auto& partition = generation->partitions[1];
  partition.hidden = std::make_shared<const partition::HiddenDocuments>(
      static_cast<std::uint32_t>(partition.placement.documents), std::vector<DocId>{0, 3});
  auto request = fetch_of({});
  for (const DocId docid : {0, 1, 3}) {
    request.id = documents_[partition.placement.ordinal(docid)].id;
    EXPECT_EQ(ask<wire::FetchReply>(request).documents.size(), docid == 1 ? 1u : 0u) << docid;
  }
}

TEST_F(LeafServiceTest, FetchesTheFieldsThatAreWanted) {
  auto request = fetch_of({99, 0, 1});
  const auto all = ask<wire::FetchReply>(request).documents;
  for (unsigned fields = 0; fields <= wire::kAllFields; ++fields) {
    request.fields = static_cast<std::uint8_t>(fields);
    const auto some = ask<wire::FetchReply>(request).documents;
    ASSERT_EQ(some.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(some[i].found);
      EXPECT_EQ(some[i].id, all[i].id);
      EXPECT_EQ(some[i].title, fields & wire::kFieldTitle ? all[i].title : "") << fields;
      EXPECT_EQ(some[i].url, fields & wire::kFieldUrl ? all[i].url : "") << fields;
      EXPECT_EQ(some[i].snippet, fields & wire::kFieldSnippet ? all[i].snippet : "") << fields;
    }
  }
}

TEST(LeafServiceOfALargeDocument, CutsItsBodyAndSaysSo) {
  auto documents = support::random_documents(40, 6);
  std::string& body = documents[3].body;
  while (body.size() < 33 << 20) body += "\u20ac";
  documents[3].title = std::string(text::kMaxTitleBytes + 1, 't');
  documents[3].url = std::string(text::kMaxUrlBytes + 1, 'u');
  ServedCollection served(documents, 2);
  support::InlineScheduler scheduler(served.clock);
  DocumentHandler handler(served.board, scheduler, served.clock);
  const auto fetched = [&](std::uint32_t body_bytes, std::size_t document) {
    wire::FetchRequest request{.request_id = 5, .generation = 1, .budget = std::chrono::seconds(1)};
    request.id = documents[document].id;
    request.body_bytes = body_bytes;
    std::optional<wire::FetchReply> got;
    handler.fetch(request, Deadline::never(), [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
    return got->documents.at(0);
  };
  for (const std::uint32_t body_bytes : {0u, 1000u, 40u << 20}) {
    const auto most = std::min<std::size_t>(body_bytes == 0 ? wire::kMaxFetchedBodyBytes : body_bytes, 32 << 20);
    const auto document = fetched(body_bytes, 3);
    EXPECT_TRUE(document.truncated) << body_bytes;
    EXPECT_TRUE(body.starts_with(document.body) && document.body.size() <= most && document.body.size() + 3 > most);
    EXPECT_EQ(document.title.size(), text::kMaxTitleBytes);
    EXPECT_EQ(document.url.size(), text::kMaxUrlBytes);
  }
  const auto whole = fetched(static_cast<std::uint32_t>(documents[4].body.size()), 4);
  EXPECT_EQ(whole.body, documents[4].body);
  EXPECT_FALSE(whole.truncated);
}

// A partition from before ingest held them: answers with such fields took connections down.
TEST(LeafServiceOfAnOldPartition, CutsFieldsThatAreTooLong) {
  auto documents = support::random_documents(40, 6);
  std::string euros;
  while (euros.size() < 40 << 20) euros += "\u20ac";
  for (const std::size_t i : {3u, 4u, 21u}) documents[i].title = euros;
  documents[5].id = std::string(4000, 'i');
  documents[5].url = "http://example.test/" + std::string(text::kMaxUrlBytes, 'u');
  documents[6].url = std::string(text::kMaxUrlBytes, 'u');
  ServedCollection served(documents, 2);
  support::InlineScheduler scheduler(served.clock);
  DocumentHandler handler(served.board, scheduler, served.clock);
  wire::FetchRequest request{5, 1, std::chrono::seconds(1), {"t1"}};
  for (Ordinal i = 0; i < documents.size(); ++i) request.ordinals.push_back(i);
  std::optional<wire::FetchReply> got;
  handler.fetch(request, Deadline::never(), [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
  ASSERT_TRUE(got);
  EXPECT_LT(wire::encode(wire::Reply(*got)).size(), 100'000u);
  for (const auto& fetched : got->documents) {
    const auto& expected = documents[fetched.ordinal];
    EXPECT_TRUE(fetched.found) << fetched.ordinal;
    const bool is_huge = expected.title.size() > text::kMaxTitleBytes;
    EXPECT_EQ(fetched.snippet.empty(), is_huge) << "a body behind a huge title is not looked for";
    if (is_huge || fetched.ordinal == 5) continue;
    EXPECT_EQ(fetched.id, expected.id);
    EXPECT_EQ(fetched.url, expected.url);
    EXPECT_EQ(fetched.title, expected.title);
  }
  EXPECT_EQ(got->documents[4].title, euros.substr(0, text::kMaxTitleBytes / 3 * 3)) << "between characters";
  EXPECT_EQ(got->documents[5].id, std::string(text::kMaxIdBytes, 'i'));
  EXPECT_EQ(got->documents[5].url, "");
}

TEST_F(LeafServiceTest, SaysWhichDocumentsItHasNot) {
  const auto reply = ask<wire::FetchReply>(fetch_of({100, 3, ~Ordinal{0}}));
  ASSERT_EQ(reply.documents.size(), 3u);
  EXPECT_FALSE(reply.documents[0].found);
  EXPECT_TRUE(reply.documents[1].found);
  EXPECT_FALSE(reply.documents[2].found);
  EXPECT_EQ(reply.documents[0].reason, wire::UnsearchedReason::kCorrupt) << "a hit that does not exist";
}

TEST_F(LeafServiceTest, FetchesTheSameWithAnyNumberOfWorkers) {
  const unsigned seed = 3;
  const wire::FetchRequest request = fetch_of(shuffled_thrice(documents_.size(), seed));
  const SteadyClock clock;
  const ByteBuffer expected = wire::encode(wire::Reply(ask<wire::FetchReply>(request)));
  for (const std::size_t workers : {1u, 3u, 8u}) {
    schedule::WorkerPool pool({workers, 16}, clock, nullptr);
    EXPECT_EQ(wire::encode(wire::Reply(fetched_by(served_, pool, clock, request))), expected) << "seed " << seed;
  }
}

TEST_F(LeafServiceTest, FetchesManyDocumentsOnTheThreadsForWhatIsCostly) {
  FullScheduler usual;
  support::InlineScheduler costly(served_.clock);
  DocumentHandler handler(served_.board, usual, served_.clock, &costly);
  for (const std::size_t count : {100u, 101u}) {
    std::optional<wire::Reply> got;
    auto ordinals = shuffled_thrice(documents_.size(), 8);
    ordinals.resize(count);
    handler.fetch(fetch_of(std::move(ordinals)), Deadline::never(), [&](wire::Reply reply) { got = std::move(reply); });
    ASSERT_TRUE(got);
    EXPECT_EQ(std::holds_alternative<wire::FetchReply>(*got), count > 100) << count;
  }
}

TEST_F(LeafServiceTest, ExplainsCostlySearchesOnTheThreadsForWhatIsCostly) {
  FullScheduler usual;
  support::InlineScheduler costly(served_.clock);
  DocumentHandler handler(served_.board, usual, served_.clock, &costly);
  for (const std::size_t words : {wire::kCostlyTerms, wire::kCostlyTerms + 1}) {
    auto explained = request_of(wire::Mode::kOr, {}, 3);
    for (std::size_t i = 0; i < words; ++i) explained.terms.push_back({"t" + std::to_string(i), 1});
    wire::FetchRequest fetch = fetch_of({1});
    fetch.explain = std::make_shared<const wire::SearchRequest>(explained);
    std::optional<wire::Reply> got;
    handler.fetch(fetch, Deadline::never(), [&](wire::Reply reply) { got = std::move(reply); });
    ASSERT_TRUE(got);
    EXPECT_EQ(std::holds_alternative<wire::FetchReply>(*got), words > wire::kCostlyTerms) << words;
  }
}

TEST_F(LeafServiceTest, FetchesThoughEveryWorkerIsBusySearching) {
  const SteadyClock clock;
  std::latch busy(2), free(1);  // outlive the pool's threads
  schedule::WorkerPool pool({2, 16}, clock, nullptr);
  std::vector<schedule::Task> tasks(2);
  for (schedule::Task& task : tasks)
    task.run = [&](const auto&) {
      busy.count_down();
      free.wait();
    };
  ASSERT_TRUE(pool.submit(std::move(tasks), schedule::Lane::kSearch));
  busy.wait();
  DocumentHandler handler(served_.board, pool, clock);
  std::promise<wire::Reply> reply;
  handler.fetch(fetch_of(shuffled_thrice(documents_.size(), 4)), Deadline::after(clock, std::chrono::seconds(60)),
                [&](wire::Reply got) { reply.set_value(std::move(got)); });
  const auto got = std::get<wire::FetchReply>(reply.get_future().get());
  free.count_down();
  EXPECT_TRUE(std::ranges::all_of(got.documents, &wire::FetchedDocument::found));
}

// Each look at it takes a millisecond.
class TickingClock final : public Clock {
 public:
  Instant now() const override { return start_ + std::chrono::milliseconds(++looks_); }

 private:
  Instant start_ = SteadyClock().now();
  mutable std::atomic<int> looks_{0};
};

TEST_F(LeafServiceTest, FetchesUntilTheDeadlineAndSaysWhatIsLacking) {
  const TickingClock clock;
  support::InlineScheduler scheduler(clock);
  DocumentHandler handler(served_.board, scheduler, clock);
  const wire::FetchRequest request = fetch_of(shuffled_thrice(documents_.size(), 5));
  std::optional<wire::FetchReply> got;
  handler.fetch(request, Deadline::after(clock, std::chrono::milliseconds(100)),
                [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
  ASSERT_TRUE(got);
  ASSERT_EQ(got->documents.size(), request.ordinals.size());
  for (std::size_t i = 0; i < request.ordinals.size(); ++i) EXPECT_EQ(got->documents[i].ordinal, request.ordinals[i]);
  const auto found = std::ranges::count_if(got->documents, &wire::FetchedDocument::found);
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 100);
  for (const auto& document : got->documents)
    EXPECT_TRUE(document.found || document.reason == wire::UnsearchedReason::kDeadline);
}

TEST_F(LeafServiceTest, RefusesAFetchWhoseTimeEndsBeforeTheFirstDocument) {
  const TickingClock clock;
  support::InlineScheduler scheduler(clock);
  DocumentHandler handler(served_.board, scheduler, clock);
  std::optional<wire::Reply> got;
  handler.fetch(fetch_of(shuffled_thrice(documents_.size(), 5)), Deadline::after(clock, std::chrono::milliseconds(3)),
                [&](wire::Reply reply) { got = std::move(reply); });
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<wire::ErrorReply>(*got).reason, wire::UnsearchedReason::kDeadline);
}

TEST_F(LeafServiceTest, AnswersAFetchOfNothing) {
  EXPECT_TRUE(ask<wire::FetchReply>(fetch_of({})).documents.empty());
  EXPECT_FALSE(ask<wire::FetchReply>(fetch_of({~Ordinal{0}})).documents[0].found);
}

TEST_F(LeafServiceTest, AnswersAFetchItCannotTakeWithAnError) {
  auto late = fetch_of({1});
  late.budget = std::chrono::microseconds(0);
  EXPECT_EQ(ask<wire::ErrorReply>(late).request_id, 5u);
  auto unknown = fetch_of({1});
  unknown.generation = 8;
  EXPECT_NE(ask<wire::ErrorReply>(unknown).message.find('8'), std::string::npos);
}

TEST_F(LeafServiceTest, SaysWhyItCannotTakeAFetch) {
  auto late = fetch_of({1});
  late.budget = std::chrono::microseconds(0);
  EXPECT_EQ(ask<wire::ErrorReply>(late).reason, wire::UnsearchedReason::kDeadline);
  auto unknown = fetch_of({1});
  unknown.generation = 8;
  EXPECT_EQ(ask<wire::ErrorReply>(unknown).reason, wire::UnsearchedReason::kUnknownGeneration);
  scheduler_.drain();
  EXPECT_EQ(ask<wire::ErrorReply>(fetch_of({1})).reason, wire::UnsearchedReason::kUnavailable) << "this leaf is ending";

  FullScheduler full;
  DocumentHandler crowded(served_.board, full, served_.clock);
  std::optional<wire::Reply> got;
  crowded.fetch(fetch_of({1}), Deadline::after(served_.clock, std::chrono::seconds(1)),
                [&](wire::Reply reply) { got = std::move(reply); });
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<wire::ErrorReply>(*got).reason, wire::UnsearchedReason::kOverloaded);
}

}  // namespace
}  // namespace frond::leaf::serve
