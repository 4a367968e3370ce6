// Large objects: read in ranges, written in parts.
#include "tests/unit/common/objects/store_fixture.h"

namespace frond::objects {
namespace {

constexpr std::size_t kLarge = 3 * kMinPartBytes + 12'345;

class ALargeObject : public StoreFixture {
 protected:
  ALargeObject() : content_(some_bytes(kLarge)), file_(folder_ / "large") {
    std::ofstream(file_, std::ios::binary) << content_;
  }
  Result<std::string> stream(const ObjectStore& store, std::uint64_t from = 0, const std::string& etag = {}) {
    std::string got;
    std::uint64_t begins = 0;
    FROND_TRY(store.stream(
        "x", from, etag, kLarge,
        [&](const ObjectRange& range) -> Result<void> {
          ++begins;
          EXPECT_EQ(range.total, kLarge);
          EXPECT_EQ(range.from, from);
          return {};
        },
        [&](ByteView piece) -> Result<void> {
          got += as_text(piece);
          return {};
        }));
    EXPECT_EQ(begins, 1u);
    return got;
  }
  const std::string content_;
  const std::filesystem::path file_;
};

TEST_F(ALargeObject, IsWrittenInPartsAndReadInRanges) {
  const ObjectServer server({});
  const auto store = open(server);
  const auto done = store->put_file("x", file_);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(server.refused(), "");
  EXPECT_EQ(server.uploads(), 0u);
  EXPECT_TRUE(server.objects().at("a/b/x").bytes == content_);
  EXPECT_EQ(count(*store, Kind::kPart, Outcome::kOk), 4u);
  EXPECT_TRUE(stream(*store) == content_);
  EXPECT_EQ(count(*store, Kind::kGet, Outcome::kOk), 4u);
  EXPECT_TRUE(stream(*store, 1'000'000) == content_.substr(1'000'000));
}

TEST_F(ALargeObject, ArrivesWholeThroughFaults) {
  std::atomic<unsigned> seen = 0;
  ObjectServer server({}, [&](const SeenRequest&) {
    constexpr Fault kSome[] = {Fault::kError500,  Fault::kNone,        Fault::kTruncated, Fault::kNone,
                               Fault::kLostAfter, Fault::kSlowDown503, Fault::kNone,      Fault::kLostBefore};
    return kSome[seen++ % std::size(kSome)];
  });
  const auto store = open(server);
  for (int round = 0; round < 4; ++round) {
    const auto done = store->put_file("x", file_);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_TRUE(server.objects().at("a/b/x").bytes == content_);
    const auto got = stream(*store);
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_TRUE(*got == content_);
  }
  EXPECT_GT(store->counts().retries, 10u);
}

TEST_F(ALargeObject, IsNotThereWhereItsUploadFails) {
  ObjectServer server({}, [](const SeenRequest& request) {
    return request.is("PUT", "partNumber=3") ? Fault::kLostBefore : Fault::kNone;
  });
  access_.retries.attempts = 3;
  const auto store = open(server);
  EXPECT_EQ(store->put_file("x", file_), Code::kUnavailable);
  EXPECT_TRUE(server.objects().empty());
  EXPECT_EQ(server.uploads(), 0u);
}

TEST_F(ALargeObject, IsCompleteWhereOnlyTheAnswerToThatWasLost) {
  ObjectServer server(
      {}, first(1, Fault::kLostAfter, [](const SeenRequest& request) { return request.is("POST", "uploadId="); }));
  const auto lost = open(server)->put_file("x", file_);
  ASSERT_TRUE(lost) << lost.error().message();
  server.set_faults(
      first(2, Fault::kErrorIn200, [](const SeenRequest& request) { return request.is("POST", "uploadId="); }));
  const auto late = open(server)->put_file("x", file_);
  ASSERT_TRUE(late) << late.error().message();
  EXPECT_TRUE(server.objects().at("a/b/x").bytes == content_);
}

TEST_F(ALargeObject, IsNotMixedOfTwoVersions) {
  ObjectServer server({});
  server.put("a/b/x", content_);
  const auto store = open(server);
  std::atomic<int> gets = 0;
  server.set_faults([&](const SeenRequest& request) {
    if (request.method == "GET" && ++gets == 2) server.put("a/b/x", std::string(kLarge, 'z'));
    return Fault::kNone;
  });
  EXPECT_EQ(stream(*store), Code::kCorrupt);
}

TEST_F(ALargeObject, EndsWithItsSink) {
  ObjectServer server({});
  server.put("a/b/x", content_);
  const auto store = open(server);
  int pieces = 0;
  const auto done = store->stream(
      "x", 0, {}, kLarge, [](const ObjectRange&) { return Result<void>(); },
      [&](ByteView) { return ++pieces < 2 ? Result<void>() : Result<void>(Error(Code::kUnavailable, "disk full")); });
  EXPECT_EQ(done, Code::kUnavailable);
  EXPECT_EQ(pieces, 2);
  EXPECT_EQ(store->stream(
                "x", 0, {}, kLarge - 1, [](const ObjectRange&) { return Result<void>(); },
                [](ByteView) { return Result<void>(); }),
            Code::kCorrupt);
}

}  // namespace
}  // namespace frond::objects
