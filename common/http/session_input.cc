// What comes in: bytes to requests, requests to the handler.
#include <exception>
#include <utility>

#include <boost/asio/error.hpp>

#include "common/http/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::size_t kUnsentPerConnection = 64 << 10;  // more, and its next request waits unread
}  // namespace

// No more of its requests are taken now.
bool Session::full() const { return slots_.size() >= core_->config.max_pipelined || unsent_ > kUnsentPerConnection; }
bool Session::may_read() const {
  return stream_.is_open() && !handshaking_ && !reading_ && !eof_ && !stopped_ && !backlog_ && !full();
}

void Session::read() {
  if (!may_read()) return;
  reading_ = true;
  const auto room = input_.room();
  stream_.read_some(asio::buffer(room.data(), room.size()),
                    [self = shared_from_this()](const ErrorCode& ec, std::size_t n) {
                      self->reading_ = false;
                      if (!ec) self->input_.filled(n);
                      self->received(ec);
                    });
}
void Session::received(const ErrorCode& ec) {
  if (!stream_.is_open()) return;
  if (lingering_) return ec ? close() : discard(0);
  if (ec && ec != asio::error::eof) return close();
  if (ec) {  // the client has said all; what it asked is still answered, where the handler goes on
    eof_ = true;
    tell_gone();
    if (slots_.empty() && !writing_) close();
    return;
  }
  if (slots_.empty() && !partial_) touch();
  consume();
  read();
}

// Hands every whole request of the input to the handler, up to the pipelining limit.
void Session::consume() {
  consuming_ = true;
  std::size_t used = 0;
  while (stream_.is_open() && !stopped_ && !full()) {
    const auto progress = parser_.feed(input_.bytes().substr(used));
    used += progress.used;
    partial_ = parser_.begun();
    if (progress.state == RequestParser::State::kHeader && parser_.allow_body(core_->config.max_body)) continue;
    if (progress.state == RequestParser::State::kHeader || progress.state == RequestParser::State::kFailed) {
      input_.clear();
      used = 0;
      refuse(parser_.failure());
      break;
    }
    if (progress.state == RequestParser::State::kNeedMore) {
      if (parser_.take_expect_continue()) push_interim();
      break;
    }
    partial_ = false;
    dispatch();
    if (used == input_.bytes().size()) break;
  }
  backlog_ = !stopped_ && full() && used < input_.bytes().size();
  input_.use(used);
  consuming_ = false;
  flush();
}
void Session::dispatch() {
  Slot& slot = slots_.emplace_back();
  slot.sequence = next_++;
  slot.keep_alive = parser_.keep_alive();
  slot.since = std::chrono::steady_clock::now();
  if (!slot.keep_alive) stopped_ = true;
  Request request = parser_.take();
  slot.head = request.method == "HEAD";
  const auto sequence = slot.sequence;
  try {  // the wall of the HTTP handler: third-party exceptions and bad_alloc end here
    core_->handler(std::move(request), Responder(shared_from_this(), sequence));
  } catch (const std::exception&) {
    // The responder died while the stack unwound, which answers 500.
  }
}
void Session::push_interim() {
  Slot& slot = slots_.emplace_back();
  slot.sequence = next_++;
  slot.ready = slot.interim = true;
  slot.since = std::chrono::steady_clock::now();
  slot.response.status = 100;
}
// Answers out of turn what was no request, behind the answers still owed, and reads no more.
void Session::refuse(Response response) {
  stopped_ = true;
  linger_after_ = true;
  partial_ = false;
  Slot& slot = slots_.emplace_back();
  slot.sequence = next_++;
  slot.keep_alive = false;
  slot.since = std::chrono::steady_clock::now();
  settle(slot.sequence, std::move(response), {});
}

}  // namespace frond::http
