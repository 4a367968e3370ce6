// The server: requests and answers, complete and in order, and what handlers learn of their clients.
#include "common/http/client/client.h"
#include "common/net/local_address.h"
#include "tests/support/scratch_folder.h"
#include "tests/unit/common/http/server_fixture.h"

namespace frond::http {
namespace {
TEST_F(AServer, KeepsAConnectionForManyRequests) {
  start();
  Client client(port());
  for (const char* path : {"/a", "/b", "/later"}) {
    const std::string heard = client.say(get(path)).hear(path);
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << heard;
    EXPECT_NE(heard.find("\r\nContent-Length: "), std::string::npos);
  }
}
TEST_F(AServer, ListensAtALocalSocket) {
  const support::ScratchFolder folder;
  const std::string at = "unix:" + (folder / "server.sock").string();
  start({.listen = at});
  EXPECT_EQ(port(), 0);
  const std::string body(300'000, 'b');
  const auto answer = exchange(*net::parse_server(at), nullptr, {"POST", "/echo", "X-More: 1\r\n", body},
                               {.max_bytes = 1 << 20, .step_timeout = std::chrono::seconds(20)});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, body);
  const auto refused = exchange(*net::parse_server(at), nullptr, {"POST", "/limited", {}, body},
                                {.max_bytes = 1 << 20, .step_timeout = std::chrono::seconds(20)});
  ASSERT_TRUE(refused) << "answered before its body is read: " << refused.error().message();
  EXPECT_EQ(refused->status, 413);
  boost::asio::io_context io;
  EXPECT_EQ(Server::create(io, {.listen = at}, [](Request&&, Responder) {}), Code::kUnavailable) << "it is taken";
}
TEST_F(AServer, AnswersPipelinedRequestsInOrderAndPastItsLimit) {
  start({.max_pipelined = 4});
  std::string all;
  for (int i = 0; i < 50; ++i) all += get(i % 3 == 0 ? "/later" : "/p" + std::to_string(i));
  const std::string heard = Client(port()).say(all + get("/end", "Connection: close\r\n")).hear_all();
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string path = i % 3 == 0 ? "/later" : "/p" + std::to_string(i);
    at = heard.find("\r\n\r\n" + path, at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_EQ(count(heard, "HTTP/1.1 200"), 51u);
}
TEST_F(AServer, AnswersAClientThatHasEndedItsSide) {
  start();
  EXPECT_EQ(count(Client(port()).say(get("/a") + get("/later")).end().hear_all(), "200 OK"), 2u);
}
TEST_F(AServer, SendsHeadersOnlyToHead) {
  start();
  const std::string heard = Client(port()).say("HEAD /abc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").hear_all();
  EXPECT_NE(heard.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_TRUE(heard.ends_with("\r\n\r\n"));
}
TEST_F(AServer, WritesLargeBodiesWhole) {
  start();
  EXPECT_EQ(count(Client(port()).say(get("/a") + get("/large") + get("/b", "Connection: close\r\n")).hear_all(), "@"),
            std::size_t{3 << 20});
}
// While a client does not read its answers, the server does not read its next requests.
TEST_F(AServer, TakesNoMoreRequestsOfAClientThatDoesNotReadItsAnswers) {
  start();
  std::string all;
  for (int i = 0; i < 16; ++i) all += get("/huge");
  Client stalled(port());
  stalled.say(all);
  Client other(port());  // when it is answered, the server has seen the other's requests
  other.say(get("/later")).hear("/later");
  other.say(get("/later")).hear("/later");
  EXPECT_LE(huge_, 2) << "of 16";
}
TEST_F(AServer, RefusesLargeAnswersWhileTooManyAreNotRead) {
  start({.max_unsent_bytes = 34 << 20});
  Client stalled(port());
  stalled.say(get("/huge"));
  while (huge_ == 0) std::this_thread::yield();
  Client other(port());
  const std::string refused = other.say(get("/large")).hear("}\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos);
  EXPECT_TRUE(other.say(get("/small")).hear("/small").starts_with("HTTP/1.1 200 ")) << "small ones pass";
  // A client that reads nothing is closed early, which releases the bytes that it held.
  std::string heard;
  for (int i = 0; i < 200 && !heard.starts_with("HTTP/1.1 200 "); ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    heard = Client(port()).say(get("/large", "Connection: close\r\n")).hear_all();
  }
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 ")) << heard.substr(0, 200);
}
TEST_F(AServer, AsksForAnAwaitedBody) {
  start();
  Client client(port());
  client.say("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(client.say("ok").hear("ok").starts_with("HTTP/1.1 200 OK"));
}
TEST_F(AServer, RefusesALargeBodySoThatTheClientCanReadWhy) {
  start();
  const std::string heard =
      Client(port())
          .say("POST /limited HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + std::string(2000000, 'x'))
          .end()
          .hear_all();
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 413 Content Too Large\r\n")) << heard;
  EXPECT_NE(heard.find("application/problem+json"), std::string::npos);
  EXPECT_NE(heard.find("Connection: close"), std::string::npos);
}
// None of these bodies is ever sent.
TEST_F(AServer, AnswersBeforeTheBodyWhatNeedsNone) {
  start();
  const auto answer = [&](std::string_view request) { return Client(port()).say(request).hear_all().substr(9, 3); };
  const std::string fields = " HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n";
  EXPECT_EQ(answer("POST /limited" + fields + "\r\n"), "413");
  EXPECT_EQ(answer("POST /limited" + fields + "Expect: 100-continue\r\n\r\n"), "413") << "and is not asked for it";
  EXPECT_EQ(answer("POST /none" + fields + "\r\n"), "405");
  EXPECT_EQ(answer("POST /only-get" + fields + "\r\n"), "405");
  EXPECT_EQ(answer("GET /none" + fields + "\r\n"), "413") << "no body is let in there";
  EXPECT_EQ(answer("POST /limited HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n"), "413");
  EXPECT_EQ(Client(port()).say("HEAD /none" + fields + "\r\n").hear("\r\n\r\n").substr(9, 3), "413");
}
TEST_F(AServer, KeepsTheConnectionOfARequestWithoutABodyThatHasNoRoute) {
  start();
  Client client(port());
  EXPECT_TRUE(client.say("DELETE /none HTTP/1.1\r\nHost: x\r\n\r\n").hear("}\n").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(client.say(get("/a")).hear("/a").starts_with("HTTP/1.1 200 "));
}
TEST_F(AServer, BoundsTheBodiesThatAreOnTheirWayInTogether) {
  start({.max_body_bytes = 3 << 20, .body_patience = {}});
  const auto begin = [](Client& client, std::size_t bytes) {
    client.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(bytes, 'x'));
  };
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) begin(*clients.emplace_back(std::make_unique<Client>(port())), 900'000);
  // At least one is refused; the others get no answer yet and go on.
  std::size_t refused = 0;
  while (refused == 0) on_io([&] { refused = server_->counters().refused_bodies; });
  std::size_t held = 0;
  on_io([&] { held = server_->counters().body_bytes; });
  EXPECT_LE(held, std::size_t{3 << 19}) << "an address has no more than is left";
  Client promised(port()), small(port());
  begin(promised, 100);
  EXPECT_TRUE(promised.hear_all().starts_with("HTTP/1.1 503 ")) << "an announced megabyte takes its room at once";
  EXPECT_TRUE(
      small.say("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok").hear("ok").starts_with("HTTP/1.1 200 "));
  clients.clear();
  while (held > 100'000) on_io([&] { held = server_->counters().body_bytes; });
  Client whole(port());
  begin(whole, 1'000'000);
  EXPECT_TRUE(whole.hear("x").starts_with("HTTP/1.1 200 ")) << "there is room again";
}
TEST_F(AServer, RefusesGarbageAfterAnsweringWhatCameBefore) {
  start();
  const std::string heard = Client(port()).say(get("/later") + "\x01\x02\x03 nonsense\r\n\r\n").hear_all();
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 OK")) << heard;
  EXPECT_EQ(count(heard, "HTTP/1.1 400 Bad Request"), 1u);
}
TEST_F(AServer, SaysThatNothingIsToBeSniffedAndJsonNotToBeStored) {
  start();
  const std::string text = Client(port()).say(get("/a", "Connection: close\r\n")).hear_all();
  EXPECT_EQ(count(text, "\r\nX-Content-Type-Options: nosniff\r\n"), 1u) << text;
  EXPECT_EQ(count(text, "Cache-Control"), 0u) << text;
  for (const char* path : {"/drop", "/json"}) {
    const std::string json = Client(port()).say(get(path, "Connection: close\r\n")).hear_all();
    EXPECT_EQ(count(json, "\r\nX-Content-Type-Options: nosniff\r\n"), 1u) << json;
    EXPECT_EQ(count(json, "\r\nCache-Control: no-store\r\n"), 1u) << json;
  }
  const std::string own = Client(port()).say(get("/own-json", "Connection: close\r\n")).hear_all();
  EXPECT_EQ(count(own, "Cache-Control: "), 1u) << own;
  EXPECT_EQ(count(own, "Cache-Control: no-cache\r\n"), 1u) << own;
}
TEST_F(AServer, AnswersUnderItsNamesAndToProbesUnderAny) {
  Server::Config config;
  config.hosts = *HostList::parse(std::vector<std::string>{"search.example"});
  start(std::move(config));
  const auto ask = [&](const std::string& path, const std::string& host) {
    return Client(port())
        .say("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
        .hear_all();
  };
  for (const char* host : {"search.example:8080", "127.0.0.1", "localhost"})
    EXPECT_TRUE(ask("/a", host).starts_with("HTTP/1.1 200 ")) << host;
  EXPECT_TRUE(ask("/a", "evil.example:8080").starts_with("HTTP/1.1 421 Misdirected Request\r\n"));
  EXPECT_TRUE(ask("/a", "").starts_with("HTTP/1.1 421 "));
  EXPECT_TRUE(ask("http://evil.example/a", "search.example").starts_with("HTTP/1.1 4"))
      << "the target's own name counts";
  EXPECT_TRUE(ask("/probe", "evil.example").starts_with("HTTP/1.1 200 "));
}
TEST_F(AServer, AnswersADroppedRequestWith500) {
  start();
  EXPECT_TRUE(Client(port()).say(get("/drop")).hear_all().starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(Client(port()).say(get("/throw")).hear_all().starts_with("HTTP/1.1 500 "));
}
TEST_F(AServer, SurvivesAClientThatLeavesBeforeItsAnswer) {
  start();
  auto holding = holding_.get_future();
  { Client(port()).say(get("/hold")); }
  holding.wait();
  release();
  EXPECT_NE(Client(port()).say(get("/a")).hear("/a"), "");
}
TEST_F(AServer, TellsAHandlerThatItsClientClosed) {
  start();
  { Client(port()).say(get("/watch")); }
  gone_.get_future().wait();
}
TEST_F(AServer, TellsAHandlerThatItsClientEndedItsSideAndStillTakesTheAnswer) {
  start();
  Client client(port());
  client.say(get("/watch")).end();
  gone_.get_future().wait();
  release();
  EXPECT_TRUE(client.hear_all().ends_with("/held"));
}
// The server reads nothing more from such a connection, so reading cannot show that it was closed.
TEST_F(AServer, TellsAHandlerThatItsClientClosedBehindItsLastRequest) {
  start();
  { Client(port()).say(get("/watch", "Connection: close\r\n")); }
  gone_.get_future().wait();
}
TEST_F(AServer, TellsAHandlerThatItsClientClosedBehindMoreThanIsRead) {
  start({.max_pipelined = 2});
  Client next(port());
  {
    Client client(port());
    client.say(get("/watch") + get("/a") + get("/b") + get("/c"));
    next.say(get("/a")).hear("/a");
  }
  gone_.get_future().wait();
}
TEST_F(AServer, TellsNothingOnceTheAnswerIsThere) {
  start();
  {
    Client client(port());
    client.say(get("/watch"));
    auto holding = holding_.get_future();
    Client other(port());
    other.say(get("/hold"));
    holding.wait();  // so the first request is held, too
    release();
    client.hear("/held");
  }
  Client(port()).say(get("/a")).hear("/a");
  EXPECT_EQ(gone_.get_future().wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
}
TEST_F(AServer, DrainsByAnsweringWhatIsOpenAndClosingWhatIsIdle) {
  start();
  Client idle(port()), busy(port());
  idle.say(get("/a")).hear("/a");
  auto holding = holding_.get_future();
  busy.say(get("/hold"));
  holding.wait();
  std::promise<void> drained;
  auto done = drained.get_future();
  boost::asio::post(io_, [&] { server_->drain([&] { drained.set_value(); }); });
  EXPECT_EQ(idle.hear_all(), "");
  EXPECT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  release();
  const std::string heard = busy.hear_all();
  EXPECT_TRUE(heard.ends_with("/held")) << heard;
  EXPECT_NE(heard.find("Connection: close"), std::string::npos);
  done.wait();
  EXPECT_FALSE(Client(port()).connected);
}
TEST_F(AServer, ReportsEachAnswerWithItsRoute) {
  std::promise<std::pair<std::string, int>> reported;
  auto report = reported.get_future();
  start({.on_answer = [&](const AnsweredRequest& answered) {
    reported.set_value({std::string(answered.route), answered.status});
  }});
  Client client(port());
  client.say(get("/a")).hear("/a");
  EXPECT_EQ(report.get(), (std::pair<std::string, int>("/echo", 200)));
}
TEST_F(AServer, NamesTheRequestInEveryAnswer) {
  start();
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  Client client(port());
  const std::string known =
      client.say(get("/a", "traceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\nX-Request-Id: mine\r\n")).hear("/a");
  EXPECT_NE(known.find("\r\nX-Request-Id: mine\r\n"), std::string::npos) << known;
  const std::string trace_alone =
      client.say(get("/b", "traceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\n")).hear("/b");
  EXPECT_NE(trace_alone.find("\r\nX-Request-Id: " + trace + "\r\n"), std::string::npos) << trace_alone;
  for (const std::string& bad :
       {std::string("NONSENSE\r\n\r\n"), std::string("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n")}) {
    const std::string refused = Client(port()).say(bad).hear_all();
    EXPECT_NE(refused.find("\r\nX-Request-Id: "), std::string::npos) << refused;
  }
}
TEST(Server, SaysWhatIsWrongWithAnAddress) {
  boost::asio::io_context io;
  for (const char* listen : {"", "nohost", "1.2.3.4:", "1.2.3.4:70000", "1.2.3.4:x", "::1:80"})
    EXPECT_EQ(Server::create(io, {.listen = listen}, Router()), Code::kInvalid) << listen;
  auto first = Server::create(io, {.listen = "127.0.0.1:0"}, Router());
  ASSERT_TRUE(first);
  EXPECT_EQ(Server::create(io, {.listen = "127.0.0.1:" + std::to_string((*first)->port())}, Router()),
            Code::kUnavailable);
}
}  // namespace
}  // namespace frond::http
