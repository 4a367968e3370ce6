#include "common/http/server/router.h"

#include <gtest/gtest.h>

#include "tests/support/captured_response.h"

namespace frond::http {
namespace {
Handler says(const std::string& body) {
  return [body](Request&&, Responder responder) { responder.send({.body = body}); };
}
class ARouter : public testing::Test {
 protected:
  ARouter() {
    router.add("GET", "/a", says("get a"));
    router.add("POST", "/a", says("post a"));
  }
  Response ask(std::string method, std::string path) {
    const auto captured = support::CapturedResponse::make();
    router({.method = std::move(method), .path = std::move(path)}, support::CapturedResponse::responder(captured));
    route = captured->route;
    return captured->got.value_or(Response{.status = 0});
  }
  Router router;
  std::string route;
};
TEST_F(ARouter, ChoosesByMethodAndPath) {
  EXPECT_EQ(ask("GET", "/a").body, "get a");
  EXPECT_EQ(ask("POST", "/a").body, "post a");
  EXPECT_EQ(ask("HEAD", "/a").body, "get a");
  EXPECT_EQ(route, "/a");
}
TEST_F(ARouter, TakesAnySegmentForANameInBraces) {
  router.add("GET", "/c/{name}/x", says("x of one"));
  router.add("POST", "/c/{name}/x", says("post x of one"));
  router.add("GET", "/c/fixed/x", says("x of fixed"));
  EXPECT_EQ(ask("GET", "/c/any/x").body, "x of one");
  EXPECT_EQ(route, "/c/{name}/x");
  EXPECT_EQ(ask("POST", "/c/a%2Fb/x").body, "post x of one");
  EXPECT_EQ(ask("GET", "/c/fixed/x").body, "x of fixed");
  EXPECT_EQ(ask("DELETE", "/c/any/x").headers.at(0).second, "GET, HEAD, POST, OPTIONS");
  for (const char* path : {"/c//x", "/c/x", "/c/a/b/x", "/c/a/xx", "/c/a/", "/d/a/x", "/c/a/x/"})
    EXPECT_EQ(ask("GET", path).status, 404) << path;
}
TEST_F(ARouter, AnswersUnknownPathsWith404) {
  for (const char* path : {"/b", "/a/", "/a/b", "/", ""}) EXPECT_EQ(ask("GET", path).status, 404) << path;
}
TEST_F(ARouter, AnswersOtherMethodsWith405AndAllow) {
  const Response response = ask("DELETE", "/a");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.at(0).second, "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(ask("OPTIONS", "/a").status, 204);
}
TEST_F(ARouter, DecidesByTheHeaderAlone) {
  router.add("POST", "/body", says("body"), {.max_body = 10});
  EXPECT_EQ(router.route({.method = "POST", .path = "/body"}).limits.max_body, 10u);
  EXPECT_EQ(router.route({.method = "POST", .path = "/a"}).limits.max_body, 0u) << "nothing was said of a body";
  EXPECT_EQ(router.route({.method = "POST", .path = "/b"}).handler, nullptr);
  EXPECT_EQ(router.route({.method = "PUT", .path = "/body"}).label, "/body") << "a 405 counts for its route";
  const auto large = support::CapturedResponse::make();
  router({.method = "POST", .path = "/body", .body = "more than ten"}, support::CapturedResponse::responder(large));
  EXPECT_EQ(large->got->status, 413);
}
TEST_F(ARouter, RefusesABodyWhoseCodingIsNotDecodedByTheHeaderAlone) {
  router.add("POST", "/body", says("body"), {.max_body = 10});
  const auto encoded = [](const char* path, const char* coding) {
    return Request{.method = "POST", .path = path, .headers = {{"content-encoding", coding}}};
  };
  for (const char* coding : {"br", "identity, gzip", "gzip, gzip", "compress", "identit", "gzipp"}) {
    const Routing routing = router.route(encoded("/body", coding));
    ASSERT_TRUE(routing.answer) << coding;
    EXPECT_EQ(routing.answer->status, 415);
    EXPECT_EQ(routing.label, "/body");
    EXPECT_EQ(routing.answer->headers.at(0).second, "gzip, deflate, zstd");
    EXPECT_NE(routing.answer->body.find(coding), std::string::npos);
  }
  for (const char* coding : {"", "identity", "Identity", "gzip", "GZIP", "x-gzip", "deflate", "zstd"})
    EXPECT_NE(router.route(encoded("/body", coding)).handler, nullptr) << coding;
  EXPECT_NE(router.route(encoded("/a", "br")).handler, nullptr) << "no body is taken there";
}
TEST_F(ARouter, GivesRefusalsBelowAPathTheirForm) {
  router.add("POST", "/x/body", says("body"), {.max_body = 3});
  router.shape_refusals("/x", [](Response refusal) {
    refusal.body = "shaped";
    return refusal;
  });
  for (const char* path : {"/x", "/x/nosuch", "/x/body"})
    EXPECT_EQ(router.route({.method = "GET", .path = path}).answer->body, "shaped") << path;
  for (const char* path : {"/xy", "/nosuch"})
    EXPECT_NE(router.route({.method = "GET", .path = path}).answer->body, "shaped") << path;
  EXPECT_EQ(router.route({.method = "POST", .path = "/x/body", .headers = {{"content-encoding", "br"}}}).answer->body,
            "shaped");
}
TEST(ARouterOfEverything, TakesAnyMethodAndPath) {
  Router router = Router::everything(says("all"), {.max_body = 1});
  EXPECT_NE(router.route({.method = "BREW", .path = "/pot"}).handler, nullptr);
  EXPECT_NE(router.route({.method = "OPTIONS", .path = "*"}).handler, nullptr);
  router.add("GET", "/own", says("own"));
  EXPECT_EQ(router.route({.method = "GET", .path = "/own"}).label, "/own") << "a route of its own comes first";
  EXPECT_EQ(router.route({.method = "PUT", .path = "/own"}).handler, nullptr) << "… and has its own methods";
}
TEST(ARouterOfEverything, MayHaveOneMethod) {
  const Router router = Router::everything(says("all"), {}, "GET");
  EXPECT_NE(router.route({.method = "GET", .path = "/pot"}).handler, nullptr);
  EXPECT_NE(router.route({.method = "HEAD", .path = "/pot"}).handler, nullptr);
  const Routing other = router.route({.method = "POST", .path = "/pot"});
  EXPECT_EQ(other.handler, nullptr) << "answered before a body is read, which would be too large";
  ASSERT_TRUE(other.answer);
  EXPECT_EQ(other.answer->status, 405);
  EXPECT_EQ(other.answer->headers.at(0).second, "GET, HEAD, OPTIONS");
}
}  // namespace
}  // namespace frond::http
