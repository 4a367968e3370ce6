#pragma once
// The broker's routes over a scripted broker with a collection c.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "broker/http/routes.h"
#include "tests/support/captured_response.h"
#include "tests/support/scripted_broker.h"

namespace frond::broker::http {

using support::CapturedResponse;
using support::ScriptedBroker;

class TheRoutes : public testing::Test {
 protected:
  TheRoutes()
      : router(make_routes(
            {std::make_shared<const SearchedCollections>(SearchedCollections{{"c", &broker.service, &many}}),
             broker.registry,
             metrics,
             broker.shared.slow,
             {"1", "2 cores", {{.flag = "--threads", .amount = 2, .chosen = true}}},
             [this](const auto& done) {
               done(status_of(broker.cluster.map, broker.cluster.clock, broker.scatter, broker.service, many, nullptr));
             },
             [this] { return broker.cluster.map.ready(); },
             [this] { return draining; },
             [this] { return stalled; },
             [this] { return broker.cluster.map.lacking(); }})) {
    export_shared(broker.registry, broker.shared);
  }
  frond::http::Response ask(std::string method, const std::string& target, std::string body = {}) {
    const auto captured = CapturedResponse::make();
    const auto question = target.find('?');
    frond::http::Request request{.method = std::move(method), .target = target, .path = target.substr(0, question)};
    if (question != std::string::npos) request.query = target.substr(question + 1);
    request.body = std::move(body);
    router(std::move(request), CapturedResponse::responder(captured));
    broker.play();
    return captured->got.value_or(frond::http::Response{.status = 0});
  }
  // The parameter that a refusal names.
  std::string refused(std::string method, const std::string& target, std::string body = {}) {
    const auto response = ask(std::move(method), target, std::move(body));
    if (response.status != 400 || response.content_type != "application/problem+json") return "not refused";
    return nlohmann::json::parse(response.body).value("parameter", "none");
  }

  bool draining = false;
  std::string stalled;
  ScriptedBroker broker;
  MultiSearch many{broker.service, broker.cluster.timers, {}};
  StatusMetrics metrics{broker.registry};
  frond::http::Router router;
};

}  // namespace frond::broker::http
