// Listens, reads requests, and hands each to handle().
#include "tests/support/objects/object_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <utility>

#include "common/base/check.h"
#include "tests/support/objects/object_reply.h"

namespace frond::support {
namespace {

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// From a header without its end.
SeenRequest request_of(std::string_view head) {
  SeenRequest request;
  const std::string_view line = head.substr(0, head.find("\r\n"));
  request.method = line.substr(0, line.find(' '));
  request.target = line.substr(request.method.size() + 1, line.rfind(' ') - request.method.size() - 1);
  while (head.find("\r\n") != head.npos) {
    head.remove_prefix(head.find("\r\n") + 2);
    const std::string_view field = head.substr(0, head.find("\r\n"));
    std::string name(field.substr(0, field.find(':')));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view value = field.substr(std::min(field.size(), name.size() + 1));
    while (value.starts_with(' ')) value.remove_prefix(1);
    request.headers[name] = value;
  }
  std::string_view query(request.target);
  const auto mark = query.find('?');
  request.key = decoded(query.substr(0, mark));
  query.remove_prefix(mark == query.npos ? query.size() : mark + 1);
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    const auto equals = std::min(pair.find('='), pair.size());
    request.query[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(pair.size(), equals + 1)));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return request;
}

}  // namespace

ObjectServer::ObjectServer(Options options, Faults faults)
    : options_(std::move(options)), faults_(std::move(faults)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  any.sin_port = htons(options_.port);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  FROND_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
  FROND_CHECK(::listen(listener_, 64) == 0);
  socklen_t size = sizeof any;
  FROND_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size) == 0);
  port_ = ntohs(any.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

ObjectServer::~ObjectServer() {
  stop_ = true;
  thread_.join();
  for (Connection& connection : connections_) {
    ::shutdown(connection.socket, SHUT_RDWR);
    connection.thread.join();
    ::close(connection.socket);
  }
  ::close(listener_);
}

void ObjectServer::set_faults(Faults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = std::move(faults);
}
std::map<std::string, ObjectServer::Object> ObjectServer::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}
std::vector<SeenRequest> ObjectServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}
std::size_t ObjectServer::uploads() const {
  const std::lock_guard lock(mutex_);
  return uploads_.size();
}
std::string ObjectServer::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}
void ObjectServer::put(const std::string& key, std::string bytes, std::int64_t age_s) {
  const std::lock_guard lock(mutex_);
  objects_[key] = make(std::move(bytes), now() - age_s);
}
void ObjectServer::remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  objects_.erase(key);
}
void ObjectServer::grow_older(std::int64_t seconds) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, object] : objects_) object.modified -= seconds;
}

void ObjectServer::accept_all() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!stop_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (auto at = connections_.begin(); at != connections_.end();) {
      if (!at->over) {
        ++at;
        continue;
      }
      at->thread.join();
      ::close(at->socket);
      at = connections_.erase(at);
    }
    Connection& connection = connections_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread([this, &connection] {
      serve(connection);
      ::shutdown(connection.socket, SHUT_RDWR);
      connection.over = true;
    });
  }
}

void ObjectServer::serve(Connection& connection) {
  std::string input;
  std::vector<char> piece(1 << 20);
  const auto more = [&] {
    const auto got = ::recv(connection.socket, piece.data(), piece.size(), 0);
    if (got > 0) input.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  while (!stop_) {
    std::size_t end = 0;
    while ((end = input.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return;
    SeenRequest request = request_of(std::string_view(input).substr(0, end));
    const std::string length = header(request, "content-length");
    const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
    input.erase(0, end + 4);
    while (input.size() < bytes)
      if (!more()) return;
    request.body = input.substr(0, bytes);
    input.erase(0, bytes);
    if (!handle(connection.socket, request)) return;
  }
}

}  // namespace frond::support
