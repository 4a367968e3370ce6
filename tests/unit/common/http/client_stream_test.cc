// The promises of client_stream.h, with servers that stall and with signals all the time.
#include "common/http/client/client_stream.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/certificates.h"
#include "tests/support/scripted_http.h"

namespace frond::http {
namespace {
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;
using support::ScriptedHttp;

TEST(AClientStream, GivesUpATlsHandshakeThatDrips) {
  // Sends the header of a record of 16 KiB, then a byte now and then.
  const ScriptedHttp server(
      [&](const ScriptedHttp::Talk& talk) {
        talk.send(std::string_view("\x16\x03\x03\x3f\xff", 5));
        talk.drip();
      },
      ScriptedHttp::Begins::kAtOnce);
  const support::CertificateFiles files;
  const auto trust = *tls::Trust::load(files.ca);
  const auto before = steady_clock::now();
  EXPECT_EQ(ClientStream::connect("127.0.0.1", server.port(), trust.get(), milliseconds(500)), Code::kUnavailable);
  EXPECT_LT(steady_clock::now() - before, seconds(15));
}

TEST(AClientStream, GivesUpInTimeUnderAStormOfSignals) {
  const ScriptedHttp server([](const ScriptedHttp::Talk& talk) {
    char byte = 0;
    static_cast<void>(::recv(talk.connection, &byte, 1, 0));  // sends nothing until the client closes
  });
  const support::SignalStorm storm;
  auto stream = ClientStream::connect("127.0.0.1", server.port(), nullptr, milliseconds(300));
  ASSERT_TRUE(stream) << stream.error().message();
  ASSERT_TRUE(stream->write_all("GET / HTTP/1.1\r\n\r\n"));
  std::array<char, 16> to{};
  EXPECT_EQ(stream->read_some(to), Code::kDeadline);
}

TEST(AClientStream, ConnectsUnderAStormOfSignals) {
  // A listener with a full backlog: a connect waits until the system tries again, a second later.
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  ASSERT_EQ(::listen(listener, 0), 0);
  socklen_t size = sizeof any;
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size), 0);
  std::vector<Socket> before_it;
  for (int i = 0; i < 3; ++i) {
    before_it.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    static_cast<void>(::connect(before_it.back().fd(), reinterpret_cast<sockaddr*>(&any), sizeof any));
  }
  std::thread host([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::this_thread::sleep_for(milliseconds(300));
    for (int i = 0; i < 3; ++i) {
      pollfd waiting{listener, POLLIN, 0};
      if (::poll(&waiting, 1, 10000) > 0) before_it.emplace_back(::accept(listener, nullptr, nullptr));
    }
  });
  {
    const support::SignalStorm storm;
    const auto stream = ClientStream::connect("127.0.0.1", std::to_string(ntohs(any.sin_port)), nullptr, seconds(20));
    EXPECT_TRUE(stream) << stream.error().message();
  }
  before_it.clear();
  ::shutdown(listener, SHUT_RDWR);
  host.join();
  ::close(listener);
}

}  // namespace
}  // namespace frond::http
