// The server under TLS over real sockets on loopback: its io thread on one side, blocking clients on the other.
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "common/http/client/client.h"
#include "common/http/client/client_stream.h"
#include "common/http/server/server.h"
#include "common/tls/certificates.h"
#include "tests/support/certificates.h"

namespace frond::http {
namespace {
using std::chrono::seconds;
constexpr seconds kPatience{20};

class ATlsServer : public testing::Test {
 protected:
  void start(Server::Config config = {}) {
    identity_ = *tls::ServerIdentity::load(files_.certificate, files_.key);
    trust_ = *tls::Trust::load(files_.ca);
    config.listen = "127.0.0.1:0";
    config.tls = identity_.get();
    config.on_handshake_failure = [this](std::string_view reason) {
      const std::lock_guard lock(mutex_);
      ++failures_[std::string(reason)];
      failed_.notify_all();
    };
    const auto handler = [this](Request&& request, Responder responder) { handle(request, std::move(responder)); };
    Router router = Router::everything(handler, {.max_body = 8 << 20});
    router.add("GET", "/probe", handler, {.reserved = true});
    auto created = Server::create(io_, std::move(config), std::move(router));
    ASSERT_TRUE(created) << created.error().message();
    server_ = *std::move(created);
    port_ = std::to_string(server_->port());
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ATlsServer() override {
    boost::asio::post(io_, [this] {
      held_.clear();
      server_.reset();
    });
    work_.reset();
    if (thread_.joinable()) thread_.join();
    for (auto& worker : workers_) worker.join();
  }
  void handle(const Request& request, Responder responder) {
    if (request.path == "/hold") {
      held_.push_back(std::move(responder));
      return holding_.set_value();
    }
    Response response{.content_type = "text/plain", .body = request.body.empty() ? request.path : request.body};
    if (request.path == "/large") response.body.assign(3 << 20, '@');
    if (request.path == "/huge") response.body.assign(16 << 20, '@');
    if (request.path != "/later") return responder.send(std::move(response));
    workers_.emplace_back([responder = std::move(responder), response]() mutable { responder.send(response); });
  }
  void on_io(std::function<void()> action) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  }
  int failures(const std::string& reason) {
    std::unique_lock lock(mutex_);
    failed_.wait_for(lock, kPatience, [&] { return failures_.contains(reason); });
    return failures_[reason];
  }
  ClientStream connect(bool secure = true) {
    auto stream = ClientStream::connect("127.0.0.1", port_, secure ? trust_.get() : nullptr, kPatience);
    EXPECT_TRUE(stream) << stream.error().message();
    return stream ? std::move(*stream) : ClientStream();
  }
  // Reads until the bytes read end with `mark`, or the server closes; how_it_ended_ then says why.
  std::string hear(ClientStream& stream, std::string_view mark = {}) {
    std::string heard;
    std::array<char, 8192> piece{};
    for (how_it_ended_ = ""; mark.empty() || !heard.ends_with(mark);) {
      const auto got = stream.read_some(piece);
      how_it_ended_ = got ? "with a word" : got.error().message();
      if (!got || *got == 0) break;
      heard.append(piece.data(), *got);
    }
    return heard;
  }
  std::string ask(ClientStream& stream, const std::string& path, const std::string& more = {}) {
    EXPECT_TRUE(stream.write_all("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n"));
    return hear(stream, path == "/hold" ? "/held" : path);
  }
  net::Url url() const { return {"127.0.0.1", port_, "", true}; }
  Result<void> fetch(const tls::Trust& trust, const net::Url& from) const {
    return get(from, &trust, "/a", {.max_bytes = 1 << 20, .step_timeout = kPatience},
               [](ByteView) { return Result<void>(); });
  }

