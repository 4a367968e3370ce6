#pragma once
// A server over real sockets on loopback: its io thread on one side, plain blocking clients on the other.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "common/http/server/server.h"

namespace frond::http {

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client& say(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return *this;
  }
  Client& end() {
    ::shutdown(fd_, SHUT_WR);
    return *this;
  }
  // Reads until the bytes read end with `mark`, or the server closes.
  std::string hear(std::string_view mark) {
    std::string heard;
    char buffer[4096];
    while (!heard.ends_with(mark) || mark.empty()) {
      const auto n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) break;
      heard.append(buffer, static_cast<std::size_t>(n));
    }
    return heard;
  }
  std::string hear_all() { return hear({}); }
  // Reads once, up to `most` bytes. Empty: the server has closed.
  std::string hear_some(std::size_t most) {
    std::string heard(most, ' ');
    const auto n = ::recv(fd_, heard.data(), most, 0);
    heard.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return heard;
  }
  bool connected = false;

 private:
  int fd_;
};

// Echoes the body or the path; "/later" answers from another thread, "/hold" waits for release(), "/keep" keeps the
// request, too.
class AServer : public testing::Test {
 protected:
  void start(Server::Config config = {}) {
    if (config.listen.empty()) config.listen = "127.0.0.1:0";
    auto created = Server::create(io_, std::move(config), routes());
    ASSERT_TRUE(created) << created.error().message();
    server_ = *std::move(created);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~AServer() override {
    boost::asio::post(io_, [this] {
      held_.clear();
      kept_.clear();
      server_.reset();
    });
    work_.reset();
    if (thread_.joinable()) thread_.join();
    for (auto& worker : workers_) worker.join();
  }
  Router routes() {
    const auto handler = [this](Request&& request, Responder responder) {
      handle(std::move(request), std::move(responder));
    };
    Router router = Router::everything(handler, {.max_body = 1 << 20});
    router.add("POST", "/limited", handler, {.max_body = 100});
    router.add("GET", "/none", handler);
    router.add("GET", "/probe", handler, {.reserved = true});
    router.add("GET", "/only-get", handler);
    router.add("POST", "/keep", handler, {.max_body = 1 << 20, .access = Access::kWrite});
    return router;
  }
  void handle(Request&& request, Responder responder) {
    responder.set_route("/echo");
    if (request.path == "/throw") throw std::bad_alloc();
    if (request.path == "/drop") return;
    if (request.path == "/watch") {
      responder.on_client_gone([this] { gone_.set_value(); });
      held_.push_back(std::move(responder));
      return;
    }
    if (request.path == "/keep") {
      kept_.push_back(std::move(request));
      held_.push_back(std::move(responder));
      return;
    }
    if (request.path == "/hold") {
      held_.push_back(std::move(responder));
      holding_.set_value();
      return;
    }
    Response response{.content_type = "text/plain", .body = request.body.empty() ? request.path : request.body};
    if (request.path.ends_with("json")) response.content_type = "application/json; charset=utf-8";
    if (request.path == "/own-json") response.headers = {{"Cache-Control", "no-cache"}};
    if (request.path == "/large") response.body.assign(3 << 20, '@');
    if (request.path == "/huge") {  // more than a connection's buffers take in the kernel
      response.body.assign(16 << 20, '@');
      ++huge_;
    }
    if (request.path != "/later") return responder.send(std::move(response));
    workers_.emplace_back([responder = std::move(responder), response]() mutable { responder.send(response); });
  }
  void release() {
    boost::asio::post(io_, [this] {
      for (auto& responder : held_) responder.send({.content_type = "text/plain", .body = "/held"});
    });
  }
  void on_io(const std::function<void()>& action) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  }
  std::uint16_t port() const { return server_->port(); }

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::unique_ptr<Server> server_;
  std::vector<Responder> held_;
  std::vector<Request> kept_;
  std::vector<std::thread> workers_;
  std::promise<void> holding_, gone_;
  std::atomic<int> huge_{0};
  std::thread thread_;
};

inline std::string get(std::string_view path, std::string_view more = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n" + std::string(more) + "\r\n";
}
inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace frond::http
