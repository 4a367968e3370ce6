#include "tests/unit/common/objects/store_fixture.h"

namespace frond::objects {
namespace {

class AnObjectStore : public StoreFixture {};

TEST_F(AnObjectStore, GivesBackWhatItWasGiven) {
  const ObjectServer server({});
  const auto store = open(server);
  EXPECT_EQ(store->put("x/y", "text", {}), Put::kDone);
  EXPECT_EQ(server.refused(), "");
  EXPECT_EQ(server.objects().at("a/b/x/y").bytes, "text");
  const auto text = store->get_text("x/y", 100);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(text->text, "text");
  EXPECT_EQ(store->head("x/y"), 4u);
  const auto range = store->get("x/y", 1, 2, {});
  ASSERT_TRUE(range) << range.error().message();
  EXPECT_EQ(as_text(range->bytes), "ex");
  EXPECT_EQ(range->total, 4u);
  EXPECT_EQ(range->etag, text->etag);
  EXPECT_EQ(as_text(store->get("x/y", 2, 100, {})->bytes), "xt");
  EXPECT_EQ(store->get("x/y", 4, 1, {}), Code::kCorrupt);
  EXPECT_EQ(store->get_text("x/y", 3), Code::kCorrupt);
  EXPECT_TRUE(store->remove("x/y"));
  EXPECT_TRUE(store->remove("x/y"));
  EXPECT_EQ(store->get_text("x/y", 100), Code::kNotFound);
  EXPECT_EQ(store->head("x/y"), Code::kNotFound);
  EXPECT_EQ(store->get("x/y", 0, 1, {}), Code::kNotFound);
}

TEST_F(AnObjectStore, ReadsAnEmptyObject) {
  const ObjectServer server({});
  const auto store = open(server);
  EXPECT_EQ(store->put("empty", "", {}), Put::kDone);
  const auto range = store->get("empty", 0, 10, {});
  ASSERT_TRUE(range) << range.error().message();
  EXPECT_EQ(range->total, 0u);
  EXPECT_EQ(store->get_text("empty", 10)->text, "");
}

TEST_F(AnObjectStore, ListsOverPagesAndFolders) {
  const ObjectServer server({.page = 3});
  const auto store = open(server);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store->put("many/" + std::to_string(i), std::string(i, 'x'), {}));
    ASSERT_TRUE(store->put("many/folder" + std::to_string(i) + "/x", "", {}));
  }
  const auto flat = store->list("many/", /*folders=*/false);
  ASSERT_TRUE(flat) << flat.error().message();
  EXPECT_EQ(flat->objects.size(), 20u);
  EXPECT_EQ(flat->objects[3].key, "many/3");
  EXPECT_EQ(flat->objects[3].bytes, 3u);
  EXPECT_NE(flat->now, 0);
  const auto tree = store->list("many/", /*folders=*/true);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->objects.size(), 10u);
  ASSERT_EQ(tree->folders.size(), 10u);
  EXPECT_EQ(tree->folders[9], "folder9");
  EXPECT_TRUE(store->list("none/", true)->objects.empty());
}

TEST_F(AnObjectStore, WritesOnCondition) {
  const ObjectServer server({});
  const auto store = open(server);
  EXPECT_EQ(store->put("x", "one", {.absent = true}), Put::kDone);
  EXPECT_EQ(store->put("x", "two", {.absent = true}), Put::kRefused);
  const std::string etag = store->get_text("x", 10)->etag;
  EXPECT_EQ(store->put("x", "two", {.etag = etag}), Put::kDone);
  EXPECT_EQ(store->put("x", "three", {.etag = etag}), Put::kRefused);
  EXPECT_EQ(store->put("y", "three", {.etag = etag}), Put::kRefused);
  EXPECT_EQ(store->get_text("x", 10)->text, "two");
  EXPECT_EQ(count(*store, Kind::kPut, Outcome::kRefused), 2u);
}

TEST_F(AnObjectStore, SaysWhereConditionsAreNotKnown) {
  const ObjectServer server({.says_no = true});
  EXPECT_EQ(open(server)->put("x", "one", {.absent = true}), Put::kNoConditions);
  EXPECT_TRUE(server.objects().empty());
}

