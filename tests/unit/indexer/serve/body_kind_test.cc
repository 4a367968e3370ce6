// Which bodies are read as lines of JSON, and what others are told.
#include "indexer/serve/routes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace frond::indexer::serve {
namespace {

const std::string kLine = R"({"id":"1"})";

int status(std::string type, std::string body = kLine) {
  const auto refused = other_than_lines({.method = "POST", .body = std::move(body), .content_type = std::move(type)});
  return refused ? refused->status : 200;
}

TEST(LinesOfJson, AreTakenUnderTheirNamesAndUnderNone) {
  for (const char* type : {"", "application/x-ndjson", "Application/X-NDJSON", "application/x-ndjson; charset=utf-8",
                           "application/x-ndjson;charset=\"UTF-8\"", "application/ndjson", "application/jsonl",
                           "application/x-jsonlines"}) {
    EXPECT_EQ(status(type), 200) << type;
    EXPECT_EQ(status(type, ""), 200) << type;
    EXPECT_EQ(status(type, "broken\n" + kLine), 200) << type << ": each line has a status of its own";
  }
}
TEST(LinesOfJson, AreTakenWhereClientsSayNothingOfTheirOwn) {
  for (const char* type :
       {"application/x-www-form-urlencoded", "text/plain;charset=UTF-8", "application/octet-stream"}) {
    EXPECT_EQ(status(type), 200) << type;
    EXPECT_EQ(status(type, "\r\n " + kLine + "\n" + kLine), 200) << type;
    EXPECT_EQ(status(type, "\xef\xbb\xbf" + kLine), 200) << type;
    for (const char* other : {"id=1&body=word", "word", "<doc/>", "[{}]", "\x1f\x8b\x08"})
      EXPECT_EQ(status(type, other), 415) << type << ": " << other;
  }
}
TEST(LinesOfJson, AreNothingElse) {
  for (const char* type : {"application/json", "application/json; charset=utf-8", "multipart/form-data; boundary=x",
                           "application/gzip", "text/csv", "text/html", "application/xml", "nonsense", ";", "a/b"})
    EXPECT_EQ(status(type), std::string(type) == ";" ? 200 : 415) << type;
  EXPECT_EQ(status("application/x-ndjson; charset=iso-8859-1"), 415);
  for (const char* body : {"\x1f\x8b\x08\x01", "\x28\xb5\x2f\xfd....", "BZh91", "PK\x03\x04"})
    EXPECT_EQ(status("", body), 415);
}
TEST(LinesOfJson, AreNoArray) {
  EXPECT_EQ(status("", "[" + kLine + "]"), 400);
  EXPECT_EQ(status("application/x-ndjson", " [\n" + kLine + "\n]\n"), 400);
  EXPECT_EQ(status("", "[]\n" + kLine), 200) << "a bad line";
}
TEST(LinesOfJson, AreAskedFor) {
  const auto refused = other_than_lines({.method = "POST", .body = "{}", .content_type = "application/json"});
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->body.find("application/json"), std::string::npos);
  EXPECT_NE(refused->body.find("application/x-ndjson"), std::string::npos);
  EXPECT_EQ(refused->headers.at(0), (std::pair<std::string, std::string>("Accept-Post", "application/x-ndjson")));
}

}  // namespace
}  // namespace frond::indexer::serve
