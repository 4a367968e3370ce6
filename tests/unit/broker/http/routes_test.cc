#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

#include "broker/web/assets.h"
#include "tests/unit/broker/http/routes_fixture.h"

namespace frond::broker::http {
namespace {

TEST_F(TheRoutes, SearchByQueryAndByBody) {
  broker.up();
  EXPECT_EQ(ask("GET", "/v1/search?q=cell&k=3").status, 200);
  EXPECT_EQ(ask("POST", "/v1/search", R"({"q":"cell","k":3,"explain":true})").status, 200);
  EXPECT_EQ(ask("HEAD", "/v1/search?q=cell").status, 200);
}
TEST_F(TheRoutes, AnswerWithTheFieldsThatAreAskedFor) {
  broker.up();
  const auto names = [](const frond::http::Response& response) {
    std::string out;
    const auto hits = nlohmann::ordered_json::parse(response.body)["hits"];
    for (const auto& [name, value] : hits.at(0).items()) out += name + " ";
    return out;
  };
  EXPECT_EQ(names(ask("GET", "/v1/search?q=cell")), "id score title url snippet ");
  EXPECT_EQ(names(ask("GET", "/v1/search?q=cell&fields=id")), "id score ");
  EXPECT_EQ(broker.leaf().fetches.last().fields, 0);
  EXPECT_EQ(names(ask("POST", "/v1/search", R"({"q":"cell","fields":"url,title"})")), "id score title url ");
  EXPECT_EQ(names(ask("POST", "/v1/msearch", R"({"q":"cell","fields":"snippet"})")), "id score snippet ");
  EXPECT_EQ(broker.leaf().fetches.last().fields, wire::kFieldSnippet);
}
TEST_F(TheRoutes, CountByQueryByBodyAndByLine) {
  broker.up();
  const auto counted = [](const frond::http::Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    const auto body = nlohmann::json::parse(response.body);
    EXPECT_FALSE(body.contains("hits") || body.contains("total"));
    EXPECT_EQ(body.at("count"), 2);
    EXPECT_EQ(body.at("relation"), "eq");
    EXPECT_EQ(body.at("coverage").at("partitions_answered"), 2);
    return body.at("cache").get<std::string>();
  };
  EXPECT_EQ(counted(ask("GET", "/v1/count?q=cell")), "miss");
  EXPECT_EQ(broker.leaf().searches.last().depth, 0u);
  EXPECT_EQ(broker.leaf().searches.last().show.count, 0u);
  EXPECT_EQ(broker.leaf().searches.last().mode, wire::Mode::kAnd);
  EXPECT_EQ(broker.leaf().fetches.asked.size(), 0u);
  EXPECT_EQ(counted(ask("POST", "/v1/count", R"({"q":"cell"})")), "hit");
  EXPECT_EQ(counted(ask("POST", "/v1/msearch", R"({"q":"cell","count":true})")), "hit");
  EXPECT_EQ(counted(ask("GET", "/v1/search?q=cell&count=true")), "hit");
  EXPECT_EQ(counted(ask("GET", "/v1/count?q=cell&mode=or")), "miss");
  EXPECT_EQ(broker.leaf().searches.last().mode, wire::Mode::kOr);
}
// The same text is another request on another route.
TEST_F(TheRoutes, DoNotTakeACountForASearchWhoseTextIsKnown) {
  broker.up();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(nlohmann::json::parse(ask("GET", "/v1/search?q=cell").body).contains("hits"));
    EXPECT_TRUE(nlohmann::json::parse(ask("GET", "/v1/count?q=cell").body).contains("count"));
    EXPECT_TRUE(nlohmann::json::parse(ask("POST", "/v1/search", R"({"q":"cell"})").body).contains("hits"));
    EXPECT_TRUE(nlohmann::json::parse(ask("POST", "/v1/count", R"({"q":"cell"})").body).contains("count"));
  }
}
TEST_F(TheRoutes, AnswerWithoutScoresWhereNothingIsRanked) {
  broker.up();
  const auto body = nlohmann::ordered_json::parse(ask("GET", "/v1/search?q=cell&rank=none&fields=id&explain=1").body);
  EXPECT_EQ(body["total"].dump(), R"({"value":2,"relation":"eq","all_words":{"value":2,"relation":"eq"}})");
  EXPECT_EQ(body["hits"].dump(), R"([{"id":"d0","ordinal":0},{"id":"d1","ordinal":1}])");
  EXPECT_TRUE(nlohmann::json::parse(ask("GET", "/v1/search?q=cell&fields=id").body)["hits"][0].contains("score"));
}
TEST_F(TheRoutes, RefuseACountOfALeafOfAnOlderVersion) {
  auto older = support::hello({support::served(1, 2, {0, 1})});
  older.features = 0;
  broker.leaf().hellos.answer(older);
  for (const char* target : {"/v1/count?q=cell", "/v1/search?q=cell&rank=none", "/v1/search?q=cell&k1=2"}) {
    const auto response = ask("GET", target);
    EXPECT_EQ(response.status, 503);
    EXPECT_NE(response.body.find("tcp://0 is of an older version"), std::string::npos) << response.body;
  }
  EXPECT_EQ(broker.leaf().searches.asked.size(), 0u);
  EXPECT_EQ(ask("GET", "/v1/search?q=cell").status, 200);
  EXPECT_EQ(ask("GET", "/v1/search?q=cell&k1=0.9").status, 200);  // what the collection has
}
// The leaf hears of parameters that are not the generation's; equal searches share an answer, others do not.
TEST_F(TheRoutes, PassOnK1AndB) {
  broker.up();
  const auto asked = [&] { return broker.leaf().searches.asked.size(); };
  EXPECT_EQ(ask("GET", "/v1/search?q=cell").status, 200);
  EXPECT_FALSE(broker.leaf().searches.last().bm25.has_value());
  EXPECT_EQ(asked(), 1u);
  for (const char* same : {"/v1/search?q=cell&b=0.4", "/v1/search?q=cell&k1=0.90&b=4e-1"})
    EXPECT_EQ(nlohmann::json::parse(ask("GET", same).body)["cache"], "hit") << same;
  EXPECT_EQ(asked(), 1u);
  const auto other = nlohmann::json::parse(ask("GET", "/v1/search?q=cell&b=0.75&explain=1").body);
  EXPECT_EQ(other["cache"], "miss");
  EXPECT_EQ(other["explain"]["k1"], 0.9);
  EXPECT_EQ(other["explain"]["b"], 0.75);
  EXPECT_EQ(broker.leaf().searches.last().bm25, (scoring::Bm25Parameters{0.9, 0.75}));
  EXPECT_EQ(nlohmann::json::parse(ask("GET", "/v1/search?q=cell&k1=1.2&b=0.75&explain=1").body)["cache"], "miss");
  EXPECT_EQ(broker.leaf().searches.last().bm25, (scoring::Bm25Parameters{1.2, 0.75}));
  EXPECT_EQ(nlohmann::json::parse(ask("POST", "/v1/search", R"({"q":"cell","b":0.75,"explain":true})").body)["cache"],
            "hit");
  const auto lines = ask("POST", "/v1/msearch", "{\"q\":\"cell\",\"k1\":2}\n{\"q\":\"cell\",\"k1\":5}\n").body;
  EXPECT_EQ(broker.leaf().searches.last().bm25, (scoring::Bm25Parameters{2, 0.4}));
  EXPECT_NE(lines.find("k1 must be a number from 0 to 4"), std::string::npos) << lines;
  EXPECT_EQ(ask("GET", "/v1/search?q=cell&rank=none&k1=3").status, 200);  // without effect: nothing is ranked
  EXPECT_FALSE(broker.leaf().searches.last().bm25.has_value());
}
TEST_F(TheRoutes, PassOnTheWeightOfPriors) {
  broker.up();
  EXPECT_EQ(ask("GET", "/v1/search?q=cell").status, 200);
  EXPECT_EQ(broker.leaf().searches.last().prior_weight, scoring::kUsualPriorWeight);
  EXPECT_EQ(nlohmann::json::parse(ask("GET", "/v1/search?q=cell&prior_weight=1.0").body)["cache"], "hit");
  EXPECT_EQ(nlohmann::json::parse(ask("GET", "/v1/search?q=cell&prior_weight=0.5").body)["cache"], "miss");
  EXPECT_EQ(broker.leaf().searches.last().prior_weight, scoring::kUsualPriorWeight / 2);
  EXPECT_EQ(ask("GET", "/v1/search?q=cell&rank=none&prior_weight=3").status, 200);
  EXPECT_EQ(broker.leaf().searches.last().prior_weight, scoring::kUsualPriorWeight);
}
TEST_F(TheRoutes, RefuseABadRequestByName) {
  broker.up();
  EXPECT_EQ(refused("GET", "/v1/search"), "q");
  EXPECT_EQ(refused("GET", "/v1/search?q=a&k=0"), "k");
  EXPECT_EQ(refused("GET", "/v1/search?q=a&nonsense=1"), "nonsense");
  EXPECT_EQ(refused("GET", "/v1/search?q=a&fields=id,body"), "fields");
  EXPECT_EQ(refused("GET", "/v1/search?q=%ff"), "q");
  EXPECT_EQ(refused("GET", "/v1/count?q=a&k=1"), "k");
  EXPECT_EQ(refused("GET", "/v1/count?q=a&mode=auto"), "mode");
  EXPECT_EQ(refused("POST", "/v1/msearch?x=1", R"({"q":"a","count":true})"), "x");
  EXPECT_EQ(refused("POST", "/v1/search", R"({"q":1})"), "q");
  EXPECT_EQ(refused("POST", "/v1/search", "{"), "none");
  EXPECT_EQ(refused("POST", "/v1/search?q=a", R"({"q":"a"})"), "q");
  EXPECT_EQ(refused("POST", "/v1/msearch", ""), "body");
  EXPECT_EQ(refused("GET", "/v1/cluster?x=1"), "x");
  EXPECT_EQ(ask("POST", "/v1/search", std::string(kMaxSearchBody + 1, ' ')).status, 413);
}
TEST_F(TheRoutes, AnswerUnknownPathsAndMethods) {
  EXPECT_EQ(ask("GET", "/v1/nothing").status, 404);
  const auto response = ask("DELETE", "/v1/search?q=cell");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.at(0), (std::pair<std::string, std::string>("Allow", "GET, HEAD, POST, OPTIONS")));
}
TEST_F(TheRoutes, AreReadyWhenEveryPartitionHasALeafAndNoMoreWhenDraining) {
  EXPECT_EQ(ask("GET", "/livez").status, 200);
  EXPECT_EQ(ask("GET", "/readyz").status, 503);
  broker.up();
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
  draining = true;
  EXPECT_EQ(ask("GET", "/readyz").status, 503);
  EXPECT_EQ(ask("GET", "/livez").status, 200);
}
TEST_F(TheRoutes, SayThatTheyAreReadyButDegraded) {
  broker.leaf().hellos.answer(support::hello({support::served(1, 2, {0})}));
  EXPECT_NE(ask("GET", "/readyz").body.find("every partition: 1 of 2 partitions have no leaf\""), std::string::npos);
  broker.cluster.advance(std::chrono::seconds(60));
  const auto response = ask("GET", "/readyz");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ready, degraded: 1 of 2 partitions have no leaf\n");
  EXPECT_EQ(nlohmann::json::parse(ask("GET", "/v1/search?q=cell").body)["coverage"]["degraded"].size(), 1u);
}
TEST_F(TheRoutes, AreNotAliveWhileALoopDoesNotTurnAndSayWhich) {
  stalled = "the loop 'search-2' has not turned for 17 s";
  const auto response = ask("GET", "/livez");
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.body.find("search-2"), std::string::npos) << response.body;
}
TEST_F(TheRoutes, DescribeTheCluster) {
  auto body = nlohmann::json::parse(ask("GET", "/v1/cluster").body);
  EXPECT_EQ(body["generation"], 0);
  EXPECT_EQ(body["leaves"][0]["healthy"], false);
  broker.up();
  body = nlohmann::json::parse(ask("GET", "/v1/cluster").body);
  EXPECT_EQ(body["collection"], "c");
  EXPECT_EQ(body["generation"], 1);
  EXPECT_EQ(body["leaves"][0]["address"], "tcp://0");
  EXPECT_EQ(body["leaves"][0]["generations"][0]["partitions"], nlohmann::json::parse("[0,1]"));
  EXPECT_EQ(body["partitions"][1]["leaves"][0], "tcp://0");
  EXPECT_EQ(body["broker"]["machine"], "2 cores");
  EXPECT_EQ(body["broker"]["budgets"].dump(), R"([{"auto":true,"flag":"--threads","number":2}])");
  EXPECT_FALSE(body["leaves"][0].contains("budgets")) << "an older leaf";
}
TEST_F(TheRoutes, DescribeWhatALeafTakesOfItsMachine) {
  auto hello = support::hello({support::served(1, 2, {0, 1})});
  hello.machine = "16 cores";
  hello.budgets = {{.flag = "--gpu-cache", .amount = 7, .bytes = true, .chosen = true, .device = 1}};
  broker.leaf().hellos.answer(std::move(hello));
  const auto leaf = nlohmann::json::parse(ask("GET", "/v1/cluster").body)["leaves"][0];
  EXPECT_EQ(leaf["machine"], "16 cores");
  EXPECT_EQ(leaf["budgets"].dump(), R"([{"auto":true,"bytes":7,"device":1,"flag":"--gpu-cache"}])");
}
TEST_F(TheRoutes, ExportMetricsUnderTheirPrefixes) {
  broker.up();
  ask("GET", "/v1/search?q=cell");
  const auto text = ask("GET", "/metrics").body;
  EXPECT_NE(text.find("frond_broker_searches_total{outcome=\"whole\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("frond_broker_leaf_requests_total{kind=\"fetch\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("frond_broker_generation 1"), std::string::npos) << text;
}
TEST_F(TheRoutes, ExportHowManyLeavesPartitionsHaveAndAreMeantToHave) {
  const auto shown = [&](const std::string& line) {
    return ask("GET", "/metrics").body.find("\nfrond_broker_partition_replicas_" + line + "\n") != std::string::npos;
  };
  EXPECT_FALSE(shown("least 0")) << "no generation";
  broker.leaf().hellos.answer(support::hello({support::served(1, 2, {0})}));
  EXPECT_TRUE(shown("least 0"));
  EXPECT_TRUE(shown("wanted 1")) << "as many as the partition with the most";
  metrics::Registry registry{"test"};
  StatusMetrics two(registry, false, 2);
  two.show(status_of(broker.cluster.map, broker.cluster.clock, broker.scatter, broker.service, many, nullptr));
  EXPECT_NE(registry.exposition().find("\nfrond_broker_partition_replicas_wanted 2\n"), std::string::npos);
}
TEST_F(TheRoutes, ServeThePagesWithAStrictPolicy) {
  std::size_t bytes = 0;
  for (const web::Asset& asset : web::assets()) {
    const auto response = ask("GET", std::string(asset.path));
    EXPECT_EQ(response.status, 200) << asset.path;
    EXPECT_EQ(response.headers.at(0).first, "Content-Security-Policy") << asset.path;
    if (asset.path == "/openapi.json") {
      EXPECT_TRUE(nlohmann::json::accept(response.body));
      continue;
    }
    bytes += response.body.size();
    // The policy forbids both; a browser would drop them without a word.
    EXPECT_EQ(response.body.find(" style=\""), std::string::npos) << asset.path;
    EXPECT_EQ(response.body.find("innerHTML"), std::string::npos) << asset.path;
  }
  EXPECT_LT(bytes, 100'000u) << "all pages together";
  EXPECT_EQ(ask("GET", "/?q=cell").status, 200);
}
TEST_F(TheRoutes, SayThatAQueryHasNoTerms) {
  broker.up();
  for (const std::string path : {"/v1/search?q=", "/v1/count?q="}) {
    EXPECT_EQ(nlohmann::json::parse(ask("GET", path + "!!+%2F").body)["empty_query"], "no_words");
    EXPECT_FALSE(nlohmann::json::parse(ask("GET", path + "cell").body).contains("empty_query"));
  }
}
TEST_F(TheRoutes, NameACollection) {
  broker.up();
  for (const std::string path : {"/v1/collections/c", "/v1/collections/%63"}) {
    EXPECT_EQ(nlohmann::json::parse(ask("GET", path + "/search?q=cell").body)["hits"].size(), 2u);
    EXPECT_EQ(nlohmann::json::parse(ask("GET", path + "/count?q=cell").body)["count"], 2);
    EXPECT_EQ(ask("POST", path + "/search", R"({"q":"cell"})").status, 200);
    EXPECT_EQ(ask("POST", path + "/count", R"({"q":"cell"})").status, 200);
    EXPECT_EQ(ask("POST", path + "/msearch", R"({"q":"cell"})").status, 200);
    EXPECT_EQ(nlohmann::json::parse(ask("GET", path + "/cluster").body)["collection"], "c");
  }
  EXPECT_EQ(ask("GET", "/v1/collections").body, "{\"collections\":[\"c\"]}\n");
  EXPECT_EQ(ask("GET", "/v1/collections/d/search?q=cell").status, 404);
  EXPECT_EQ(ask("GET", "/v1/collections/%zz/search?q=cell").status, 400);
  EXPECT_EQ(refused("GET", "/v1/collections/c/search?q=cell&x=1"), "x");
  EXPECT_EQ(refused("GET", "/v1/collections?x=1"), "x");
}
TEST_F(TheRoutes, AreThoseThatTheApiDescriptionHas) {
  broker.up();
  const auto described = nlohmann::json::parse(ask("GET", "/openapi.json").body)["paths"];
  for (const auto& [path, operations] : described.items()) {
    std::string allowed;
    for (const char* method : {"GET", "HEAD", "POST", "OPTIONS"}) {
      std::string lower(method);
      for (char& c : lower) c = static_cast<char>(std::tolower(c));
      const bool always = lower == "options" || (lower == "head" && operations.contains("get"));
      if (always || operations.contains(lower)) allowed += (allowed.empty() ? "" : ", ") + std::string(method);
    }
    auto concrete = path == "/assets/{file}" ? std::string("/assets/page.css") : path;
    if (const auto name = concrete.find("{collection}"); name != std::string::npos) concrete.replace(name, 12, "c");
    const auto options = ask("OPTIONS", concrete);
    EXPECT_EQ(options.status, 204) << path;
    EXPECT_EQ(options.headers.at(0), (std::pair<std::string, std::string>("Allow", allowed))) << path;
  }
  ASSERT_FALSE(router.paths().empty());
  for (const std::string_view path : router.paths())
    EXPECT_TRUE(described.contains(path.starts_with("/assets/") ? "/assets/{file}" : path)) << path;
}
TEST_F(TheRoutes, TellWhatOneSearchOfAFusionLacksAndChargeForAll) {
  struct ChargedPermit : frond::http::Permit {
    void charge(std::size_t more) override { charged += more; }
    std::size_t charged = 0;
  };
  broker.up();
  const auto permit = std::make_shared<ChargedPermit>();
  const auto captured = CapturedResponse::make();
  frond::http::Request request{.method = "POST", .target = "/v1/fuse", .path = "/v1/fuse"};
  request.body = R"({"search":{"q":"cell","fields":"id"},"ranking":["other"]})";
  request.permit = permit;
  router(std::move(request), CapturedResponse::responder(captured));
  broker.leaf().searches.answer(support::found({{0, 9}}));
  broker.play_fetches();
  while (broker.leaf().searches.open() > 0) {
    auto found = support::unranked({}, broker.leaf().searches.last().depth);
    found.unsearched = {{1, wire::UnsearchedReason::kDeadline}};
    broker.leaf().searches.answer(std::move(found));
  }
  broker.play_fetches();
  ASSERT_TRUE(captured->got);
  const auto answer = nlohmann::json::parse(captured->got->body);
  EXPECT_EQ(answer["hits"].size(), 1u);
  EXPECT_EQ(answer["timed_out"], true) << answer;
  EXPECT_EQ(answer["coverage"]["partitions_answered"], 1);
  EXPECT_EQ(answer["coverage"]["degraded"][0]["partition"], 1);
  EXPECT_EQ(permit->charged, 1u);
}
TEST_F(TheRoutes, TakeCompressedBodiesWhereTheyTakeBodies) {
  int taking = 0;
  for (const std::string_view route : router.paths()) {
    const std::string path = std::regex_replace(std::string(route), std::regex("\\{[a-z]+\\}"), "c");
    for (const char* method : {"POST", "PUT"}) {
      const auto status = [&](const char* coding) {
        const auto routing = router.route({.method = method, .path = path, .headers = {{"content-encoding", coding}}});
        return routing.answer ? routing.answer->status : 200;
      };
      if (router.route({.method = method, .path = path}).limits.max_body == 0) continue;
      ++taking;
      for (const char* coding : {"gzip", "deflate", "zstd"}) EXPECT_EQ(status(coding), 200) << path;
      EXPECT_EQ(status("br"), 415) << path;
    }
  }
  EXPECT_GE(taking, 6);
}
TEST_F(TheRoutes, StandInHttpApiMd) {
  std::ostringstream page;
  page << std::ifstream("docs/http-api.md").rdbuf();
  for (const std::string_view route : router.paths()) {
    std::string path(route.starts_with("/assets/") ? "/assets/" : route);
    path = std::regex_replace(path, std::regex("\\{collection\\}"), "NAME");
    path = std::regex_replace(path, std::regex("\\{id\\}"), "ID");
    EXPECT_TRUE(std::regex_search(page.str(), std::regex(path + "(?![A-Za-z0-9/])"))) << path;
  }
}
}  // namespace
}  // namespace frond::broker::http