TEST_F(AnObjectStore, KnowsItsOwnWriteAgain) {
  ObjectServer server({});
  const auto store = open(server);
  // Carried out, but the answer was lost; the second attempt finds the condition broken, by its own first.
  server.set_faults(first(1, Fault::kLostAfter));
  EXPECT_EQ(store->put("x", "mine", {.absent = true}), Put::kDone);
  EXPECT_EQ(store->counts().retries, 1u);
  // Another writer came between.
  server.set_faults(first(1, Fault::kLostBefore));
  EXPECT_EQ(store->put("x", "other", {.absent = true}), Put::kRefused);
  EXPECT_EQ(server.objects().at("a/b/x").bytes, "mine");
}

TEST_F(AnObjectStore, TriesAgainWhereThatMayHelp) {
  for (const Fault fault : {Fault::kError500, Fault::kSlowDown503, Fault::kLostBefore, Fault::kTruncated,
                            Fault::kSilent, Fault::kDrip, Fault::kGarbage}) {
    ObjectServer server({});
    server.put("a/b/x", some_bytes(100'000));
    server.set_faults(first(2, fault));
    const auto store = open(server);
    const auto range = store->get("x", 0, 100'000, {});
    ASSERT_TRUE(range) << static_cast<int>(fault) << ": " << range.error().message();
    EXPECT_TRUE(as_text(range->bytes) == some_bytes(100'000));
    EXPECT_EQ(store->counts().retries, 2u);
  }
}

TEST_F(AnObjectStore, AsksOnlyForTheRestOfABrokenAnswer) {
  ObjectServer server({}, first(3, Fault::kTruncated));
  server.put("a/b/x", some_bytes(800'000));
  const auto store = open(server);
  const auto range = store->get("x", 0, 800'000, {});
  ASSERT_TRUE(range) << range.error().message();
  EXPECT_TRUE(as_text(range->bytes) == some_bytes(800'000));
  EXPECT_EQ(store->counts().bytes_received, 800'000u);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[3].headers.at("range"), "bytes=700000-799999");
  EXPECT_EQ(requests[3].headers.at("if-match"), range->etag);
}

TEST_F(AnObjectStore, GivesUpWithinItsBounds) {
  ObjectServer server({}, [](const SeenRequest&) { return Fault::kError500; });
  access_.retries.attempts = 3;
  const auto by_attempts = open(server)->get_text("x", 10);
  ASSERT_EQ(by_attempts, Code::kUnavailable);
  EXPECT_NE(by_attempts.error().message().find("500 InternalError"), std::string::npos)
      << by_attempts.error().message();
  EXPECT_EQ(server.requests().size(), 3u);

  access_.retries.attempts = 1000;
  access_.retries.time = std::chrono::milliseconds(100);
  const auto by_time = open(server)->get_text("x", 10);
  ASSERT_EQ(by_time, Code::kUnavailable);
  EXPECT_NE(by_time.error().message().find("no time is left"), std::string::npos) << by_time.error().message();

  access_.retries.time = std::chrono::milliseconds(20'000);
  access_.retries.wasted_bytes = 1000;
  server.set_faults([](const SeenRequest&) { return Fault::kLostAfter; });
  const auto by_bytes = open(server)->put("x", std::string(600, 'x'), {});
  ASSERT_EQ(by_bytes, Code::kUnavailable);
  EXPECT_NE(by_bytes.error().message().find("in vain"), std::string::npos) << by_bytes.error().message();
}

TEST_F(AnObjectStore, GivesUpWhereNothingAnswers) {
  access_.retries.attempts = 2;
  access_.endpoint = "http://127.0.0.1:1";
  EXPECT_EQ((*ObjectStore::open("s3://bucket", access_))->get_text("x", 10), Code::kUnavailable);
  access_.endpoint = "http://192.0.2.1:9";  // for documentation: nobody answers
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ((*ObjectStore::open("s3://bucket", access_))->get_text("x", 10), Code::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST_F(AnObjectStore, ThatNeverAnsweredIsGivenUpSoonAndThenAskedOnce) {
  ObjectServer server({}, [](const SeenRequest&) { return Fault::kSilent; });
  access_.retries.first_answer_s = 2;
  const auto store = open(server);
  const auto begun = std::chrono::steady_clock::now();
  const auto got = store->get_text("x", 10);
  ASSERT_EQ(got, Code::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(6));  // 2 s, and a window of 1 s
  for (const std::string& part :
       {server.url() + " has not answered", std::string("GET of s3://bucket/a/b/x"), std::string("attempts in ")})
    EXPECT_NE(got.error().message().find(part), std::string::npos) << got.error().message();
  EXPECT_FALSE(store->has_answered());
  const auto asked = server.requests().size();
  EXPECT_EQ(store->get_text("x", 10), Code::kUnavailable);
  EXPECT_EQ(server.requests().size(), asked + 1);
}

TEST_F(AnObjectStore, ThatHasAnsweredIsWaitedFor) {
  ObjectServer server({}, [](const SeenRequest&) { return Fault::kError500; });
  access_.retries.first_answer_s = 1;
  access_.retries.attempts = 6;
  const auto store = open(server);
  EXPECT_EQ(store->get_text("x", 10), Code::kUnavailable);
  EXPECT_TRUE(store->has_answered());
  server.put("a/b/x", "well");
  server.set_faults(first(4, Fault::kSilent));  // 4 windows of 1 s
  const auto got = store->get_text("x", 10);
  ASSERT_TRUE(got) << got.error().message();
  // The first answer, an error, comes in the middle of an operation.
  server.set_faults([count = std::make_shared<std::atomic<int>>(0)](const SeenRequest&) {
    const int number = count->fetch_add(1);
    return number == 0 ? Fault::kError500 : number < 4 ? Fault::kSilent : Fault::kNone;
  });
  EXPECT_TRUE(open(server)->get_text("x", 10));
}

TEST_F(AnObjectStore, StopsWhenItIsTold) {
  ObjectServer server({}, [](const SeenRequest&) { return Fault::kSilent; });
  access_.min_bytes_per_second = 0;
  std::atomic<int> asked = 0;
  EXPECT_EQ(open(server)->get_text("x", 10, [&] { return ++asked > 1; }), Code::kUnavailable);
}

TEST_F(AnObjectStore, IsRefusedWithoutTheRightKeysAndDoesNotTellThem) {
  const ObjectServer server({.credentials = {"test-key-id", "another-secret", ""}});
  const auto refused = open(server)->get_text("x", 10);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("403 SignatureDoesNotMatch"), std::string::npos);
  EXPECT_EQ(refused.error().message().find("test-secret"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(AnObjectStore, SendsASessionToken) {
  const ObjectServer server({.credentials = {"test-key-id", "test-secret", "a-token"}});
  EXPECT_EQ(open(server)->get_text("x", 10), Code::kInvalid);
  std::ofstream(folder_ / "credentials", std::ios::app) << "aws_session_token = a-token\n";
  EXPECT_EQ(open(server)->get_text("x", 10), Code::kNotFound);
}

TEST_F(AnObjectStore, TakesNothingWrong) {
  ObjectServer server({});
  server.put("a/b/x", some_bytes(10'000));
  const auto store = open(server);
  server.set_faults([](const SeenRequest&) { return Fault::kWrongRange; });
  EXPECT_EQ(store->get("x", 0, 10'000, {}), Code::kCorrupt);
  server.set_faults({});
  EXPECT_EQ(store->get("x", 0, 100, "\"another version\""), Code::kCorrupt);
  ObjectServer whole({.ranges = false});
  whole.put("a/b/x", some_bytes(10'000));
  const auto other = open(whole);
  EXPECT_EQ(other->get("x", 5'000, 100'000, {}), Code::kCorrupt);
  EXPECT_TRUE(other->get("x", 0, 100'000, {}));
}

}  // namespace
}  // namespace frond::objects
