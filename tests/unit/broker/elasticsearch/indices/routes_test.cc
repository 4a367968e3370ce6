// What all routes have in common, and that each says which scope it needs.
#include "broker/elasticsearch/routes.h"

#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <string>

#include "common/elasticsearch/json_body.h"
#include "tests/support/captured_response.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using support::CapturedResponse;

class TheElasticsearchRoutes : public testing::Test {
 protected:
  TheElasticsearchRoutes() {
    Indices indices;
    indices["books"] = derived_index("books", R"({"fields":{"title":{"type":"text"},"year":{"type":"integer"}}})");
    catalogue_.set(std::move(indices));
    const auto none = std::make_shared<const http::SearchedCollections>();
    add_routes(router_, "/es", {.catalogue = catalogue_, .collections = none});
    add_routes(router_, "", {.catalogue = catalogue_, .collections = none});
  }
  frond::http::Response ask(const std::string& method, const std::string& target, std::string body = {},
                            std::vector<std::pair<std::string, std::string>> headers = {}) {
    const auto captured = CapturedResponse::make();
    const auto question = target.find('?');
    frond::http::Request request{.method = method, .target = target, .path = target.substr(0, question)};
    if (question != std::string::npos) request.query = target.substr(question + 1);
    request.body = std::move(body);
    request.content_type = "application/json";
    for (const auto& [name, value] : headers)
      if (name == "content-type") request.content_type = value;
    request.headers = std::move(headers);
    router_(std::move(request), CapturedResponse::responder(captured));
    return captured->got.value_or(frond::http::Response{.status = 0});
  }
  static std::string header(const frond::http::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return "";
  }
  Catalogue catalogue_;
  frond::http::Router router_;
};

TEST_F(TheElasticsearchRoutes, AreOnBothPortsWithTheProductsHeader) {
  for (const char* path : {"/", "/es/"}) {
    const auto response = ask("GET", path);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(Json::parse(response.body)["version"]["number"], std::string(kVersion));
    EXPECT_EQ(header(response, "X-Elastic-Product"), "Elasticsearch");
  }
  EXPECT_EQ(ask("GET", "/es/books/_mapping").body, ask("GET", "/books/_mapping").body);
}
TEST_F(TheElasticsearchRoutes, ShowAnIndexThatWasBuiltByItsSchema) {
  const Json shown = Json::parse(ask("GET", "/books").body)["books"];
  EXPECT_EQ(shown["mappings"]["properties"], Json({{"title", {{"type", "text"}}}, {"year", {{"type", "long"}}}}));
  EXPECT_EQ(ask("GET", "/nosuch").status, 404);
  EXPECT_EQ(ask("HEAD", "/books").status, 200);
}
TEST_F(TheElasticsearchRoutes, AnswerInTheMediaTypeThatIsAskedFor) {
  EXPECT_EQ(ask("GET", "/").content_type, "application/json; charset=UTF-8");
  const std::string eight = "application/vnd.elasticsearch+json;compatible-with=8";
  EXPECT_EQ(ask("GET", "/", "", {{"accept", eight}}).content_type, eight);
  EXPECT_EQ(ask("PUT", "/books/_doc/1", "{}", {{"content-type", eight}}).status, 400)
      << "taken, but there is no service";
  for (const char* wrong : {"text/plain", "", "application/vnd.elasticsearch+json;compatible-with=6"})
    EXPECT_EQ(ask("PUT", "/books/_doc/1", "{}", {{"content-type", wrong}}).status, 406) << wrong;
}
TEST_F(TheElasticsearchRoutes, AnswerInYaml) {
  for (const auto& [target, accept, begins] :
       {std::tuple("/?format=yaml", "", "---\ncluster_name: \"frond\"\n"),
        std::tuple("/", "application/yaml", "---\ncluster_name:"),
        std::tuple("/nosuch?format=yaml", "", "---\nerror:\n"), std::tuple("/_cat/aliases?format=yaml", "", "--- []\n"),
        std::tuple("/_cat/aliases", "application/yaml", "--- []\n")}) {
    const auto response = ask("GET", target, "", {{"accept", accept}});
    EXPECT_EQ(response.content_type, "application/yaml") << target;
    EXPECT_TRUE(response.body.starts_with(begins)) << response.body;
  }
  EXPECT_EQ(Json::parse(ask("GET", "/?format=cbor").body)["error"]["reason"], "[format] cbor is not supported");
  EXPECT_EQ(ask("GET", "/", "", {{"accept", "application/smile"}}).status, 400);
  EXPECT_EQ(ask("GET", "/_cat/aliases", "", {{"accept", "application/json"}}).body, "[]");
  EXPECT_EQ(ask("GET", "/_cat/aliases", "", {{"accept", "application/json, text/plain"}}).body, "");
  EXPECT_EQ(ask("GET", "/?format=json").content_type, "application/json; charset=UTF-8");
}
TEST_F(TheElasticsearchRoutes, RefuseInElasticsearchsShape) {
  for (const auto& [method, target, status] :
       {std::tuple("GET", "/?nosuch=1", 400), std::tuple("DELETE", "/books/_bulk", 405),
        std::tuple("GET", "/a/b/c/d/e", 400), std::tuple("PUT", "/books/_doc/1", 400)}) {
    const auto response = ask(method, target, method == std::string_view("PUT") ? "{}" : "");
    EXPECT_EQ(response.status, status) << target;
    EXPECT_EQ(Json::parse(response.body)["status"], status) << target;
    EXPECT_EQ(header(response, "X-Elastic-Product"), "Elasticsearch") << target;
  }
  EXPECT_NE(header(ask("DELETE", "/books/_bulk"), "Allow").find("POST"), std::string::npos);
}
TEST_F(TheElasticsearchRoutes, NeedAScope) {
  const auto access = [&](const char* method, const char* path) {
    return router_.route({.method = method, .path = path}).limits.access;
  };
  for (const auto table : {cluster_routes(), index_routes(), alias_routes(), write_routes()})
    for (const Route& route : table) EXPECT_NE(route.access, Access::kOpen) << route.methods << " " << route.path;
  EXPECT_EQ(access("POST", "/_bulk"), Access::kWrite);
  EXPECT_EQ(access("PUT", "/es/books"), Access::kAdmin);
  EXPECT_EQ(access("GET", "/books/_doc/1"), Access::kSearch);
  EXPECT_EQ(access("POST", "/_aliases"), Access::kAdmin);
}

