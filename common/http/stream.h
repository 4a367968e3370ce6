#pragma once
// A server's connection: bytes in, bytes out, plain or under TLS. Internal to this folder. Io thread.
//
// Plain, each operation is Asio's own, in place. Under TLS the channel reads and writes the socket, and Asio only tells
// when: nothing but the record in transit is buffered. A handler keeps the stream alive, and is never called from
// inside the call that starts its operation. close() ends all operations.
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "common/tls/channel.h"

namespace frond::http {

class Stream {
 public:
  using ErrorCode = boost::system::error_code;
  using Tcp = boost::asio::ip::tcp;
  using Done = std::function<void(const ErrorCode&, std::size_t)>;
  static constexpr std::size_t kPiece = 64 << 10;  // written at a time, at most

  // `channel` is null for a plain connection.
  Stream(Tcp::socket socket, std::unique_ptr<tls::Channel> channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {}

  bool is_open() const { return socket_.is_open(); }
  bool secure() const { return channel_ != nullptr; }
  // Whether the peer has said that it sends no more, or is gone: known also while bytes of it wait unread.
  bool peer_ended() const;
  void close();
  // Says that no more comes; both: and wants no more.
  void shut_down(Tcp::socket::shutdown_type what);

  enum class Greeting { kDone, kPlain, kClosed, kRefused };
  // The TLS handshake. kPlain: the client speaks no TLS, and from here on the stream is plain, for an answer that says
  // so. kClosed: it left. kRefused: the two could not agree.
  void handshake(std::function<void(Greeting)> done);

  // At least one byte into `to`, or an error; eof where the client has said that it sends no more.
  template <class Handler>
  void read_some(boost::asio::mutable_buffer to, Handler&& done) {
    if (!channel_) return socket_.async_read_some(to, std::forward<Handler>(done));
    read_secure(to, std::forward<Handler>(done));
  }
  // Bytes as they come on the wire, for what is only thrown away.
  template <class Handler>
  void read_raw(boost::asio::mutable_buffer to, Handler&& done) {
    socket_.async_read_some(to, std::forward<Handler>(done));
  }
  // All of `from`.
  template <class Handler>
  void write(std::vector<boost::asio::const_buffer> from, Handler&& done) {
    if (channel_) return write_secure(std::move(from), std::forward<Handler>(done));
    boost::asio::async_write(
        socket_, from,
        [this, before = written_](const ErrorCode& ec, std::size_t bytes) -> std::size_t {
          written_ = before + bytes;
          return ec ? 0 : kPiece;
        },
        std::forward<Handler>(done));
  }
  // Bytes that the peer has acknowledged since the connection's start; under TLS about as many.
  std::uint64_t taken() const;

 private:
  struct Writing {
    std::vector<boost::asio::const_buffer> rest;  // its front is what comes next
    std::size_t at = 0;                           // buffers of it that are written
    Done done;
  };
  void read_secure(boost::asio::mutable_buffer to, Done done);
  void write_secure(std::vector<boost::asio::const_buffer> from, Done done);
  void await_read(Tcp::socket::wait_type what, boost::asio::mutable_buffer to, Done done);
  void await_write(Tcp::socket::wait_type what, Writing writing);
  void go_on(Writing writing);
  void shake(std::function<void(Greeting)> done);

  Tcp::socket socket_;
  std::unique_ptr<tls::Channel> channel_;
  std::uint64_t written_ = 0;  // to the socket
};

}  // namespace frond::http
