// What requests of the Elasticsearch API may name, send and change; the indexer's service is a script.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "broker/elasticsearch/documents/bulk.h"
#include "broker/elasticsearch/documents/partial_document.h"
#include "broker/elasticsearch/indices/aliases.h"
#include "broker/elasticsearch/indices/catalogue_follower.h"
#include "broker/elasticsearch/routes.h"
#include "broker/http/monitoring/broker_metrics.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "tests/support/captured_response.h"
#include "tests/support/scripted_http.h"

namespace frond::broker::elasticsearch {
namespace {
using support::CapturedResponse;
using support::ScriptedHttp;

Index index_named(const std::string& name, Json aliases = Json::object(), bool derived = false) {
  return {.name = name,
          .uuid = "u" + name,
          .mapping = Json::object(),
          .settings = Json::object(),
          .aliases = std::move(aliases),
          .derived = derived,
          .version = "v"};
}

class AnElasticsearchRequest : public testing::Test {
 protected:
  AnElasticsearchRequest() {
    Indices indices;
    indices.emplace("i", index_named("i", {{"x", Json::object()}}));
    indices.emplace("es", index_named("es", {{"x", Json::object()}, {"y", Json::object()}}));
    indices.emplace("old", index_named("old", Json::object(), /*derived=*/true));
    catalogue_.set(std::move(indices));
  }

  struct Said {
    std::string method, path, body = {}, origin = {}, query = {};
  };
  frond::http::Response answer(const Said& said, std::string_view prefix = "", bool own_key = true) {
    const ScriptedHttp service([&](const ScriptedHttp::Talk& talk) {
      const std::scoped_lock lock(mutex_);
      asked_ += talk.request;
      talk.send("HTTP/1.1 403 No\r\nContent-Type: application/problem+json\r\nContent-Length: 2\r\n\r\n{}");
    });
    const auto forwarder = *http::ChangeForwarder::create(service.url(), "broker", 64 << 20, registry_);
    frond::http::Router router;
    add_routes(router, prefix,
               {.catalogue = catalogue_,
                .collections = std::make_shared<http::SearchedCollections>(),
                .service = forwarder.get(),
                .own_key = own_key});
    auto captured = CapturedResponse::make();
    frond::http::Request request{.method = said.method,
                                 .target = said.path,
                                 .host = "localhost:9200",
                                 .path = said.path,
                                 .query = said.query,
                                 .body = said.body,
                                 .content_type = "application/json",
                                 .headers = {{"authorization", "Bearer client"}}};
    if (!said.origin.empty()) request.headers.emplace_back("origin", said.origin);
    router(std::move(request), CapturedResponse::responder(captured));
    while (registry_.gauge(http::families::kChangesInFlight).value() > 0) std::this_thread::yield();
    return captured->got.value_or(frond::http::Response{.status = 0});
  }
  int status(const Said& said) { return answer(said).status; }

