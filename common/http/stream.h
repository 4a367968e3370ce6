#pragma once
// A server's connection: reads and writes bytes, plain or under TLS. Internal to this folder. Io thread.
//
// Plain operations are Asio's own. Under TLS the channel reads and writes the socket itself, and Asio only waits until
// it is ready; only the TLS record in transit is buffered. A handler must keep the stream alive. It is never called
// from inside the call that starts its operation. close() ends all operations.
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/write.hpp>

#include "common/net/local_address.h"
#include "common/tls/channel.h"

namespace frond::http {

class Stream {
 public:
  using ErrorCode = boost::system::error_code;
  using Done = std::function<void(const ErrorCode&, std::size_t)>;
  static constexpr std::size_t kMaxPieceBytes = 64 << 10;  // written at a time

  // `channel` is null for a plain connection.
  Stream(net::Socket socket, std::unique_ptr<tls::Channel> channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {}

  bool is_open() const { return socket_.is_open(); }
  bool secure() const { return channel_ != nullptr; }
  // Whether the peer has ended its side or is gone. Works also while bytes from it wait unread.
  bool peer_ended() const;
  void close();
  // Tells the peer that no more is sent (shutdown_send), and that no more is read (shutdown_both).
  void shut_down(net::Socket::shutdown_type what);

  enum class Greeting { kDone, kPlain, kClosed, kRefused };
  // The TLS handshake. kPlain: the client does not speak TLS; the stream is plain from then on, so that an answer can
  // say so. kClosed: the client left. kRefused: the handshake failed.
  void handshake(std::function<void(Greeting)> done);

  // Reads at least one byte into `to`, or fails: with eof if the client sends no more.
  template <class Handler>
  void read_some(boost::asio::mutable_buffer to, Handler&& done) {
    if (!channel_) return socket_.async_read_some(to, std::forward<Handler>(done));
    read_secure(to, std::forward<Handler>(done));
  }
  // Reads bytes as they are on the wire, to throw them away.
  template <class Handler>
  void read_raw(boost::asio::mutable_buffer to, Handler&& done) {
    socket_.async_read_some(to, std::forward<Handler>(done));
  }
  // Writes all of `from`.
  template <class Handler>
  void write(std::vector<boost::asio::const_buffer> from, Handler&& done) {
    if (channel_) return write_secure(std::move(from), std::forward<Handler>(done));
    boost::asio::async_write(
        socket_, from,
        [this, before = written_](const ErrorCode& ec, std::size_t bytes) -> std::size_t {
          written_ = before + bytes;
          return ec ? 0 : kMaxPieceBytes;
        },
        std::forward<Handler>(done));
  }
  // Bytes that the peer has acknowledged since the connection's start; approximate under TLS.
  std::uint64_t taken() const;

 private:
  struct Writing {
    std::vector<boost::asio::const_buffer> rest;  // buffers are shortened as they are written
    std::size_t at = 0;                           // the first that is not yet written
    Done done;
  };
  void read_secure(boost::asio::mutable_buffer to, Done done);
  void write_secure(std::vector<boost::asio::const_buffer> from, Done done);
  void await_read(net::Socket::wait_type what, boost::asio::mutable_buffer to, Done done);
  void take(const ErrorCode& ec, boost::asio::mutable_buffer to, Done done);
  void await_write(net::Socket::wait_type what, Writing writing);
  void go_on(const ErrorCode& ec, Writing writing);
  void shake(std::function<void(Greeting)> done);

  net::Socket socket_;
  std::unique_ptr<tls::Channel> channel_;
  std::uint64_t written_ = 0;  // to the socket
};

}  // namespace frond::http