TEST_F(TheElasticsearchRoutes, TakeCompressedBodiesWhereTheyTakeBodies) {
  int taking = 0;
  for (const auto table : {cluster_routes(), index_routes(), alias_routes(), write_routes(), search_routes()})
    for (const Route& route : table) {
      if (route.max_body == 0) continue;
      const std::string one(split_list(route.methods).front());
      const std::string path = std::regex_replace(std::string(route.path), std::regex("\\[[^\\]]*\\]"), "");
      ++taking;
      for (const auto& [coding, status] : {std::pair("gzip", 200), {"deflate", 200}, {"zstd", 200}, {"br", 415}}) {
        const auto routing = router_.route({.method = one,
                                            .path = std::regex_replace(path, std::regex("\\{[a-z]+\\}"), "c"),
                                            .headers = {{"content-encoding", coding}}});
        EXPECT_EQ(routing.answer ? routing.answer->status : 200, status) << one << " " << path;
      }
    }
  EXPECT_GE(taking, 15);
}
TEST_F(TheElasticsearchRoutes, AreThereWithEachMethodWithWhatIsOptionalAndWithout) {
  for (const char* const method : {"GET", "POST"})
    for (const char* const path : {"/_search", "/books/_search", "/es/_count", "/es/books/_count"})
      EXPECT_FALSE(router_.route({.method = method, .path = path}).answer) << method << " " << path;
  for (const char* const path : {"/_alias", "/_alias/a", "/books/_alias", "/books/_alias/a", "/_stats", "/_stats/docs",
                                 "/books/_stats", "/books/_stats/docs", "/_nodes/http", "/_cat/aliases/a"})
    EXPECT_FALSE(router_.route({.method = "GET", .path = path}).answer) << path;
  EXPECT_TRUE(router_.route({.method = "POST", .path = "/_alias"}).answer);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
