// One document by its id.
#include "tests/unit/broker/http/routes_fixture.h"

namespace frond::broker::http {
namespace {

TEST_F(TheRoutes, ShowADocumentByItsId) {
  EXPECT_EQ(ask("GET", "/v1/documents/a").status, 503) << "no leaf yet";
  broker.up();
  for (const std::string path : {"/v1/documents/", "/v1/collections/c/documents/"}) {
    const auto shown = nlohmann::json::parse(ask("GET", path + "a%2Fb%20%C3%BC").body);
    EXPECT_EQ(
        shown,
        nlohmann::json::parse(
            R"({"id":"a/b ü","title":"title","url":"http://x/","body":"body","truncated":false,"generation":1})"));
    EXPECT_EQ(broker.leaf().fetches.last().body_bytes, 1u << 20);
    const auto missing = ask("GET", path + "none");
    EXPECT_EQ(missing.status, 404);
    EXPECT_EQ(nlohmann::json::parse(missing.body)["parameter"], "id");
    EXPECT_EQ(refused("GET", path + "%4"), "id");
    EXPECT_EQ(refused("GET", path + "a?x=1"), "x");
    EXPECT_EQ(ask("GET", path + std::string(5000, 'a')).status, 404);
    const std::string by_query = path.substr(0, path.size() - 1);
    for (const std::string id : {"..", ".", "a", "a/b"})
      EXPECT_EQ(nlohmann::json::parse(ask("GET", by_query + "?id=" + id).body)["id"], id);
    EXPECT_EQ(ask("GET", by_query + "?id=none").status, 404);
    for (const char* wrong : {"", "?id=", "?id=a&id=b", "?body_bytes=5"})
      EXPECT_EQ(refused("GET", by_query + wrong), "id");
    EXPECT_EQ(refused("GET", by_query + "?id=a&x=1"), "x");
    EXPECT_EQ(refused("GET", path + "a?id=b"), "id");
    for (const char* wrong : {"", "0", "33554433", "-1", "5x", "5&body_bytes=5"})
      EXPECT_EQ(refused("GET", path + "a?body_bytes=" + wrong), "body_bytes") << wrong;
  }
  EXPECT_EQ(ask("GET", "/v1/collections/other/documents/a").status, 404);
  EXPECT_EQ(broker.shared.admission.all(), 0u) << "every place is given back";
  auto old = support::hello({support::served(1, 2, {0, 1})});
  old.features = 0;
  broker.cluster.advance(std::chrono::milliseconds(500));
  broker.leaf().hellos.answer(old);
  EXPECT_EQ(ask("GET", "/v1/documents/a").status, 503) << "its leaves find no document by its id";
}

TEST_F(TheRoutes, CutADocumentsBodyAndSaySo) {
  broker.up();
  const auto shown = [this](const char* body_bytes) {
    return nlohmann::json::parse(ask("GET", std::string("/v1/documents/a?body_bytes=") + body_bytes).body);
  };
  const auto cut = shown("3");  // of a leaf of an older version, which sends all
  EXPECT_EQ(cut["body"], "bod");
  EXPECT_TRUE(cut["truncated"]);
  EXPECT_EQ(broker.leaf().fetches.last().body_bytes, 3u);
  EXPECT_FALSE(shown("4")["truncated"]);
  const auto asked = CapturedResponse::make();
  router({.method = "GET", .path = "/v1/documents/a"}, CapturedResponse::responder(asked));
  wire::FetchReply reply;
  reply.documents.push_back({.found = true, .id = "a", .body = "begins", .truncated = true});
  broker.leaf().fetches.answer(reply);
  EXPECT_TRUE(nlohmann::json::parse(asked->got->body)["truncated"]) << "as the leaf says";
}

TEST_F(TheRoutes, LetAClientsDocumentsWaitForEachOther) {
  broker.up();
  std::vector<std::shared_ptr<CapturedResponse>> asked;
  const auto begin = [&](std::uint8_t client) {
    asked.push_back(CapturedResponse::make());
    router({.method = "GET", .path = "/v1/documents/a", .client = {client}}, CapturedResponse::responder(asked.back()));
  };
  const auto status = [&](std::size_t number) { return asked[number]->got ? asked[number]->got->status : 0; };
  for (int i = 0; i < 6; ++i) begin(1);
  EXPECT_EQ(broker.leaf().fetches.open(), 4u);
  EXPECT_EQ(broker.shared.admission.waiting(), 2u);
  begin(2);
  EXPECT_EQ(broker.leaf().fetches.open(), 5u) << "another client does not wait for them";
  asked[5]->client_gone();
  EXPECT_EQ(status(5), 499);
  broker.play();
  for (const std::size_t number : {0, 1, 2, 3, 4, 6}) EXPECT_EQ(status(number), 200) << number;
  for (int i = 0; i < 5; ++i) begin(1);
  asked[7]->client_gone();
  EXPECT_EQ(status(7), 499);
  EXPECT_EQ(broker.leaf().fetches.open(), 4u) << "its place goes to the one that waits";
  begin(1);
  broker.cluster.advance(std::chrono::milliseconds(1000));
  EXPECT_EQ(status(12), 504);
  EXPECT_EQ(broker.shared.admission.all() + broker.shared.admission.waiting(), 0u);
}

}  // namespace
}  // namespace frond::broker::http
