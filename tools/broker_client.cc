#include "tools/broker_client.h"

#include <cerrno>
#include <cstring>

namespace frond::tools {
namespace {

Result<void> send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return Error(Code::kUnavailable, std::string("send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

}  // namespace

Result<Reply> BrokerClient::get(std::string_view target) {
  const std::string request = "GET " + url_.prefix + std::string(target) + " HTTP/1.1\r\nHost: " + url_.authority() +
                              "\r\nAccept: application/json\r\n\r\n";
  const bool reused = socket_.open();
  auto reply = exchange(request);
  if (!reply) socket_.close();
  // A kept-alive connection may have been closed by the other side between two requests; a search may be asked twice.
  if (!reply && reused && reply.error().code() == Code::kUnavailable) {
    reply = exchange(request);
    if (!reply) socket_.close();
  }
  if (!reply) return std::move(reply).error().within("broker " + url_.authority());
  return reply;
}

Result<Reply> BrokerClient::exchange(const std::string& request) {
  if (!socket_.open()) {
    socket_ = FROND_TRY(connect_blocking(url_, timeout_)).socket;
    reader_.reset();
  }
  FROND_TRY(send_all(socket_.fd(), request));
  return receive();
}

Result<Reply> BrokerClient::receive() {
  for (;;) {
    const auto ready = FROND_TRY(reader_.next());
    if (ready) {
      Reply reply{ready->status, std::string(ready->body)};
      if (!ready->keep_alive) socket_.close();
      return reply;
    }
    constexpr std::size_t kRead = 64 << 10;
    char* to = reader_.room(kRead);
    const auto got = ::recv(socket_.fd(), to, reader_.room_size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return Error(Code::kDeadline, "no reply within " + std::to_string(timeout_.count()) + " ms");
    if (got < 0) return Error(Code::kUnavailable, std::string("receive: ") + std::strerror(errno));
    if (got == 0) return Error(Code::kUnavailable, "the connection was closed before the reply was whole");
    reader_.received(static_cast<std::size_t>(got));
  }
}

}  // namespace frond::tools
