// Bodies that come or go compressed, through a server: with another thread for what takes long, and without.
#include <functional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "common/http/content_coding.h"
#include "tests/unit/common/http/server_fixture.h"

namespace frond::http {
namespace {

std::string gzip_of(const std::string& text) { return *encoded_body(AnswerCoding::kGzip, text); }
std::string posted_as(const std::string& path, const std::string& coding, const std::string& body,
                      const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Encoding: " + coding + "\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string body_in(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
bool has_field(const std::string& answer, const std::string& field) {
  return answer.substr(0, answer.find("\r\n\r\n") + 2).find("\r\n" + field + "\r\n") != std::string::npos;
}

class CodedBodies : public AServer, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) return start();
    Server::Config config;
    config.run_aside = [this](const ClientId&, std::size_t bytes, std::function<void()> run) {
      ++aside_;
      bytes_ += bytes;
      boost::asio::post(pool_, std::move(run));
    };
    start(std::move(config));
  }
  ~CodedBodies() override { pool_.join(); }
  std::string asked(const std::string& request) { return Client(port()).say(request).end().hear_all(); }
  boost::asio::thread_pool pool_{1};
  std::atomic<int> aside_{0};
  std::atomic<std::size_t> bytes_{0};  // of what ran aside
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutAnotherThread, CodedBodies, testing::Bool());

TEST_P(CodedBodies, AreDecodedBeforeTheHandlerHasThem) {
  for (const std::size_t bytes : {100ul, 1'000ul, 300'000ul, std::size_t{1} << 20}) {
    const std::string text(bytes, 'x');
    EXPECT_EQ(body_in(asked(posted_as("/any", "zstd", *encoded_body(AnswerCoding::kZstd, std::string(1000, 'y'))))),
              std::string(1000, 'y'));
    EXPECT_EQ(body_in(asked(posted_as("/any", "gzip", gzip_of(text)))), text);
  }
  EXPECT_EQ(aside_ > 0, GetParam()) << "long ones are decoded on another thread";
  EXPECT_EQ(bytes_, 0u) << "they have their room in the server, and need none of the threads'";
}
TEST_F(AServer, DecodesBodiesBesideThoseOfSlowSenders) {
  Server::Config config;
  config.max_body_bytes = 4 << 20;
  config.body_patience = std::chrono::milliseconds(300);
  start(std::move(config));
  const std::string half = posted_as("/any", "gzip", std::string(20'000, 'x'));
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 4; ++i) slow.emplace_back(new Client(port()))->say(half.substr(0, half.size() / 2));
  for (int i = 0; i < 2000 && server_->counters().body_bytes < 4 * 5000; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::string text(300'000, 'y');
  EXPECT_EQ(body_in(Client(port()).say(posted_as("/any", "gzip", gzip_of(text))).end().hear_all()), text);
}
TEST_P(CodedBodies, ThatAreLongerThanTheirRouteTakesAre413) {
  EXPECT_TRUE(asked(posted_as("/limited", "gzip", gzip_of(std::string(101, 'x')))).starts_with("HTTP/1.1 413 "));
  EXPECT_EQ(body_in(asked(posted_as("/limited", "gzip", gzip_of(std::string(100, 'x'))))), std::string(100, 'x'));
  const std::string bomb = gzip_of(std::string(200 << 20, 'x'));
  EXPECT_LT(bomb.size(), std::size_t{1} << 20);
  EXPECT_TRUE(asked(posted_as("/any", "gzip", bomb)).starts_with("HTTP/1.1 413 "));
}
TEST_P(CodedBodies, ThatAreBrokenAre400AndTheConnectionGoesOn) {
  const std::string whole = gzip_of(std::string(5000, 'x'));
  const std::string heard = asked(posted_as("/any", "gzip", whole.substr(0, whole.size() / 2)) +
                                  posted_as("/any", "zstd", whole) + posted_as("/any", "gzip", whole));
  EXPECT_EQ(count(heard, "HTTP/1.1 400 "), 2u);
  EXPECT_TRUE(heard.ends_with(std::string(5000, 'x')));
}
TEST_P(CodedBodies, OfOtherCodingsAre415) {
  const std::string heard = asked(posted_as("/any", "br", "body"));
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 415 "));
  EXPECT_TRUE(has_field(heard, "Accept-Encoding: gzip, deflate, zstd"));
}
TEST_P(CodedBodies, CountForTheServerOnlyWhileTheyAreWorkedOn) {
  for (int i = 0; i < 200; ++i) (void)asked(posted_as("/any", "gzip", gzip_of(std::string(700'000, 'x'))));
  EXPECT_EQ(server_->counters().refused_bodies, 0u);
  EXPECT_EQ(server_->counters().body_bytes, 0u);
}
TEST_P(CodedBodies, OfAnswersAreAsTheClientAccepts) {
  const std::string plain = asked(get("/large"));
  EXPECT_FALSE(has_field(plain, "Content-Encoding: gzip"));
  EXPECT_TRUE(has_field(plain, "Vary: Accept-Encoding"));
  EXPECT_EQ(body_in(plain), std::string(3 << 20, '@'));
  for (const char* coding : {"gzip", "zstd"}) {
    const std::string heard = asked(get("/large", std::string("Accept-Encoding: ") + coding + "\r\n"));
    EXPECT_EQ(has_field(heard, std::string("Content-Encoding: ") + coding), GetParam()) << "not on the loop";
    const auto decoded = GetParam() ? *decoded_body(coding, body_in(heard), 3 << 20) : body_in(heard);
    EXPECT_EQ(decoded, std::string(3 << 20, '@'));
    const std::string small = asked("POST /any HTTP/1.1\r\nHost: x\r\nAccept-Encoding: " + std::string(coding) +
                                    "\r\nContent-Length: 2000\r\n\r\n" + std::string(2000, 'x'));
    EXPECT_EQ(*decoded_body(coding, body_in(small), 2000), std::string(2000, 'x'));
  }
  const std::string tiny = asked(get("/tiny", "Accept-Encoding: gzip\r\n"));
  EXPECT_FALSE(has_field(tiny, "Vary: Accept-Encoding")) << "those of few bytes are the same for all";
  EXPECT_EQ(body_in(tiny), "/tiny");
}
TEST_P(CodedBodies, OfAnswersKeepTheirOrder) {
  std::string requests, wanted;
  for (int i = 0; i < 8; ++i) requests += get(i % 2 == 0 ? "/large" : "/tiny", "Accept-Encoding: gzip\r\n");
  const std::string heard = asked(requests);
  EXPECT_EQ(count(heard, "HTTP/1.1 200 "), 8u);
  EXPECT_TRUE(heard.ends_with("/tiny"));
}

}  // namespace
}  // namespace frond::http
