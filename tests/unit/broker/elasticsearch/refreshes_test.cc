// Requests that wait for a refresh: they share rounds, hear of failures, and clients take turns.
#include "broker/elasticsearch/indices/refreshes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "broker/elasticsearch/routes.h"
#include "broker/http/monitoring/broker_metrics.h"
#include "tests/support/scripted_http.h"

namespace frond::broker::elasticsearch {
namespace {

class ARefresh : public testing::Test {
 protected:
  Targets of(std::uint8_t client) {
    Targets to{.catalogue = catalogue_,
               .collections = std::make_shared<http::SearchedCollections>(),
               .service = forwarder_.get(),
               .refreshes = &refreshes_,
               .serve = [](std::string_view, Generation) { return true; }};
    to.client[0] = client;
    return to;
  }
  static void wait_for(const std::atomic<int>& number, int wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (number < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    ASSERT_EQ(number, wanted);
  }

  std::atomic<int> asked_{0}, status_{200};
  std::atomic<bool> held_{false}, traced_{false};
  const support::ScriptedHttp service_{[this](const support::ScriptedHttp::Talk& talk) {
    ++asked_;
    traced_ = talk.request.find("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-") != std::string::npos &&
              talk.request.find("X-Request-Id: mine\r\n") != std::string::npos;
    while (held_) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    talk.send("HTTP/1.1 " + std::to_string(status_) +
              " Said\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"generation\": 3}");
  }};
  Catalogue catalogue_;
  Refreshes refreshes_;
  metrics::Registry registry_{"test"};
  const std::unique_ptr<http::ChangeForwarder> forwarder_ =
      *http::ChangeForwarder::create(service_.url(), "broker", 64 << 20, registry_);
};

TEST_F(ARefresh, IsSharedByThoseThatWaitForIt) {
  std::atomic<int> done{0};
  held_ = true;
  for (int i = 0; i < 200; ++i)
    Refreshes::wait(of(static_cast<std::uint8_t>(i % 5)), {"a", "b"}, [&](const auto& outcomes) {
      EXPECT_TRUE(outcomes.at("a"));
      EXPECT_TRUE(outcomes.at("b"));
      ++done;
    });
  EXPECT_EQ(done, 0);
  held_ = false;
  wait_for(done, 200);
  EXPECT_LE(asked_, 8);
  Refreshes::wait(of(9), {"a"}, [&](const auto&) { ++done; });  // nothing of the rounds before is left
  wait_for(done, 201);
}

TEST_F(ARefresh, GoesOnWithTheTraceOfItsRequest) {
  std::atomic<int> done{0};
  Targets to = of(1);
  to.trace = frond::http::trace_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "mine");
  Refreshes::wait(to, {"a"}, [&](const auto&) { ++done; });
  wait_for(done, 1);
  EXPECT_TRUE(traced_);
}

TEST_F(ARefresh, ThatFailsIsHeardByAll) {
  std::atomic<int> done{0};
  status_ = 403;
  for (int i = 0; i < 50; ++i)
    Refreshes::wait(of(static_cast<std::uint8_t>(i)), {"a"}, [&](const auto& outcomes) {
      EXPECT_FALSE(outcomes.at("a"));
      ++done;
    });
  wait_for(done, 50);
  status_ = 200;
  Refreshes::wait(of(1), {"a"}, [&](const auto& outcomes) {
    EXPECT_TRUE(outcomes.at("a"));
    ++done;
  });
  wait_for(done, 51);
}

TEST_F(ARefresh, DoesNotWaitForAllOfAnotherClient) {
  std::atomic<int> many{0}, one{0};
  int many_before = -1;
  held_ = true;
  for (int i = 0; i < 100; ++i) Refreshes::wait(of(1), {"i" + std::to_string(i)}, [&](const auto&) { ++many; });
  // The last one of the first client's, which another one waits for too.
  Refreshes::wait(of(2), {"i99"}, [&](const auto&) {
    many_before = many;
    ++one;
  });
  held_ = false;
  wait_for(one, 1);
  wait_for(many, 100);
  EXPECT_LT(many_before, 50);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
