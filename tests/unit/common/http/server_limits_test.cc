// The server's limits: which connections are accepted, which are closed for others, and how slow a client may be.
#include "tests/unit/common/http/server_fixture.h"

namespace frond::http {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kClose = "Connection: close\r\n";

class TheServersLimits : public AServer {
 protected:
  // Asks until the answer is `wanted`: a connection is closed for another after a second at the earliest.
  std::string ask_until(const std::string& wanted, std::string_view path) {
    std::string heard;
    for (int i = 0; i < 200; ++i) {
      heard = Client(port()).say(get(path, kClose)).hear_all();
      if (heard.starts_with("HTTP/1.1 " + wanted)) break;
      std::this_thread::sleep_for(milliseconds(100));
    }
    return heard;
  }
  std::unique_ptr<Client> hold_one() {
    auto client = std::make_unique<Client>(port());
    client->say(get("/hold"));
    holding_.get_future().wait();
    return client;
  }
  Server::Counters counters() {
    Server::Counters now;
    on_io([&] { now = server_->counters(); });
    return now;
  }
  void await_connections(std::size_t count) {
    while (counters().connections != count) std::this_thread::yield();
  }
};

TEST_F(TheServersLimits, TurnAwayWhoComesWhenAllAreAtWork) {
  start({.max_connections = 1, .max_connections_per_address = 10});
  const auto busy = hold_one();
  const std::string heard = Client(port()).say(get("/a")).hear_all();
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 503 ")) << heard;
  EXPECT_NE(heard.find("Retry-After: 1"), std::string::npos) << heard;
  EXPECT_TRUE(Client(port()).hear_all().starts_with("HTTP/1.1 503 ")) << "who says nothing hears it, too";
  EXPECT_EQ(counters().refused_connections, 2u);
}
TEST_F(TheServersLimits, LetAProbeInWhenAllAreAtWork) {
  start({.max_connections = 1});
  const auto busy = hold_one();
  const std::string heard = Client(port()).say(get("/probe")).hear_all();
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 ") && heard.ends_with("/probe")) << heard;
  EXPECT_NE(heard.find("Connection: close"), std::string::npos);
  release();
  EXPECT_TRUE(busy->hear("/held").starts_with("HTTP/1.1 200 "));
}
TEST_F(TheServersLimits, LetAProbeInWhoeverHoldsWhatIsReserved) {
  start({.max_connections = 1, .max_connections_per_address = 100});
  const auto busy = hold_one();
  std::vector<std::unique_ptr<Client>> silent;
  for (std::size_t i = 0; i < Server::reserved_connections(1) + 4; ++i)
    silent.push_back(std::make_unique<Client>(port()));
  EXPECT_TRUE(Client(port()).say(get("/probe")).hear_all().ends_with("/probe"));
  EXPECT_LE(counters().connections, 1 + Server::reserved_connections(1));
}
TEST_F(TheServersLimits, CloseAnIdleConnectionWhereThereIsNoRoomForAnother) {
  start({.max_connections = 2, .max_connections_per_address = 2});
  const auto busy = hold_one();
  Client idle(port());
  idle.say(get("/a")).hear("/a");
  EXPECT_TRUE(ask_until("200", "/a").ends_with("/a"));
  EXPECT_EQ(idle.hear_all(), "") << "closed";
  release();
  EXPECT_TRUE(busy->hear("/held").starts_with("HTTP/1.1 200 ")) << "not this one";
}
TEST_F(TheServersLimits, CloseAnUnfinishedRequestBeforeAnIdleConnection) {
  start({.max_connections = 2, .max_connections_per_address = 10, .header_timeout = seconds(60)});
  Client idle(port());  // has waited longer
  idle.say(get("/a")).hear("/a");
  Client unfinished(port());
  unfinished.say("G");
  await_connections(2);
  EXPECT_TRUE(ask_until("200", "/b").ends_with("/b"));
  EXPECT_EQ(unfinished.hear_all(), "");
  EXPECT_TRUE(idle.say(get("/c")).hear("/c").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(counters().gave_way, 1u);
}
TEST_F(TheServersLimits, HoldAnAddressToItsShare) {
  start({.max_connections = 100, .max_connections_per_address = 2});
  const auto busy = hold_one();
  Client idle(port());
  idle.say(get("/a")).hear("/a");
  const std::string refused = Client(port()).say(get("/a")).hear_all();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 429 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos);
  EXPECT_TRUE(Client(port()).say(get("/probe")).hear_all().starts_with("HTTP/1.1 200 ")) << "probes are let in";
  EXPECT_TRUE(ask_until("200", "/b").ends_with("/b")) << "its own idle one gives way after a second";
  EXPECT_EQ(idle.hear_all(), "");
  const auto now = counters();
  EXPECT_GE(now.refused_of_address, 1u);
  EXPECT_EQ(now.refused_connections, 0u);
}

TEST_F(TheServersLimits, AnswerAnUnfinishedHeaderWith408AndCloseAnIdleConnection) {
  start({.header_timeout = milliseconds(1000), .idle_timeout = seconds(2)});
  Client idle(port()), slow(port());
  slow.say("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(slow.hear_all().starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(idle.hear_all(), "");
  const auto now = counters();
  EXPECT_EQ(now.slow_headers, 1u);
  EXPECT_EQ(now.idle, 1u);
}
TEST_F(TheServersLimits, CountTheHeadersTimeFromItsFirstByteHoweverManyFollow) {
  start({.header_timeout = milliseconds(1500)});
  Client slow(port());
  std::atomic<bool> stop = false;
  std::thread dribble([&] {
    for (slow.say("GET /"); !stop; slow.say("a")) std::this_thread::sleep_for(milliseconds(50));
  });
  EXPECT_TRUE(slow.hear_all().starts_with("HTTP/1.1 408 "));
  stop = true;
  dribble.join();
}
TEST_F(TheServersLimits, EndABodyThatComesTooSlowly) {
  start({.min_client_rate = 100'000, .rate_window = milliseconds(1000)});
  const std::string header = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
  Client slow(port()), steady(port());
  slow.say(header + "x");
  steady.say(header);
  std::atomic<bool> ended = false;
  std::thread feed([&] {  // 400,000 bytes a second
    for (int i = 0; i < 100 && !ended; ++i) {
      steady.say(std::string(10'000, 'y'));
      std::this_thread::sleep_for(milliseconds(25));
    }
  });
  EXPECT_TRUE(slow.hear_all().starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(steady.hear("y").starts_with("HTTP/1.1 200 ")) << "this one comes in time";
  ended = true;
  feed.join();
  EXPECT_EQ(counters().slow_bodies, 1u);
}
TEST_F(TheServersLimits, CloseOnAClientThatTakesItsAnswerTooSlowly) {
  start({.min_client_rate = 200'000, .rate_window = milliseconds(1000)});
  Client stalled(port()), steady(port());
  stalled.say(get("/huge"));
  steady.say(get("/huge", kClose));
  std::size_t heard = 0;  // 4 MB a second for the first half: slow, but not too slow
  for (std::string piece = steady.hear_some(400'000); !piece.empty(); piece = steady.hear_some(400'000)) {
    heard += count(piece, "@");
    if (heard < 8 << 20) std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(heard, std::size_t{16} << 20);
  while (counters().slow_readers == 0) std::this_thread::sleep_for(milliseconds(50));
  // The client still receives what the kernel had buffered before.
  EXPECT_LT(count(stalled.hear_all(), "@"), std::size_t{16} << 20);
  EXPECT_EQ(counters().slow_readers, 1u);
}
TEST_F(TheServersLimits, LeaveRoomForTheAnswersOfOthers) {
  start({.max_unsent_bytes = 40 << 20});
  Client stalled(port()), another(port());
  stalled.say(get("/huge"));
  while (huge_ == 0) std::this_thread::yield();
  another.say(get("/huge"));  // with 32 MiB for one address, only 8 MiB would be left for all others
  EXPECT_TRUE(another.hear_some(100).starts_with("HTTP/1.1 503 "));
  const auto now = counters();
  EXPECT_EQ(now.refused_answers, 1u);
  EXPECT_GE(now.unsent_bytes, std::size_t{16} << 20);
}
TEST_F(TheServersLimits, CountARequestWhileSomebodyKeepsItThoughItsClientHasLeft) {
  start({.max_body_bytes = 3 << 20, .body_patience = milliseconds(300)});
  const std::string post =
      "POST /keep HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x');
  const auto kept = [this] {
    std::size_t requests = 0;
    on_io([&] { requests = kept_.size(); });
    return requests;
  };
  {
    Client leaves(port());
    leaves.say(post);
    while (kept() < 1) std::this_thread::yield();
  }
  on_io([this] { held_.clear(); });
  await_connections(0);
  EXPECT_GE(counters().body_bytes, 1'000'000u);
  const std::string refused = Client(port()).say(post).hear_all();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos) << refused;
  on_io([this] { kept_.clear(); });
  EXPECT_EQ(counters().body_bytes, 0u);
  Client stays(port());
  stays.say(post);
  while (kept() < 1) std::this_thread::yield();
  on_io([this] { kept_.clear(); });
  EXPECT_GE(counters().body_bytes, 1'000'000u) << "it is not answered yet";
  release();
  EXPECT_TRUE(stays.hear("/held").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(counters().body_bytes, 0u);
}
TEST_F(TheServersLimits, SayHowLargeABodyMayBeThatIsNeverLetIn) {
  start({.max_body_bytes = 1 << 20});
  const auto answer = [this](std::size_t bytes) {
    return Client(port())
        .say("POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes) +
             "\r\n\r\n" + std::string(bytes, 'x'))
        .hear_all();
  };
  const std::string refused = answer(600'000);
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 413 ")) << refused;
  EXPECT_EQ(refused.find("Retry-After"), std::string::npos) << refused;
  const std::string_view said = "The body may have ";
  const std::size_t most = std::stoul(refused.substr(refused.find(said) + said.size()));
  EXPECT_TRUE(answer(most).starts_with("HTTP/1.1 200 ")) << most;
  EXPECT_TRUE(answer(most + 1).starts_with("HTTP/1.1 413 ")) << most;
}
TEST_F(TheServersLimits, CountRequestsByTheirKeyHoweverManyAddressesThatHas) {
  const auto by_key = [](const Request& header, const ClientAddress&, Access) {
    Admittance admittance;
    const std::string_view key = header.header("x-key");
    std::copy(key.begin(), key.end(), admittance.client.emplace().begin());
    return admittance;
  };
  start({.max_body_bytes = 4 << 20, .body_patience = {}, .gatekeeper = by_key});
  const auto post = [](const std::string& key) {
    return "POST /keep HTTP/1.1\r\nHost: x\r\nX-Key: " + key + "\r\nContent-Length: 1000000\r\n\r\n" +
           std::string(1'000'000, 'x');
  };
  std::vector<std::unique_ptr<Client>> clients;
  const auto keep = [&](const std::string& key, std::size_t all) {
    clients.emplace_back(std::make_unique<Client>(port()))->say(post(key));
    const auto refused = counters().refused_bodies;
    std::size_t requests = 0;
    while (requests < all && counters().refused_bodies == refused) on_io([&] { requests = kept_.size(); });
    EXPECT_EQ(requests, all) << key;
  };
  keep("a", 1);
  keep("a", 2);
  EXPECT_TRUE(Client(port()).say(post("a")).hear_all().starts_with("HTTP/1.1 503 ")) << "that would be more than half";
  keep("b", 3);
  on_io([this] { EXPECT_NE(kept_[0].client, kept_[2].client); });
}
TEST_F(TheServersLimits, LetABodyWaitForRoomUnread) {
  start({.max_body_bytes = 3 << 20, .rate_window = milliseconds(1000)});
  const std::string post =
      "POST /keep HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x');
  const auto kept = [this] {
    std::size_t requests = 0;
    on_io([&] { requests = kept_.size(); });
    return requests;
  };
  Client first(port()), second(port());
  first.say(post);
  while (kept() < 1) std::this_thread::yield();
  second.say(post);
  std::this_thread::sleep_for(milliseconds(2500));  // longer than a slow client has
  EXPECT_EQ(kept(), 1u);
  EXPECT_LT(counters().body_bytes, 1'600'000u);
  on_io([this] { kept_.clear(); });
  release();
  EXPECT_TRUE(first.hear("/held").starts_with("HTTP/1.1 200 "));
  while (kept() < 1) std::this_thread::yield();
  release();
  EXPECT_TRUE(second.hear("/held").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(counters().refused_bodies, 0u);
  EXPECT_EQ(counters().slow_bodies, 0u);
}
TEST_F(TheServersLimits, LetABodyWaitForRoomThatComesWhole) {
  start({.max_body_bytes = 2'008'000});
  const std::string header = "POST /a HTTP/1.1\r\nHost: x\r\n", body(8192, 'x');
  Client large(port()), small(port()), chunked(port()), other(port());
  large.say("POST /keep HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));
  for (std::size_t kept = 0; kept < 1;) on_io([&] { kept = kept_.size(); });
  small.say(header + "Content-Length: 8192\r\n\r\n" + body);
  chunked.say(header + "Transfer-Encoding: chunked\r\n\r\n2000\r\n" + body + "\r\n0\r\n\r\n");
  EXPECT_TRUE(other.say(get("/a")).hear("/a").starts_with("HTTP/1.1 200 ")) << "what is small needs no room";
  on_io([this] { kept_.clear(); });
  release();
  EXPECT_TRUE(large.hear("/held").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(small.hear(body).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(chunked.hear(body).starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(counters().refused_bodies, 0u);
}
TEST_F(TheServersLimits, LetLargeBodiesTakeTurns) {
  start({.max_body_bytes = 3 << 20});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back(std::make_unique<Client>(port()))
        ->say("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + std::string(200'000, 'x'));
  while (counters().body_bytes < 900'000) std::this_thread::yield();
  const auto begun = std::chrono::steady_clock::now();
  for (const auto& client : clients) client->say(std::string(699'999, 'x') + "!");
  for (const auto& client : clients) EXPECT_TRUE(client->hear("!").starts_with("HTTP/1.1 200 "));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2)) << "none waits for another's part";
  EXPECT_EQ(counters().refused_bodies, 0u);
}
TEST_F(TheServersLimits, EndSomeChunkedBodiesThatWaitForEachOther) {
  start({.max_body_bytes = 3 << 20});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back(std::make_unique<Client>(port()))
        ->say("POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n" +
              std::string(300'000, 'x') + "\r\n");
  while (counters().body_bytes < 1'200'000 && counters().refused_bodies == 0) std::this_thread::yield();
  const auto begun = std::chrono::steady_clock::now();
  for (const auto& client : clients) client->say("927c0\r\n" + std::string(600'000, 'x') + "\r\n0\r\n\r\n");
  std::size_t taken = 0, refused = 0;
  for (const auto& client : clients) {
    const std::string heard = client->hear_all();
    taken += heard.starts_with("HTTP/1.1 200 ");
    refused += heard.starts_with("HTTP/1.1 503 ") && heard.find("Retry-After: 1") != std::string::npos;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2));
  EXPECT_GE(taken, 1u);
  EXPECT_GE(refused, 1u);
  EXPECT_EQ(taken + refused, 4u);
  EXPECT_EQ(counters().body_bytes, 0u);
}
TEST_F(TheServersLimits, LetSmallRequestsOfAConnectionWaitBeyondAFewKilobytes) {
  start();
  const std::string post = "POST /keep HTTP/1.1\r\nHost: x\r\nContent-Length: 1500\r\n\r\n" + std::string(1500, 'x');
  Client client(port()), other(port());
  for (int i = 0; i < 8; ++i) client.say(post);
  const auto kept = [this] {
    std::size_t requests = 0;
    on_io([&] { requests = kept_.size(); });
    return requests;
  };
  while (kept() < 3) std::this_thread::yield();
  other.say(get("/a")).hear("/a");
  EXPECT_EQ(kept(), 3u);
  for (std::size_t answered = 0; answered < 8;) {
    answered = kept();
    release();
  }
  std::string heard;
  while (count(heard, "/held") < 8) heard += client.hear_some(4096);
  EXPECT_EQ(count(heard, "HTTP/1.1 200 "), 8u);
}
TEST_F(TheServersLimits, CountLongHeaders) {
  start();
  Client client(port());
  client.say(get("/hold", "X: " + std::string(8000, 'x') + "\r\n"));
  holding_.get_future().wait();
  EXPECT_GE(counters().body_bytes, 16'000u);
  release();
  client.hear("/held");
  EXPECT_EQ(counters().body_bytes, 0u);
}
TEST_F(TheServersLimits, CloseAnUnfinishedBodyWhereNothingElseGivesWay) {
  start({.max_connections = 1, .max_connections_per_address = 10});
  Client unfinished(port());
  unfinished.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx");
  await_connections(1);
  EXPECT_TRUE(ask_until("200", "/b").ends_with("/b"));
  EXPECT_EQ(unfinished.hear_all(), "");
}
}  // namespace
}  // namespace frond::http
