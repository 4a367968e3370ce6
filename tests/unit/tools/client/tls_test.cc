// The tools over HTTPS, against the server that the broker has.
#include <gtest/gtest.h>

#include <thread>

#include <boost/asio/io_context.hpp>

#include "common/http/server/server.h"
#include "common/tls/certificates.h"
#include "tests/support/certificates.h"
#include "tools/client/broker_client.h"
#include "tools/load/load_generator.h"

namespace frond::tools {
namespace {

class OverHttps : public testing::Test {
 protected:
  OverHttps() {
    auto created = http::Server::create(
        io_, {.listen = "127.0.0.1:0", .tls = identity_.get()}, [](http::Request&& request, http::Responder responder) {
          http::Response response{.body = R"({"cache":"hit","coverage":{"degraded":[]},"hits":[]})"};
          if (request.path == "/long") response.body.assign(200'000, ' ');
          responder.send(std::move(response));
        });
    EXPECT_TRUE(created) << created.error().message();
    server_ = *std::move(created);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~OverHttps() override {
    io_.stop();
    thread_.join();
  }
  net::Url url() const { return {"127.0.0.1", std::to_string(server_->port()), "", true}; }
  LoadOptions options() const {
    LoadOptions options;
    options.connections = 4;
    options.seconds = std::chrono::milliseconds(400);
    options.drain = std::chrono::seconds(30);  // what a busy machine may need; ends with the last answer
    options.trust = trust_;
    return options;
  }

  support::CertificateFiles files_;
  std::unique_ptr<tls::ServerIdentity> identity_ = *tls::ServerIdentity::load(files_.certificate, files_.key);
  std::shared_ptr<const tls::Trust> trust_ = *tls::Trust::load(files_.ca);
  boost::asio::io_context io_{1};
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

TEST_F(OverHttps, EveryAnswerOfAClosedLoopIsCounted) {
  const auto report =
      generate_load(url(), {"GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /long HTTP/1.1\r\nHost: x\r\n\r\n"}, options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GT(report->answers, 0u);
  EXPECT_EQ(report->requests, report->answers);
  EXPECT_EQ(report->connection_errors + report->unanswered, 0u) << report->first_error;
}
TEST_F(OverHttps, EveryAnswerOfAnOpenLoopIsCounted) {
  auto open_loop = options();
  open_loop.rate = 500;
  const auto report = generate_load(url(), {"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"}, open_loop);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GT(report->answers, 0u);
  EXPECT_EQ(report->requests, report->answers);
  EXPECT_EQ(report->connection_errors + report->unanswered, 0u) << report->first_error;
}
TEST_F(OverHttps, ConnectionsThatTheBrokerEndsAreOpenedAgain) {
  const auto report = generate_load(url(), {"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"}, options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GT(report->answers, 4u);
  EXPECT_EQ(report->connection_errors + report->unanswered, 0u) << report->first_error;
}
TEST_F(OverHttps, NoLoadIsPutOnABrokerThatIsNotTrusted) {
  const support::CertificateFiles others;
  auto distrusting = options();
  distrusting.trust = *tls::Trust::load(others.ca);
  const auto report = generate_load(url(), {"GET /a HTTP/1.1\r\n\r\n"}, distrusting);
  ASSERT_EQ(report, Code::kUnavailable);
  EXPECT_TRUE(report.error().message().starts_with("the server's certificate is not trusted: "))
      << report.error().message();
}
TEST_F(OverHttps, AConnectionServesManyQuestions) {
  BrokerClient client(url(), trust_, std::chrono::seconds(20));
  for (const char* target : {"/a", "/long", "/b"}) {
    const auto reply = client.get(target);
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->status, 200);
  }
}
TEST_F(OverHttps, AClientToldWhomToTrustAsksNobodyElse) {
  const support::CertificateFiles others;
  BrokerClient client(url(), *tls::Trust::load(others.ca), std::chrono::seconds(20));
  const auto reply = client.get("/a");
  ASSERT_EQ(reply, Code::kUnavailable);
  EXPECT_EQ(reply.error().message().find("broker " + url().authority() + ": the server's certificate is not trusted: "),
            0u)
      << reply.error().message();
}

}  // namespace
}  // namespace frond::tools
