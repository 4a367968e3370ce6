// What happens to a request instead of an answer, or to the answer on its way.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>

#include "tests/support/objects/object_reply.h"

namespace frond::support {
namespace {

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Waits for the client to close the connection.
void wait_for_end(int socket, const std::atomic<bool>& stop) {
  while (!stop) {
    pollfd waiting{socket, POLLIN, 0};
    char byte = 0;
    if (::poll(&waiting, 1, 20) > 0 && ::recv(socket, &byte, 1, 0) <= 0) return;
  }
}

}  // namespace

// False: the connection is to be closed.
bool ObjectServer::handle(int socket, const SeenRequest& request) {
  Faults faults;
  {
    const std::lock_guard lock(mutex_);
    if (options_.records) requests_.push_back(request);
    if (options_.records) requests_.back().body.resize(std::min<std::size_t>(request.body.size(), 256));
    faults = faults_;
  }
  const Fault fault = faults ? faults(request) : Fault::kNone;
  Reply reply;
  switch (fault) {
    case Fault::kLostBefore:
      return false;
    case Fault::kSilent:
      wait_for_end(socket, stop_);
      return false;
    case Fault::kHalfHeader:
      if (send_all(socket, "HTTP/1.1 200 OK\r\nContent-Le")) wait_for_end(socket, stop_);
      return false;
    case Fault::kGarbage:
      send_all(socket, "220 this is another kind of server\r\n");
      return false;
    case Fault::kDrip:
      for (std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"; !stop_;) {
        if (!send_all(socket, text.empty() ? "." : text.substr(0, 1))) return false;
        text.remove_prefix(std::min<std::size_t>(text.size(), 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      return false;
    case Fault::kError500:
      reply = Reply::error(500, "InternalError");
      break;
    case Fault::kSlowDown503:
      reply = Reply::error(503, "SlowDown");
      break;
    case Fault::kErrorIn200:
      reply = Reply::error(200, "InternalError");
      break;
    default:
      reply = carry_out(request);
  }
  if (fault == Fault::kLostAfter) return false;
  if (fault == Fault::kWrongRange && reply.headers.contains("Content-Range"))
    reply.headers["Content-Range"] =
        "bytes 1-" + std::to_string(reply.body.size()) + "/" + std::to_string(reply.body.size() + 1);
  if (fault == Fault::kFlippedByte && !reply.body.empty()) reply.body[flipped_++ * 7919 % reply.body.size()] ^= 1;
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nDate: " + http_time(now()) + "\r\n";
  for (const auto& [name, value] : reply.headers) text.append(name).append(": ").append(value).append("\r\n");
  const bool head = request.method == "HEAD";
  text += "Content-Length: " + std::to_string(head ? reply.head_bytes : reply.body.size()) + "\r\n\r\n";
  if (head) return send_all(socket, text);
  if (fault == Fault::kTruncated) {
    send_all(socket, text + reply.body.substr(0, reply.body.size() / 2));
    return false;
  }
  return send_all(socket, text + reply.body);
}

}  // namespace frond::support
