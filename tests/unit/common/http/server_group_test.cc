// Servers on several threads that serve one port as one.
#include "tests/unit/common/http/server_fixture.h"

#include <deque>
#include <set>

namespace frond::http {
namespace {

class AServerGroup : public testing::Test {
 protected:
  static constexpr std::size_t kServers = 3;
  struct One {
    boost::asio::io_context io{1};
    std::unique_ptr<Server> server;
    std::thread thread;
  };
  void start(Server::Config config = {}) {
    config.listen = "127.0.0.1:0";
    config.group = Server::make_group(config, kServers);
    for (One& one : all) {
      const auto number = std::to_string(&one - all.data());
      auto created = Server::create(one.io, config,
                                    Router::everything(
                                        [number](Request&&, Responder responder) {
                                          responder.send({.content_type = "text/plain", .body = number});
                                        },
                                        {.max_body = 1 << 20}));
      ASSERT_TRUE(created) << created.error().message();
      one.server = *std::move(created);
      port = one.server->port();
      config.listen = "127.0.0.1:" + std::to_string(port);
      one.thread = std::thread([&one] { one.io.run(); });
    }
  }
  ~AServerGroup() override {
    for (One& one : all) {
      one.io.stop();
      if (one.thread.joinable()) one.thread.join();
    }
  }
  // The answer's status and body, "200 0"; the connection stays open.
  std::string ask(Client& client) {
    const std::string heard = client.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n").hear_some(4096);
    return heard.substr(9, 4) + heard.substr(heard.find("\r\n\r\n") + 4, 1);
  }
  Server::Counters counters() { return all[0].server->counters(); }

  std::array<One, kServers> all;
  std::uint16_t port = 0;
};

TEST_F(AServerGroup, ServesOnePortFromAllItsThreads) {
  start();
  std::set<std::string> answered;
  std::deque<Client> clients;
  for (int i = 0; i < 60; ++i) answered.insert(ask(clients.emplace_back(port)));
  EXPECT_EQ(answered, (std::set<std::string>{"200 0", "200 1", "200 2"}));
  EXPECT_EQ(counters().connections, 60u) << "of all";
  EXPECT_EQ(counters().most_of_an_address, 60u);
}
TEST_F(AServerGroup, HasOneLimitOfConnections) {
  start({.max_connections = 5, .max_connections_per_address = 100});
  std::deque<Client> clients;
  std::size_t served = 0;
  for (int i = 0; i < 12; ++i) served += ask(clients.emplace_back(port)).starts_with("200");
  EXPECT_EQ(served, 5u);
  EXPECT_EQ(counters().refused_connections, 7u);
}
TEST_F(AServerGroup, HasOneLimitForEachAddress) {
  start({.max_connections = 100, .max_connections_per_address = 4});
  std::deque<Client> clients;
  std::size_t served = 0;
  for (int i = 0; i < 12; ++i) served += ask(clients.emplace_back(port)).starts_with("200");
  EXPECT_EQ(served, 4u);
  EXPECT_EQ(counters().refused_of_address, 8u);
}
TEST_F(AServerGroup, MakesRoomAmongTheConnectionsOfAll) {
  start({.max_connections = 3, .max_connections_per_address = 100});
  std::deque<Client> idle;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ask(idle.emplace_back(port)).starts_with("200"));
  // They may be closed after a second; whichever server is asked then, one of the others closes one of its own.
  std::size_t refusals = 0;
  while (refusals < 200 && !ask(*std::make_unique<Client>(port)).starts_with("200")) {
    ++refusals;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(refusals, 200u);
  EXPECT_GE(counters().gave_way, 1u);
}
TEST_F(AServerGroup, TakesNoPortThatAnotherHas) {
  start();
  boost::asio::io_context io{1};
  for (const std::size_t servers : {1, 2}) {
    Server::Config config{.listen = "127.0.0.1:" + std::to_string(port)};
    config.group = Server::make_group(config, servers);
    const auto other = Server::create(io, config, Router::everything([](Request&&, Responder) {}, {}));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code(), Code::kUnavailable);
  }
}
TEST_F(AServerGroup, DrainsEachServerOnItsThread) {
  start();
  std::deque<Client> clients;
  for (int i = 0; i < 20; ++i) ask(clients.emplace_back(port));
  std::array<std::promise<void>, kServers> drained;
  for (std::size_t i = 0; i < kServers; ++i)
    boost::asio::post(all[i].io, [&, i] { all[i].server->drain([&, i] { drained[i].set_value(); }); });
  for (auto& one : drained) one.get_future().get();
  EXPECT_EQ(counters().connections, 0u);
}
}  // namespace
}  // namespace frond::http
