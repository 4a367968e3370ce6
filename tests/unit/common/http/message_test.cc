#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/http/server/server.h"
#include "tests/support/captured_response.h"

namespace frond::http {
namespace {
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(QueryString, GivesDecodedPairsInOrder) {
  EXPECT_EQ(parse_query("q=a+b%20c&k=10&q=%C3%A9"), (Pairs{{"q", "a b c"}, {"k", "10"}, {"q", "é"}}));
}
TEST(QueryString, TakesEmptyPartsAsTheyAre) {
  EXPECT_EQ(parse_query(""), Pairs{});
  EXPECT_EQ(parse_query("&&explain&x=&=y&a=b=c"), (Pairs{{"explain", ""}, {"x", ""}, {"", "y"}, {"a", "b=c"}}));
}
TEST(QueryString, RefusesBrokenEscapes) {
  for (const char* query : {"q=%", "q=%2", "q=%zz", "q=%4", "%g0=1", "q=a%0"})
    EXPECT_EQ(parse_query(query), Code::kInvalid) << query;
}
TEST(QueryString, NamesTheParameterWithTheBrokenEscape) {
  EXPECT_NE(parse_query("k=1&q=%zz").error().message().find("parameter 'q'"), std::string::npos);
}

TEST(Problem, IsADocumentThatNamesTheParameter) {
  const Response response = problem(400, "Bad request", "k is 1 to 1000.", "k");
  EXPECT_EQ(response.content_type, "application/problem+json");
  const auto body = nlohmann::json::parse(response.body);
  EXPECT_EQ(body["status"], 400);
  EXPECT_EQ(body["parameter"], "k");
}
TEST(Problem, IsValidJsonWhateverItQuotes) {
  EXPECT_TRUE(nlohmann::json::accept(problem(400, "x", "\xff\xfe\"\n").body));
}

TEST(Responder, TellsWhenItIsDroppedUnanswered) {
  const auto captured = support::CapturedResponse::make();
  { auto responder = support::CapturedResponse::responder(captured); }
  EXPECT_TRUE(captured->abandoned);
}
TEST(Responder, SendsOnce) {
  const auto captured = support::CapturedResponse::make();
  auto responder = support::CapturedResponse::responder(captured);
  responder.send({.status = 201});
  responder.send({.status = 500});
  EXPECT_EQ(captured->got->status, 201);
  EXPECT_FALSE(captured->abandoned);
}

TEST(PathValue, IsTheSegmentThatANameStandsFor) {
  constexpr std::string_view kOne = "/v1/collections/{collection}/search", kTwo = "/c/{collection}/documents/{id}";
  EXPECT_EQ(raw_path_value("/v1/collections/books/search", kOne), "books");
  EXPECT_EQ(raw_path_value("/c/books/documents/a%2Fb", kTwo), "books");
  EXPECT_EQ(raw_path_value("/c/books/documents/a%2Fb", kTwo, 1), "a%2Fb");
  EXPECT_EQ(*path_value("/c/books/documents/a%2Fb+c", kTwo, 1), "a/b+c");
  EXPECT_EQ(path_value("/c/books/documents/a%2", kTwo, 1), Code::kInvalid);
  for (const char* other : {"/v1/collections//search", "/v1/collections/a/b/search", "/v1/collections/books/searches",
                            "/v1/collections/books", "/v1/collections/books/search/", "", "/"})
    EXPECT_EQ(raw_path_value(other, kOne), "") << other;
  for (const char* other : {"/c/books/documents/", "/c/books/documents", "/c//documents/x", "/c/books/documents/x/y"})
    EXPECT_EQ(raw_path_value(other, kTwo, 1), "") << other;
}

}  // namespace
}  // namespace frond::http