  Catalogue catalogue_;
  metrics::Registry registry_{"test"};
  std::mutex mutex_;
  std::string asked_;  // of the service
};

TEST_F(AnElasticsearchRequest, RemovesNothingThatItDoesNotName) {
  for (const char* path : {"/,", "/%2C", "/%zz", "/*", "/_all", "/i*", "/i,*", "/x", "/i/_alias/%zz"})
    EXPECT_EQ(status({"DELETE", path}), 400) << path;
  EXPECT_EQ(status({"DELETE", "/old"}), 400);
  EXPECT_EQ(status({"DELETE", "/i,old"}), 400);
  for (const char* index : {",", "*", "_all"}) {
    const Json body = {{"actions", {{{"remove_index", {{"index", index}}}}}}};
    EXPECT_EQ(status({"POST", "/_aliases", dumped(body)}), 400) << index;
  }
  EXPECT_EQ(asked_, "");
}

TEST_F(AnElasticsearchRequest, MayNameAnIndexAsThePrefix) {
  const char* const one = R"({"es":{"aliases":{"x":{}}}})";
  EXPECT_EQ(answer({"GET", "/es/_alias/x"}).body, one);
  EXPECT_EQ(answer({"GET", "/es/es/_alias/x"}, "/es").body, one);
}

TEST_F(AnElasticsearchRequest, ComesFromPagesOfThisServerAlone) {
  EXPECT_EQ(status({"PUT", "/i/_alias/z", "", "http://evil.example"}), 403);
  EXPECT_EQ(status({"PUT", "/i/_alias/z", "", "null"}), 403);
  EXPECT_EQ(asked_, "");
  EXPECT_EQ(status({"GET", "/i/_alias", "", "http://evil.example"}), 200);
  EXPECT_NE(status({"PUT", "/i/_alias/z", "", "http://localhost:9200"}), 403);
  const std::string bulk = "source=%7B%7D";
  EXPECT_EQ(status({"POST", "/_bulk", "", "", bulk}), 400);
}

TEST_F(AnElasticsearchRequest, GoesOnWithItsOwnKeyWhereTheBrokerChecksNone) {
  EXPECT_EQ(answer({"PUT", "/i/_alias/z"}, "", /*own_key=*/false).status, 403);
  EXPECT_NE(asked_.find("Authorization: Bearer client\r\n"), asked_.npos);
  EXPECT_EQ(asked_.find("Bearer broker"), asked_.npos);
  asked_.clear();
  EXPECT_EQ(answer({"PUT", "/i/_alias/z"}).status, 500);  // the broker's own key is refused
  EXPECT_NE(asked_.find("Authorization: Bearer broker\r\n"), asked_.npos);
}

TEST_F(AnElasticsearchRequest, AddsAliasesThatCanBeReadAlone) {
  const Mapping mapping = *read_mapping(nullptr, {{"properties", {{"k", {{"type", "keyword"}}}}}});
  const auto add = [&](std::string_view name, const Json& about) {
    const auto alias = alias_of(about);
    Index index = index_named("i");
    return alias && add_alias(index, mapping, *catalogue_.now(), name, *alias);
  };
  EXPECT_TRUE(add("a", {{"filter", {{"term", {{"k", "v"}}}}}, {"is_write_index", "true"}}));
  for (const char* name : {"", "*", "a,b", "_all", "es"}) EXPECT_FALSE(add(name, Json::object())) << name;
  EXPECT_FALSE(add("a", 5));
  EXPECT_FALSE(add("a", {{"is_write_index", "yes"}}));
  EXPECT_FALSE(add("a", {{"filter", {{"nosuch", 1}}}}));
  EXPECT_EQ(*alias_of({{"routing", 1}}), Json({{"index_routing", "1"}, {"search_routing", "1"}}));
  Index full = index_named("i");
  for (std::size_t i = 0; i < kMaxAliases; ++i) full.aliases["a" + std::to_string(i)] = Json::object();
  EXPECT_FALSE(add_alias(full, mapping, {}, "one-more", Json::object()));
  EXPECT_TRUE(add_alias(full, mapping, {}, "a0", Json::object()));
}

TEST(ACatalogue, KeepsWhatItKnowsAndTellsOfIndicesThatWereMadeAgain) {
  std::mutex mutex;
  Json listed = Json::array({{{"collection", "b"}, {"metadata", "1"}}});
  std::string metadata = R"({"metadata":{"elasticsearch":{"uuid":"one","aliases":{"x":5,"y":{}}}}})";
  int status = 200;
  const ScriptedHttp service([&](const ScriptedHttp::Talk& talk) {
    const std::scoped_lock lock(mutex);
    const bool list = talk.request.starts_with("GET /v1/collections HTTP");
    const std::string body = list ? dumped({{"collections", listed}}) : metadata;
    talk.send("HTTP/1.1 " + std::to_string(list ? 200 : status) +
              " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  metrics::Registry registry("test");
  Logger log("test", LogLevel::kError);
  const auto forwarder = *http::ChangeForwarder::create(service.url(), "", 64 << 20, registry);
  Catalogue catalogue;
  std::vector<std::vector<std::string>> told;
  CatalogueFollower follower(*forwarder, catalogue,
                             {.only = {},
                              .most = 1,
                              .on_collections =
                                  [&](const auto& names) {
                                    const std::scoped_lock lock(mutex);
                                    told.push_back(names);
                                  }},
                             log);
  const auto look = [&](const std::function<void()>& change) {
    {
      const std::scoped_lock lock(mutex);
      change();
    }
    ASSERT_TRUE(follower.look());
  };
  look([] {});
  EXPECT_EQ(catalogue.now()->at("b").aliases, Json({{"y", Json::object()}}));
  look([&] { listed.push_back({{"collection", "a"}, {"metadata", "1"}}); });  // first by name, but new
  EXPECT_TRUE(catalogue.now()->contains("b"));
  EXPECT_EQ(follower.expect_place("c").error().status, 429);
  look([&] { listed[0]["metadata"] = "2", status = 503; });
  EXPECT_EQ(catalogue.now()->at("b").uuid, "one");
  look([&] {
    status = 200;
    metadata = R"({"metadata":{"elasticsearch":{"uuid":"two"}}})";
    told.clear();
  });
  EXPECT_EQ(catalogue.now()->at("b").uuid, "two");
  {
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(told, (std::vector<std::vector<std::string>>{{}, {"b"}}));
  }
  look([&] { metadata = R"({"metadata":{"elasticsearch":{"uuid":5}}})", listed[0]["metadata"] = "3"; });
  EXPECT_EQ(catalogue.now()->at("b").uuid, "");
}

TEST(ACatalogue, TakesAnIndexForEmptyOnlyWhileTheServiceSaysThatNothingIsPublished) {
  std::mutex mutex;
  int status = 200;
  std::string uuid = "one";
  Json one = {{"collection", "b"}, {"metadata", "1"}, {"generation", nullptr}};
  const ScriptedHttp service([&](const ScriptedHttp::Talk& talk) {
    const std::scoped_lock lock(mutex);
    const bool list = talk.request.starts_with("GET /v1/collections HTTP");
    const std::string body = list ? dumped({{"collections", Json::array({one})}})
                                  : R"({"metadata":{"elasticsearch":{"uuid":")" + uuid + R"("}}})";
    talk.send("HTTP/1.1 " + std::to_string(list ? status : 200) +
              " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  metrics::Registry registry("test");
  Logger log("test", LogLevel::kError);
  const auto forwarder = *http::ChangeForwarder::create(service.url(), "", 64 << 20, registry);
  Catalogue catalogue;
  using std::chrono::milliseconds;
  CatalogueFollower follower(*forwarder, catalogue, {.only = {}, .stays_empty = milliseconds(1500)}, log);
  const auto look = [&](const std::function<void()>& change) {
    {
      const std::scoped_lock lock(mutex);
      change();
    }
    return static_cast<bool>(follower.look());
  };
  const auto is_empty = [&] { return catalogue.now()->at("b").may_be_empty(); };
  ASSERT_TRUE(look([] {}));
  EXPECT_TRUE(is_empty());
  ASSERT_FALSE(look([&] { status = 503; }));
  EXPECT_TRUE(is_empty());
  std::this_thread::sleep_for(milliseconds(1700));
  EXPECT_FALSE(is_empty()) << "the service does not answer: documents may be published";
  ASSERT_TRUE(look([&] { status = 200; }));
  EXPECT_TRUE(is_empty());

  ASSERT_TRUE(look([&] { one["generation"] = 1; }));
  EXPECT_TRUE(is_empty()) << "leaves fetch it";
  const auto until = catalogue.now()->at("b").empty_until->load();
  ASSERT_TRUE(look([&] { one["metadata"] = "2"; }));
  EXPECT_EQ(catalogue.now()->at("b").empty_until->load(), until) << "another mapping is not another index";
  ASSERT_TRUE(look([&] { one["generation"] = nullptr; }));
  EXPECT_EQ(catalogue.now()->at("b").empty_until->load(), until) << "it had documents";
  ASSERT_TRUE(look([&] { one["metadata"] = "3", uuid = "two"; }));
  EXPECT_TRUE(is_empty()) << "it was made again";
  ASSERT_TRUE(look([&] { one["metadata"] = "4", uuid = "three", one.erase("generation"); }));
  EXPECT_FALSE(is_empty()) << "the service can't say";
}

TEST(ARefusal, OfWhatThisServerLacksIsABadRequestEverywhere) {
  const ApiError lacks = not_supported("[x]");
  EXPECT_EQ(response_of(lacks).status, 400);
  EXPECT_EQ(error_json(lacks)["status"], 400);
  EXPECT_EQ(DocumentResult{.error = lacks}.status(), 400);
  EXPECT_EQ(shown_status(rejected("later")), 429);
}

TEST(AnExpression, ForgetsWhatItExcludes) {
  Indices indices;
  indices.emplace("ab", index_named("ab", {{"f", {{"filter", {{"match_none", Json::object()}}}}}}));
  const auto meant = resolve(indices, "a*,-ab,f");
  ASSERT_TRUE(meant);
  ASSERT_EQ(meant->size(), 1u);
  EXPECT_EQ(meant->front().filters.size(), 1u);
}

TEST(ADocument, HasNamesAndNoPlacesOfLists) {
  const Mapping mapping = *read_mapping(nullptr, nullptr);
  for (const char* source : {R"({"a":{"4294967295":1}})", R"({"a":{"01":1}})", R"({"a":{"-":1}})"}) {
    const auto made = document_of(mapping, "1", source);
    ASSERT_TRUE(made) << source;
    EXPECT_TRUE(made->mapping->shown["properties"]["a"]["properties"].is_object());
  }
  for (const char* source : {R"({"a.":1})", R"({"a..b":1})", R"({".":1})", R"({"a":1,"a.b":2})", R"({"a.b":1,"a":2})"})
    EXPECT_EQ(document_of(mapping, "1", source).error().type, "mapper_parsing_exception") << source;
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_FALSE(document_of(mapping, "1", "{\"" + deep + "\":1}"));
}

TEST(ABody, IsNotReadBehindTheDepthThatItMayHave) {
  EXPECT_EQ(parse_json(std::string(16 << 20, '[')).error().type, "json_parse_exception");
  EXPECT_TRUE(parse_json(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(parse_json(std::string(101, '[') + std::string(101, ']')));
}

TEST(ABulkAction, HasConditionsThatCanBeRead) {
  const auto wrong = [](const std::string& members, const char* action = "index") {
    const auto items =
        parse_bulk(std::string("{\"") + action + "\":{\"_id\":\"1\"," + members + "}}\n{}\n", "i", false);
    return items && items->front().wrong;
  };
  EXPECT_FALSE(wrong(R"("if_seq_no":3,"if_primary_term":1)"));
  EXPECT_FALSE(wrong(R"("version":"3","version_type":"external_gt")"));
  for (const char* members :
       {R"("if_seq_no":"abc","if_primary_term":1)", R"("if_seq_no":3)", R"("if_primary_term":1)", R"("version":3)",
        R"("if_seq_no":9223372036854775808,"if_primary_term":1)", R"("version":"x","version_type":"external")",
        R"("version":3,"version_type":"force")", R"("version_type":"external")"})
    EXPECT_TRUE(wrong(members)) << members;
  EXPECT_TRUE(wrong(R"("version":3,"version_type":"external")", "update"));
}

TEST(AnUpdate, NeedsABody) {
  const std::string now = "{}";
  EXPECT_EQ(merged_source(&now, " ", "i", "1").error().status, 400);
  EXPECT_EQ(merged_source(nullptr, "", "i", "1").error().status, 400);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
