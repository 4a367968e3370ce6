#pragma once
// A peer that is only a TCP socket, for what no library would send. Its bytes are ZMTP 3 by hand, without CURVE.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace frond::support {

// As a DEALER without CURVE sends it.
inline std::string zmtp_greeting(std::string_view mechanism = "NULL") {
  std::string greeting(64, '\0');
  greeting[0] = '\xff';
  greeting[9] = '\x7f';
  greeting[10] = '\3';
  greeting.replace(12, mechanism.size(), mechanism);
  return greeting;
}
// `flags`: 1, more frames follow; 4, a command.
inline std::string zmtp_frame(std::string_view body, int flags = 0) {
  std::string frame;
  frame.push_back(static_cast<char>(flags | (body.size() > 255 ? 2 : 0)));
  for (int shift = body.size() > 255 ? 56 : 0; shift >= 0; shift -= 8)
    frame.push_back(static_cast<char>(body.size() >> shift));
  return frame.append(body);
}
inline std::string zmtp_ready(std::string_view type = "DEALER") {
  std::string ready = "\5READY\13Socket-Type";
  ready.append(3, '\0').push_back(static_cast<char>(type.size()));
  return zmtp_frame(ready.append(type), 4);
}

class RawPeer {
 public:
  // `from`: of this machine.
  explicit RawPeer(std::uint16_t port, const char* from = "127.0.0.1") : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {inet_addr(from)}, .sin_zero = {}};
    sockaddr_in to{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~RawPeer() { close(); }
  RawPeer(RawPeer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  // Sends what the other side takes without waiting, or all of it. False: the connection is gone.
  bool offer(std::string_view bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno == EAGAIN;
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Waits until the other side's kernel has all that was sent, which a busy machine may deliver later; false: 20 s have
  // passed.
  bool is_delivered() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int left = 1; std::chrono::steady_clock::now() < end;) {
      if (::ioctl(socket_, SIOCOUTQ, &left) != 0) return false;
      if (left == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool greet() { return send(zmtp_greeting()) && send(zmtp_ready()); }
  // Reads on until `text` has come. False: the connection ended first, or 20 s have passed.
  bool hears(std::string_view text) {
    for (; heard_.find(text) == std::string::npos;)
      if (!read()) return false;
    return true;
  }
  // Bytes that have come and were not returned before; empty: the connection ended, or 20 s have passed.
  std::string hear_some() {
    if (heard_.empty()) read();
    return std::exchange(heard_, {});
  }
  // Reads on until the other side closes the connection; false: 20 s have passed.
  bool is_closed() {
    while (read()) {
    }
    return closed_;
  }

 private:
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  bool read() {
    pollfd ready{socket_, POLLIN, 0};
    if (poll(&ready, 1, 20'000) <= 0) return false;
    char bytes[4096];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    closed_ = got <= 0;
    if (!closed_) heard_.append(bytes, static_cast<std::size_t>(got));
    return !closed_;
  }
  int socket_;
  bool closed_ = false;
  std::string heard_;
};

}  // namespace frond::support
