#pragma once
// An HTTP server on loopback that treats each request as the test says, on its own thread. For behaviour that normal
// servers never show.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/check.h"

namespace frond::support {

class ScriptedHttp {
 public:
  // One connection.
  struct Talk {
    const ScriptedHttp& server;
    const int connection;
    std::string request;

    // False: the client has closed the connection.
    bool send(std::string_view bytes) const {
      while (!bytes.empty()) {
        const auto sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    // Sends byte by byte until the client closes the connection or the server stops; after `bytes`, sends dots.
    void drip(std::string_view bytes = {}) const {
      std::size_t at = 0;
      const auto next = [&] { return at < bytes.size() ? bytes.substr(at++, 1) : std::string_view("."); };
      while (!server.stop_ && send(next())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    // The first byte that the request asks for; 0: it asks for the whole body.
    std::size_t from() const {
      const auto at = request.find("Range: bytes=");
      return at == std::string::npos ? 0 : std::stoul(request.substr(at + 13));
    }
  };
  // Called for each connection when its request has arrived (kAtOnce: at once), one connection after the other. The
  // connection is closed when it returns.
  using Script = std::function<void(const Talk&)>;
  enum class Begins { kWithARequest, kAtOnce };

  explicit ScriptedHttp(Script script, Begins begins = Begins::kWithARequest)
      : script_(std::move(script)), begins_(begins), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    FROND_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
    FROND_CHECK(::listen(listener_, 16) == 0);
    socklen_t size = sizeof any;
    FROND_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size) == 0);
    port_ = ntohs(any.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~ScriptedHttp() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  ScriptedHttp(const ScriptedHttp&) = delete;
  ScriptedHttp& operator=(const ScriptedHttp&) = delete;

  std::string port() const { return std::to_string(port_); }
  std::string url() const { return "http://127.0.0.1:" + port(); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (!stop_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      Talk talk{*this, ::accept(listener_, nullptr, nullptr), {}};
      if (talk.connection < 0) continue;
      if (begins_ == Begins::kWithARequest)
        for (char byte = 0; !talk.request.ends_with("\r\n\r\n") && ::recv(talk.connection, &byte, 1, 0) == 1;)
          talk.request += byte;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(talk.request);
      }
      script_(talk);
      ::close(talk.connection);
    }
  }

  const Script script_;
  const Begins begins_;
  const int listener_;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

// Sends signals to the thread that created it, one per millisecond, while it lives.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &action, &before_);
    thread_ = std::thread([this, to = ::pthread_self()] {
      while (!stop_) {
        ::pthread_kill(to, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~SignalStorm() {
    stop_ = true;
    thread_.join();
    ::sigaction(SIGUSR1, &before_, nullptr);
  }
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;

 private:
  struct sigaction before_ {};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace frond::support
