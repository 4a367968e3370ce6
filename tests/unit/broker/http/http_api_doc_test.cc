// docs/http-api.md is true: each of its requests gets the reply that stands below it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "broker/http/monitoring/broker_status.h"
#include "broker/http/routes.h"
#include "tests/support/captured_response.h"
#include "tests/support/scripted_broker.h"

namespace frond::broker::http {
namespace {
using nlohmann::json;
using support::ScriptedBroker;

struct Example {
  frond::http::Request request;
  std::string kind;  // of the reply: json, ndjson, text
  int status = 0;
  std::string reply;
};

// A block of ```http, then one of the reply's kind that begins with the status.
std::vector<Example> examples(const std::string& path) {
  std::ifstream in(path);
  std::vector<Example> out;
  std::string kind, block;
  const auto take = [&] {
    const auto line_end = block.find('\n');
    const std::string first = block.substr(0, line_end);
    const std::string rest = block.substr(line_end + 1);
    if (kind == "http") {
      auto& request = out.emplace_back().request;
      request.method = first.substr(0, first.find(' '));
      request.target = first.substr(first.find(' ') + 1);
      const auto question = request.target.find('?');
      request.path = request.target.substr(0, question);
      if (question != std::string::npos) request.query = request.target.substr(question + 1);
      if (!rest.empty()) request.body = rest.substr(1);
    } else if (!out.empty()) {
      out.back().kind = kind;
      out.back().status = std::stoi(first);
      out.back().reply = rest;
    }
  };
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("```")) {
      if (!kind.empty()) block += line + "\n";
      continue;
    }
    if (!kind.empty()) take();
    kind = kind.empty() ? line.substr(3) : "";
    block.clear();
  }
  return out;
}

// The manual pages that the examples find.
wire::FetchReply manuals(const wire::FetchRequest& request) {
  wire::FetchReply reply;
  if (request.id == "ln.1")
    reply.documents.push_back({.found = true,
                               .id = request.id,
                               .title = "ln(1)",
                               .url = "https://example.org/ln.1",
                               .body = "Create hard links by default & symbolic links with -s."});
  for (const auto ordinal : request.ordinals) {
    const bool first = ordinal == 0;
    const std::string id = first ? "ln.1" : "link.2", title = first ? "ln(1)" : "link(2)";
    reply.documents.push_back({ordinal, true, id, title, "https://example.org/" + id,
                               "Create \x02hard\x03 \x02links\x03 by default & symbolic …"});
  }
  return reply;
}

// A broker as new for each example.
class Replayed {
 public:
  Replayed() {
    broker.up();
    export_shared(broker.registry, broker.shared);
  }
  frond::http::Response ask(frond::http::Request request) {
    const auto captured = support::CapturedResponse::make();
    const auto status = [this](const auto& done) {
      auto all = status_of(broker.cluster.map, broker.cluster.clock, broker.scatter, broker.service, many, nullptr);
      auto view = all.clusters.extract("c");
      view.key() = "manuals";
      all.clusters.insert(std::move(view));
      done(all);
    };
    const auto router = make_routes(
        {std::make_shared<const SearchedCollections>(SearchedCollections{{"manuals", &broker.service, &many}}),
         broker.registry,
         metrics,
         broker.shared.slow,
         {"0.1.0",
          "8 cores, 31.0 GiB of memory, 28.1 GiB available",
          {{.flag = "--cache", .amount = 256u << 20, .bytes = true, .chosen = true},
           {.flag = "--threads", .amount = 4}}},
         status,
         [this] { return broker.cluster.map.ready(); },
         [] { return false; },
         [] { return std::string(); }});
    router(std::move(request), support::CapturedResponse::responder(captured));
    auto& leaf = broker.leaf();
    while (leaf.searches.open() > 0) {
      const auto& asked = leaf.searches.last();
      const auto depth = asked.depth;
      const std::vector<topk::Hit> hits{{0, 419'141}, {1, 327'680}};
      auto reply = asked.rank == wire::Rank::kNone ? support::unranked(hits, depth) : support::found(hits);
      for (auto* ranking : {&reply.and_ranking, &reply.or_ranking})
        if (ranking->hits.size() > depth) ranking->hits.resize(depth);
      leaf.searches.answer(std::move(reply));
      while (leaf.fetches.open() > 0) leaf.fetches.answer(manuals(leaf.fetches.last()));
    }
    while (leaf.fetches.open() > 0) leaf.fetches.answer(manuals(leaf.fetches.last()));  // without a search
    return captured->got.value_or(frond::http::Response{.status = 0});
  }

 private:
  ScriptedBroker broker;
  MultiSearch many{broker.service, broker.cluster.timers, {}};
  StatusMetrics metrics{broker.registry};
};

TEST(TheApiDescription, SaysWhatHappens) {
  const auto all = examples("docs/http-api.md");
  ASSERT_GE(all.size(), 8u);
  for (const auto& example : all) {
    SCOPED_TRACE(example.request.method + " " + example.request.target);
    const auto response = Replayed().ask(example.request);
    EXPECT_EQ(response.status, example.status);
    std::istringstream want(example.reply), got(response.body);
    if (example.kind == "json") {
      EXPECT_EQ(json::parse(response.body), json::parse(example.reply));
    } else if (example.kind == "ndjson") {
      std::string wanted, line;
      while (std::getline(want, wanted)) {
        ASSERT_TRUE(std::getline(got, line));
        EXPECT_EQ(json::parse(line), json::parse(wanted));
      }
      EXPECT_FALSE(std::getline(got, line));
    } else {
      for (std::string line; std::getline(want, line);)
        EXPECT_NE(("\n" + response.body).find("\n" + line + "\n"), std::string::npos) << line;
    }
  }
}
}  // namespace
}  // namespace frond::broker::http
