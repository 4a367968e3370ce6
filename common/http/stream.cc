#include "common/http/stream.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace frond::http {
namespace {
namespace asio = boost::asio;
using Status = tls::Step::Status;
constexpr char kHandshakeRecord = 0x16;  // the first byte of every TLS connection (RFC 8446, 5.1)

// After close() the socket's descriptor may belong to another connection, and a wait that had already ended still
// reports success: so every handler checks is_open() before it uses the channel.

// What the socket must be ready for before the next step; nothing if the step is done or failed.
std::optional<net::Socket::wait_type> wanted(const tls::Step& step) {
  if (step.status == Status::kWantRead) return net::Socket::wait_read;
  if (step.status == Status::kWantWrite) return net::Socket::wait_write;
  return std::nullopt;
}
boost::system::error_code error_of(const tls::Step& step) {
  if (step.status == Status::kDone) return {};
  return step.status == Status::kClosed ? asio::error::make_error_code(asio::error::eof)
                                        : asio::error::make_error_code(asio::error::connection_aborted);
}
}  // namespace

bool Stream::peer_ended() const {
  pollfd look{const_cast<net::Socket&>(socket_).native_handle(), POLLRDHUP, 0};
  return is_open() && ::poll(&look, 1, 0) == 1;
}

std::uint64_t Stream::taken() const {
  int queued = 0;
  if (::ioctl(const_cast<net::Socket&>(socket_).native_handle(), SIOCOUTQ, &queued) != 0) return written_;
  return written_ - std::min<std::uint64_t>(written_, static_cast<std::uint64_t>(queued));
}

void Stream::close() {
  if (!is_open()) return;
  if (channel_) channel_->say_end();
  ErrorCode ignored;
  socket_.close(ignored);
}
void Stream::shut_down(net::Socket::shutdown_type what) {
  if (!is_open()) return;
  if (channel_) channel_->say_end();
  ErrorCode ignored;
  socket_.shutdown(what, ignored);
}

void Stream::handshake(std::function<void(Greeting)> done) {
  ErrorCode ignored;
  socket_.non_blocking(true, ignored);  // the channel calls it directly
  socket_.async_wait(net::Socket::wait_read, [this, done = std::move(done)](const ErrorCode& ec) {
    char first = 0;
    if (ec || !is_open() || ::recv(socket_.native_handle(), &first, 1, MSG_PEEK) != 1) return done(Greeting::kClosed);
    if (first == kHandshakeRecord) return shake(done);
    channel_.reset();
    done(Greeting::kPlain);
  });
}
void Stream::shake(std::function<void(Greeting)> done) {
  const auto step = channel_->handshake();
  if (const auto what = wanted(step))
    return socket_.async_wait(*what, [this, done = std::move(done)](const ErrorCode& ec) mutable {
      ec || !is_open() ? done(Greeting::kClosed) : shake(std::move(done));
    });
  done(step.status == Status::kDone ? Greeting::kDone : Greeting::kRefused);
}

void Stream::read_secure(asio::mutable_buffer to, Done done) {
  if (!channel_->has_pending()) return await_read(net::Socket::wait_read, to, std::move(done));
  // The rest of the last record is in the channel already, so waiting for the socket would be wrong.
  asio::post(socket_.get_executor(), [this, to, done = std::move(done)]() mutable { take({}, to, std::move(done)); });
}
void Stream::await_read(net::Socket::wait_type what, asio::mutable_buffer to, Done done) {
  socket_.async_wait(
      what, [this, to, done = std::move(done)](const ErrorCode& ec) mutable { take(ec, to, std::move(done)); });
}
void Stream::take(const ErrorCode& ec, asio::mutable_buffer to, Done done) {
  if (ec || !is_open()) return done(asio::error::operation_aborted, 0);
  const auto step = channel_->read({static_cast<char*>(to.data()), to.size()});
  if (const auto what = wanted(step)) return await_read(*what, to, std::move(done));
  done(error_of(step), step.bytes);
}

void Stream::write_secure(std::vector<asio::const_buffer> from, Done done) {
  asio::post(socket_.get_executor(), [this, writing = Writing{std::move(from), 0, std::move(done)}]() mutable {
    go_on({}, std::move(writing));
  });
}
// Writes one piece, then waits until the socket takes the next.
void Stream::go_on(const ErrorCode& ec, Writing writing) {
  if (ec || !is_open()) return writing.done(asio::error::operation_aborted, 0);
  std::size_t written = 0;
  while (writing.at < writing.rest.size()) {
    auto& next = writing.rest[writing.at];
    if (next.size() == 0) {
      ++writing.at;
      continue;
    }
    if (written >= kMaxPieceBytes) return await_write(net::Socket::wait_write, std::move(writing));
    const auto step = channel_->write({static_cast<const char*>(next.data()), next.size()});
    if (const auto what = wanted(step)) return await_write(*what, std::move(writing));
    if (step.status != Status::kDone) return writing.done(error_of(step), 0);
    next += step.bytes;
    written += step.bytes;
    written_ += step.bytes;
  }
  writing.done({}, 0);
}
void Stream::await_write(net::Socket::wait_type what, Writing writing) {
  socket_.async_wait(
      what, [this, writing = std::move(writing)](const ErrorCode& ec) mutable { go_on(ec, std::move(writing)); });
}

}  // namespace frond::http
