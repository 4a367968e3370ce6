#include "broker/http/change_forwarder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tests/support/captured_response.h"
#include "tests/support/scripted_http.h"

namespace frond::broker::http {
namespace {
using support::CapturedResponse;
using support::ScriptedHttp;

class AChangeForwarder : public testing::Test {
 protected:
  void pass_to(const std::string& service) {
    forwarder_ = *ChangeForwarder::create(service, "", 64 << 20, registry_);
    forwarder_->add_to(router_);
  }
  std::shared_ptr<CapturedResponse> send(std::string method, const std::string& path, std::string body = {}) {
    auto captured = CapturedResponse::make();
    router_(
        {.method = std::move(method),
         .target = "http://other" + path + "?x=1",  // as a proxy may send it
         .path = path,
         .query = "x=1",
         .body = std::move(body),
         .headers = {{"authorization", "Bearer k"}, {"x-api-key", "k"}, {"cookie", "c"}, {"idempotency-key", "once"}},
         .trace = {.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736, .span = 7, .sampled = true}},
        CapturedResponse::responder(captured));
    return captured;
  }
  // Ends the forwarder, which answers everything first.
  frond::http::Response answer(std::string method, const std::string& path, std::string body = {}) {
    const auto captured = send(std::move(method), path, std::move(body));
    while (registry_.gauge(in_flight_).value() > 0) std::this_thread::yield();
    return captured->got.value_or(frond::http::Response{.status = 0});
  }

  const metrics::Family in_flight_{
      "frond_broker_changes_in_flight",
      "Requests that are passed on to the indexer's service (--indexer-service) and not answered yet."};
  metrics::Registry registry_{"test"};
  std::unique_ptr<ChangeForwarder> forwarder_;
  frond::http::Router router_;
};

TEST_F(AChangeForwarder, PassesARequestOnAndItsAnswerBack) {
  const ScriptedHttp service([](const ScriptedHttp::Talk& talk) {
    talk.send(
        "HTTP/1.1 422 No\r\nContent-Type: application/problem+json\r\nFrond-Sequence: 7\r\nDate: then\r\nX-Request-Id: "
        "x\r\n"
        "Content-Length: 2\r\n\r\nno");
  });
  pass_to(service.url());
  const auto got = answer("POST", "/v1/collections/c/documents", "{\"id\":\"1\"}");
  EXPECT_EQ(got.status, 422);
  EXPECT_EQ(got.content_type, "application/problem+json");
  EXPECT_EQ(got.body, "no");
  EXPECT_EQ(got.headers, (std::vector<std::pair<std::string, std::string>>{{"frond-sequence", "7"}}));
  const std::string asked = service.requests().at(0);
  EXPECT_TRUE(asked.starts_with("POST /v1/collections/c/documents?x=1 HTTP/1.1\r\n")) << asked;
  for (const char* line :
       {"authorization: Bearer k\r\n", "x-api-key: k\r\n", "idempotency-key: once\r\n", "Content-Length: 10\r\n",
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000007-01\r\n",
        "X-Request-Id: 4bf92f3577b34da6a3ce929d0e0e4736\r\n"})
    EXPECT_NE(asked.find(line), std::string::npos) << line << asked;
  EXPECT_EQ(asked.find("cookie"), std::string::npos);
}

TEST_F(AChangeForwarder, SaysThatTheServiceGaveNoAnswer) {
  std::string url;
  {
    const ScriptedHttp gone([](const ScriptedHttp::Talk&) {});
    url = gone.url();
  }
  pass_to(url);
  const auto got = answer("PUT", "/v1/collections/c");
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.headers.at(0).first, "Retry-After");
  EXPECT_NE(got.body.find("may or may not have been accepted"), std::string::npos) << got.body;
}

TEST_F(AChangeForwarder, SaysThatWhatAnswersIsNoService) {
  const ScriptedHttp service([](const ScriptedHttp::Talk& talk) { talk.send("hello\r\n\r\n"); });
  pass_to(service.url());
  EXPECT_EQ(answer("DELETE", "/v1/collections/c/documents/1").status, 502);
}

TEST_F(AChangeForwarder, EndsWhatWaitsWhenItEnds) {
  std::atomic<bool> waits = false;
  const ScriptedHttp service([&](const ScriptedHttp::Talk& talk) {
    waits = true;
    talk.drip("HTTP/1.1 200 OK\r\n");
  });
  pass_to(service.url());
  const auto captured = send("POST", "/v1/collections/c/refresh");
  while (!waits) std::this_thread::yield();
  forwarder_.reset();
  ASSERT_TRUE(captured->got);
  EXPECT_EQ(captured->got->status, 503);
}

// The service answers one request after the other, so what waits for it waits for the first.
TEST_F(AChangeForwarder, PassesNothingOnWhoseClientHasLeft) {
  std::atomic<bool> answers = false;
  const ScriptedHttp service([&](const ScriptedHttp::Talk& talk) {
    while (!answers) std::this_thread::yield();
    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  pass_to(service.url());
  std::vector<std::shared_ptr<CapturedResponse>> sent;
  for (std::size_t i = 0; i < ChangeForwarder::kThreads; ++i)
    sent.push_back(send("POST", "/v1/collections/c/documents", "{}"));
  const auto left = sent.back();  // a client alone has all threads but one, so this one waits
  ASSERT_TRUE(left->client_gone);
  left->client_gone();
  answers = true;
  while (service.requests().size() < ChangeForwarder::kThreads - 1) std::this_thread::yield();
  forwarder_.reset();
  EXPECT_EQ(left->got->status, 499);
  EXPECT_EQ(service.requests().size(), ChangeForwarder::kThreads - 1);
}

TEST_F(AChangeForwarder, PassesChangesOnBesideRefreshesThatWait) {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  tcp::acceptor service(io, {boost::asio::ip::address_v4::loopback(), 0});
  service.non_blocking(true);
  pass_to("http://127.0.0.1:" + std::to_string(service.local_endpoint().port()));
  constexpr std::size_t kRefreshes = ChangeForwarder::kThreads - 1;  // all that a client may have
  for (std::size_t i = 0; i < kRefreshes; ++i) send("POST", "/v1/collections/c/refresh");
  send("POST", "/v1/collections/c/documents", "{}");
  std::vector<tcp::socket> came;  // and are not answered
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (came.size() < kRefreshes + 1 && std::chrono::steady_clock::now() < until) {
    boost::system::error_code nobody;
    if (tcp::socket one = service.accept(nobody); !nobody) came.push_back(std::move(one));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(came.size(), kRefreshes + 1);
}

TEST_F(AChangeForwarder, NeedsAnAddress) {
  EXPECT_EQ(ChangeForwarder::create("127.0.0.1:80", "", 1, registry_), Code::kInvalid);
  EXPECT_EQ(ChangeForwarder::create("unix:", "", 1, registry_), Code::kInvalid);
}

}  // namespace
}  // namespace frond::broker::http
