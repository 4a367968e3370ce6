// The load generator against a server of a few lines that can be told to stall, close, or refuse.
#include "tools/load/load_generator.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "common/http/client/client_stream.h"

namespace frond::tools {
namespace {
using http::Socket;

const std::string kBody = R"({"cache":"hit","coverage":{"degraded":[]},"hits":[]})";
const std::string kReply = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBody.size()) + "\r\n\r\n" + kBody;

// Answers every request with what `reply` gives for its number; an empty string closes the connection. One thread.
class Server {
 public:
  explicit Server(std::function<std::string(std::uint64_t)> reply) : reply_(std::move(reply)) {
    listening_ = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listening_.fd(), plain, size), 0);
    EXPECT_EQ(::listen(listening_.fd(), 512), 0);
    ::getsockname(listening_.fd(), plain, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  net::Url url() const { return {"127.0.0.1", std::to_string(port_), ""}; }
  std::uint64_t served() const { return served_; }

 private:
  void serve(const std::stop_token& stop) {
    std::vector<Socket> open;
    while (!stop.stop_requested()) {
      std::vector<pollfd> polled{{listening_.fd(), POLLIN, 0}};
      for (const auto& socket : open) polled.push_back({socket.fd(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), 20);
      for (std::size_t i = open.size(); i > 0; --i)
        if (polled[i].revents && !answer(open[i - 1])) open.erase(open.begin() + static_cast<std::ptrdiff_t>(i - 1));
      if (polled[0].revents) open.emplace_back(::accept(listening_.fd(), nullptr, nullptr));
    }
  }
  bool answer(Socket& socket) {
    char bytes[4096];
    if (::recv(socket.fd(), bytes, sizeof bytes, 0) <= 0) return false;
    const auto reply = reply_(served_++);
    return !reply.empty() && ::send(socket.fd(), reply.data(), reply.size(), MSG_NOSIGNAL) > 0;
  }
  std::function<std::string(std::uint64_t)> reply_;
  Socket listening_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> served_{0};
  std::jthread thread_;
};

LoadOptions options(double rate, unsigned connections, int milliseconds) {
  LoadOptions options;
  options.rate = rate;
  options.connections = connections;
  options.seconds = std::chrono::milliseconds(milliseconds);
  options.drain = std::chrono::seconds(30);  // what a busy machine may need; ends with the last answer
  return options;
}
const std::vector<std::string> kRequests{"GET /v1/search?q=a HTTP/1.1\r\n\r\n", "GET /v1/search?q=b HTTP/1.1\r\n\r\n"};

TEST(LoadGenerator, CountsEveryAnswerOfAClosedLoop) {
  Server server([](std::uint64_t) { return kReply; });
  const auto report = generate_load(server.url(), kRequests, options(0, 4, 500));
  ASSERT_TRUE(report);
  EXPECT_GT(report->answers, 0u);
  EXPECT_EQ(report->requests, report->answers);
  EXPECT_EQ(report->cache_hits, report->answers);
  // A connection's last request may be sent as time runs out: answered, and not counted.
  EXPECT_GE(server.served(), report->answers);
  EXPECT_LE(server.served(), report->answers + 4);
  EXPECT_EQ(report->latency.count(), report->answers);
  EXPECT_EQ(report->connection_errors + report->unanswered, 0u);
}

// While the server stalls for 150 ms, 2000 requests a second go on falling due: some 300 of them waited 75 ms on
// average. A generator that waits for its answers before it asks again would see a handful of slow requests.
TEST(LoadGenerator, CountsTheWaitOfRequestsThatFellDueDuringAStall) {
  Server server([](std::uint64_t number) {
    if (number == 200) std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return kReply;
  });
  const auto report = generate_load(server.url(), kRequests, options(2000, 2, 500));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->answers, report->requests);
  EXPECT_GE(report->latency.max(), 140'000'000u);
  const double share = 0.15 / 0.5;
  EXPECT_GE(report->latency.quantile(1 - share / 2), 50'000'000u);
}

TEST(LoadGenerator, ReportsWhatWasNeverAnsweredWithTheTimeItWaited) {
  Server server(
      [](std::uint64_t number) { return number < 10 ? kReply : "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"; });
  auto limits = options(500, 4, 200);
  limits.drain = std::chrono::milliseconds(1000);
  const auto report = generate_load(server.url(), kRequests, limits);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->answers, 10u);
  EXPECT_EQ(report->unanswered, report->requests - 10);
  EXPECT_GE(report->latency.max(), 250'000'000u);
}

TEST(LoadGenerator, OutlivesConnectionsThatTheBrokerCloses) {
  Server server([](std::uint64_t number) { return number % 5 == 4 ? std::string() : kReply; });
  const auto report = generate_load(server.url(), kRequests, options(500, 8, 300));
  ASSERT_TRUE(report);
  EXPECT_GT(report->connection_errors, 0u);
  EXPECT_GT(report->answers, 0u);
  EXPECT_EQ(report->first_error, "the broker closed the connection");
}

TEST(LoadGenerator, SaysWhenNobodyListens) {
  const auto report = generate_load({"127.0.0.1", "1", ""}, kRequests, options(0, 1, 100));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), Code::kUnavailable);
}

TEST(LoadGenerator, CountsLinesOfProblemsAsRefusedAndNotAsAnswered) {
  const std::string body = kBody + "\n" + R"({"status":429})" + "\n";
  std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const Server server([&](std::uint64_t) { return reply; });
  auto wanted = options(0, 1, 100);
  wanted.queries_per_request = 2;
  const auto report = generate_load(server.url(), kRequests, wanted);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->refused, report->answers);
  EXPECT_EQ(report->cache_hits, report->answers);
  EXPECT_LE(report->in_window, report->answers + 1);
}

}  // namespace
}  // namespace frond::tools