  support::CertificateFiles files_;
  std::unique_ptr<tls::ServerIdentity> identity_;
  std::shared_ptr<const tls::Trust> trust_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::unique_ptr<Server> server_;
  std::string port_, how_it_ended_;
  std::vector<Responder> held_;
  std::vector<std::thread> workers_;
  std::promise<void> holding_;
  std::mutex mutex_;
  std::condition_variable failed_;
  std::map<std::string, int> failures_;
  std::thread thread_;
};

TEST_F(ATlsServer, KeepsAConnectionForManyRequests) {
  start();
  auto client = connect();
  for (const char* path : {"/a", "/b", "/later"}) EXPECT_TRUE(ask(client, path).starts_with("HTTP/1.1 200 OK\r\n"));
}
TEST_F(ATlsServer, AnswersPipelinedRequestsInOrderAndPastItsLimit) {
  start({.max_pipelined = 4});
  auto client = connect();
  std::string all, wanted;
  for (int i = 0; i < 60; ++i) {
    const std::string path = i % 7 == 0 ? "/later" : i % 20 == 3 ? "/large" : "/p" + std::to_string(i);
    all += "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + (i == 59 ? "Connection: close\r\n" : "") + "\r\n";
    wanted += "\r\n\r\n" + (path == "/large" ? std::string(3 << 20, '@') : path) + '|';
  }
  ASSERT_TRUE(client.write_all(all));  // a few kilobytes: the socket takes them before anything is read
  std::string heard = hear(client), bodies;
  EXPECT_EQ(how_it_ended_, "with a word");
  for (auto at = heard.find("\r\n\r\n"); at != heard.npos; at = heard.find("\r\n\r\n", at + 1))
    bodies += heard.substr(at, heard.find("HTTP/1.1", at) - at) + '|';
  EXPECT_TRUE(bodies == wanted);
}
TEST_F(ATlsServer, TakesALargeBody) {
  start();
  auto client = connect();
  const std::string body(5 << 20, 'b');
  ASSERT_TRUE(client.write_all("POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                               std::to_string(body.size()) + "\r\n\r\n" + body));
  EXPECT_TRUE(hear(client).ends_with("\r\n\r\n" + body));
}
TEST_F(ATlsServer, SendsItsHeadersForTlsWithEveryAnswer) {
  start({.tls_headers = {{"Strict-Transport-Security", "max-age=60"}}});
  auto client = connect();
  EXPECT_NE(ask(client, "/a").find("\r\nStrict-Transport-Security: max-age=60\r\n"), std::string::npos);
}

TEST_F(ATlsServer, TellsAPlainClientAndGoesOn) {
  start({.tls_headers = {{"Strict-Transport-Security", "max-age=60"}}});
  auto plain = connect(false);
  const std::string heard = ask(plain, "/a");
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 400 Bad Request\r\n")) << heard;
  EXPECT_NE(heard.find("ask with https://"), std::string::npos) << heard;
  EXPECT_EQ(heard.find("Strict-Transport-Security"), std::string::npos) << "not to be said over plain HTTP";
  EXPECT_EQ(how_it_ended_, "with a word");
  EXPECT_EQ(failures("plain"), 1);
  auto client = connect();
  EXPECT_TRUE(ask(client, "/a").ends_with("/a"));
}
TEST_F(ATlsServer, ClosesOnAClientThatOnlySeemsToSpeakTls) {
  start();
  auto client = connect(false);
  ASSERT_TRUE(client.write_all(std::string_view("\x16\x03\x01\x00\x04nope", 9)));
  hear(client);
  EXPECT_EQ(failures("refused"), 1);
}
TEST_F(ATlsServer, CountsAClientThatLeavesWithoutAWord) {
  start();
  connect(false).close();
  EXPECT_EQ(failures("closed"), 1);
}
TEST_F(ATlsServer, CutsASlowHandshakeAndServesOthersMeanwhile) {
  start({.handshake_timeout = seconds(3)});  // long enough for the other client on a busy machine
  auto slow = connect(false);
  ASSERT_TRUE(slow.write_all("\x16"));
  auto client = connect();
  EXPECT_TRUE(ask(client, "/a").ends_with("/a"));
  EXPECT_EQ(hear(slow), "");
  EXPECT_EQ(failures("timeout"), 1);
  EXPECT_TRUE(ask(client, "/b").ends_with("/b"));
}
TEST_F(ATlsServer, CountsHandshakesAsConnections) {
  start();
  const auto silent = connect(false);
  std::size_t open = 0;
  while (open == 0) on_io([&] { open = server_->connections(); });  // until it is accepted
  EXPECT_EQ(open, 1u);
}
TEST_F(ATlsServer, TellsWhoComesWhenAllAreAtWorkAndLetsAProbeIn) {
  start({.max_connections = 1, .max_connections_per_address = 10});
  auto busy = connect();
  ASSERT_TRUE(busy.write_all("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
  holding_.get_future().wait();
  auto refused = connect();
  ASSERT_TRUE(refused.write_all("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(hear(refused).starts_with("HTTP/1.1 503 "));
  auto probe = connect();
  EXPECT_TRUE(ask(probe, "/probe").starts_with("HTTP/1.1 200 "));
  on_io([&] { held_[0].send({.content_type = "text/plain", .body = "/held"}); });
  EXPECT_TRUE(hear(busy, "/held").ends_with("/held"));
}
TEST_F(ATlsServer, ClosesAnUnfinishedHandshakeWhereThereIsNoRoomForAnother) {
  start({.max_connections = 1});
  auto silent = connect(false);
  std::string heard;
  for (int i = 0; i < 100 && !heard.starts_with("HTTP/1.1 200 "); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    auto client = connect();
    heard = ask(client, "/a", "Connection: close\r\n");
  }
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 ")) << heard;
  EXPECT_EQ(hear(silent), "");
}
TEST_F(ATlsServer, HoldsSlowClientsToTheSameTimes) {
  start({.header_timeout = std::chrono::milliseconds(1000),
         .min_client_rate = 100'000,
         .rate_window = std::chrono::milliseconds(1000)});
  auto header = connect(), body = connect(), reader = connect();
  ASSERT_TRUE(header.write_all("GET / HTTP/1.1\r\nHo"));
  ASSERT_TRUE(body.write_all("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx"));
  ASSERT_TRUE(reader.write_all("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(hear(header).starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(hear(body).starts_with("HTTP/1.1 408 "));
  Server::Counters now;
  while (now.slow_readers == 0) on_io([&] { now = server_->counters(); });
  EXPECT_LT(hear(reader).size(), std::size_t{16} << 20);
  EXPECT_EQ(now.slow_headers + now.slow_bodies + now.slow_readers, 3u);
}

TEST_F(ATlsServer, ShowsANewCertificateToNewConnectionsAndKeepsTheOld) {
  start();
  auto old = connect();
  EXPECT_TRUE(ask(old, "/a").ends_with("/a"));
  const support::TestAuthority other;
  files_.replace(other.issue("IP:127.0.0.1"));
  on_io([&] { EXPECT_EQ(identity_->refresh(), true); });
  EXPECT_FALSE(ClientStream::connect("127.0.0.1", port_, trust_.get(), kPatience));
  support::write_file(files_.ca, other.certificate());
  trust_ = *tls::Trust::load(files_.ca);
  auto fresh = connect();
  EXPECT_TRUE(ask(fresh, "/b").ends_with("/b"));
  EXPECT_TRUE(ask(old, "/c").ends_with("/c"));
}
TEST_F(ATlsServer, DrainsAfterTheAnswersThatAreOwed) {
  start();
  auto idle = connect(), busy = connect(), shaking = connect(false);
  EXPECT_TRUE(ask(idle, "/a").ends_with("/a"));
  ASSERT_TRUE(busy.write_all("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
  holding_.get_future().wait();
  std::promise<void> drained;
  on_io([&] { server_->drain([&] { drained.set_value(); }); });
  EXPECT_EQ(hear(idle), "");
  EXPECT_EQ(how_it_ended_, "with a word");
  EXPECT_EQ(hear(shaking), "");
  on_io([&] { held_[0].send({.content_type = "text/plain", .body = "/held"}); });
  EXPECT_TRUE(hear(busy).ends_with("Connection: close\r\n\r\n/held"));
  EXPECT_EQ(how_it_ended_, "with a word");
  EXPECT_EQ(drained.get_future().wait_for(kPatience), std::future_status::ready);
}

TEST_F(ATlsServer, IsReadByTheClientThatTrustsIt) {
  start();
  std::string body;
  const auto limited = [](std::uint64_t bytes) { return GetLimits{.max_bytes = bytes, .step_timeout = kPatience}; };
  ASSERT_TRUE(get(url(), trust_.get(), "/large", limited(4 << 20), [&](ByteView piece) -> Result<void> {
    body += as_text(piece);
    return {};
  }));
  EXPECT_TRUE(body == std::string(3 << 20, '@'));
  EXPECT_EQ(get(url(), trust_.get(), "/large", limited(1 << 20), [](ByteView) { return Result<void>(); }),
            Code::kCorrupt);
}
TEST_F(ATlsServer, IsRefusedByAClientThatDoesNot) {
  start();
  const support::CertificateFiles others;
  const auto refused = fetch(**tls::Trust::load(others.ca), url());
  ASSERT_EQ(refused, Code::kUnavailable);
  EXPECT_EQ(refused.error().message().find("https://127.0.0.1:" + port_ +
                                           "/a: cannot connect: the server's certificate "
                                           "is not trusted: "),
            0u)
      << refused.error().message();
  EXPECT_EQ(failures("refused"), 1);
}
TEST_F(ATlsServer, IsRefusedUnderAnAddressThatIsNotItsOwn) {
  start();
  files_.replace(files_.authority.issue("DNS:example.org"));
  on_io([&] { EXPECT_EQ(identity_->refresh(), true); });
  const auto refused = fetch(*trust_, url());
  ASSERT_EQ(refused, Code::kUnavailable);
  EXPECT_TRUE(refused.error().message().ends_with("the server's certificate is not for this address"))
      << refused.error().message();
}

}  // namespace
}  // namespace frond::http
