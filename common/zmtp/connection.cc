#include "common/zmtp/connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

namespace frond::zmtp {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr int kFramesATurn = 32;  // of a loop, but at least one for each connection
}

Connection::Connection(Socket socket, std::unique_ptr<Mechanism> mechanism, const Limits& limits, Owner& owner,
                       Shared& shared, Instant now)
    : socket_(std::move(socket)),
      conversation_(std::move(mechanism), limits.max_message_bytes),
      limits_(limits),
      owner_(owner),
      shared_(shared),
      since_(now),
      now_(now),
      heard_(now),
      pinged_(now),
      progress_(now) {}

void Connection::start() {
  error_code ec;
  socket_.non_blocking(true, ec);
  if (!ec) socket_.set_option(tcp::no_delay(true), ec);  // a Unix domain socket has no such option, nor delays
  wait();                                                // if the socket is broken already, reading it tells
  flush();
}

void Connection::wait() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& ec) {
    if (!ec) self->read();
  });
}

void Connection::read() {
  if (closed_) return;
  error_code ec;
  const std::size_t got = socket_.read_some(asio::buffer(shared_.scratch), ec);
  if (ec == asio::error::would_block || ec == asio::error::interrupted) return wait();
  if (ec) return end(End::kLost);
  heard_ = now_;
  take(ByteView(shared_.scratch.data(), got));
}

void Connection::take(ByteView bytes) {
  if (closed_) return;
  const int frames = std::max(1, kFramesATurn / (1 + shared_.paused));
  const Trouble trouble = conversation_.take(bytes, frames, [this](ByteView message) {
    if (!std::exchange(told_ready_, true)) owner_.on_ready(*this);
    if (!closed_) owner_.on_message(*this, message);
    return !closed_;
  });
  if (closed_) return;
  flush();
  if (trouble != Trouble::kNone) return end(End::kTrouble, trouble);
  if (conversation_.ready() && !std::exchange(told_ready_, true)) owner_.on_ready(*this);
  if (closed_) return;
  if (!conversation_.paused()) return wait();
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    --self->shared_.paused;
    self->take({});
  });
  ++shared_.paused;
}

bool Connection::send(ByteView message) {
  if (!ready()) return false;
  if (unsent() >= limits_.max_unsent_bytes) return false;
  if (unsent() == 0) progress_ = now_;
  conversation_.put_message(message);
  return true;
}

void Connection::count() {
  if (std::exchange(counted_, held()) != held()) owner_.on_held(counted_);
}

void Connection::flush() {
  send_some();
  count();
}

void Connection::send_some() {
  while (!closed_ && !writing_ && unsent() > 0) {
    error_code ec;
    const ByteView bytes = conversation_.unsent();
    const std::size_t sent = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec);
    if (ec == asio::error::interrupted) continue;
    if (ec == asio::error::would_block) {
      socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const error_code& failed) {
        self->writing_ = false;
        if (!failed) self->flush();
      });
      writing_ = true;
      return;
    }
    if (ec) return;  // reading tells the owner, from a handler of its own
    progress_ = now_;
    conversation_.sent(sent);
  }
}

void Connection::tick(Instant now) {
  if (closed_) return;
  if (now - now_ > limits_.silence / 2) heard_ = progress_ = now;  // the loop has hung, not the peer
  now_ = now;
  if (!ready()) return now - since_ > limits_.handshake ? end(End::kHandshake) : void();
  if (now - heard_ > limits_.silence) return end(End::kSilent);
  if (unsent() > 0 && now - progress_ > limits_.stall) return end(End::kStalled);
  if (unsent() > 0) return flush();  // which an exception may have kept from it
  if (now - pinged_ < limits_.heartbeat) return;
  pinged_ = progress_ = now;
  conversation_.put_ping();
  flush();
}

void Connection::end(End why, Trouble trouble) {
  if (closed_) return;
  close();
  owner_.on_end(*this, why, trouble);
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  error_code ignored;
  socket_.close(ignored);
  count();
}

}  // namespace frond::zmtp
