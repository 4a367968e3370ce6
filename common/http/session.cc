// A connection's start and end, and answers that arrive from other threads.
#include "common/http/session.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/tls/server_identity.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

asio::ip::address address_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code gone;  // the address is then empty, and the connection closes soon
  return socket.remote_endpoint(gone).address();
}
Stream open(const ServerCore& core, asio::ip::tcp::socket socket) {
  auto channel = core.config.tls ? core.config.tls->open(socket.native_handle()) : nullptr;
  return {std::move(socket), std::move(channel)};
}
}  // namespace

Session::Session(std::shared_ptr<ServerCore> core, asio::ip::tcp::socket socket)
    : core_(std::move(core)),
      client_(core_->group->clients.enter(address_of(socket))),
      stream_(open(*core_, std::move(socket))),
      parser_({.max_header = core_->config.max_header}) {
  core_->sessions.enter(by_age_, std::chrono::steady_clock::now());
  ++core_->session_count;
  ++core_->group->sessions;
}
Session::~Session() { leave(); }

void Session::start() {
  if (stream_.secure()) state_ = State::kHandshake;
  enter_phase(true);
  if (state_ != State::kHandshake) return read();
  stream_.handshake([self = shared_from_this()](Stream::Greeting greeting) { self->greeted(greeting); });
}
void Session::restrict(Restriction why) {
  restriction_ = why;
  core_->restricted.enter(by_restriction_, std::chrono::steady_clock::now());
  ++core_->restricted_count;
  ++core_->group->restricted;
}

void Session::fail_handshake(std::string_view reason) {
  if (core_->config.on_handshake_failure) core_->config.on_handshake_failure(reason);
}
void Session::greeted(Stream::Greeting greeting) {
  if (!stream_.is_open()) return;
  advance(State::kFresh);
  enter_phase();
  switch (greeting) {
    case Stream::Greeting::kDone:
      return read();
    case Stream::Greeting::kPlain:
      fail_handshake("plain");
      return refuse(problem(400, "Bad request", "This port speaks HTTPS only: ask with https://."));
    case Stream::Greeting::kClosed:
      fail_handshake("closed");
      break;
    case Stream::Greeting::kRefused:
      fail_handshake("refused");
      break;
  }
  close();
}

void Session::answer(std::uint64_t sequence, Response response, std::string_view route) {
  if (core_->io.get_executor().running_in_this_thread()) return settle(sequence, std::move(response), route);
  asio::post(core_->io, [self = shared_from_this(), sequence, response = std::move(response), route]() mutable {
    self->settle(sequence, std::move(response), route);
  });
}
void Session::abandon(std::uint64_t sequence) {
  asio::post(core_->io, [self = shared_from_this(), sequence] {
    self->last_ = std::min(self->last_, sequence);
    self->settle(sequence, problem(500, "Internal error", "The request was dropped."), {});
  });
}
void Session::watch(std::uint64_t sequence, std::function<void()> gone) {
  if (Slot* const slot = find(sequence)) slot->gone = std::move(gone);
}

Session::Slot* Session::find(std::uint64_t sequence) {
  if (slots_.empty() || sequence < slots_.front().sequence || sequence > slots_.back().sequence) return nullptr;
  Slot& slot = slots_[sequence - slots_.front().sequence];
  return slot.ready ? nullptr : &slot;
}
// The client has left: calls on_client_gone's functions, posted, since they may answer at once.
void Session::tell_gone() {
  for (Slot& slot : slots_)
    if (auto gone = std::exchange(slot.gone, nullptr); gone && !core_->closed)
      asio::post(core_->io, [self = shared_from_this(), gone = std::move(gone)] { gone(); });
}

// A client that ended its side may still read, or may have closed: that can't be told apart, so it gets some time.
void Session::tell_gone_soon() {
  const auto timer = std::make_shared<asio::steady_timer>(core_->io, kAnswerAfterEnd);
  timer->async_wait([timer, held = weak_from_this()](const ErrorCode& ec) {
    if (const auto self = held.lock(); self && !ec) self->tell_gone();
  });
}

void Session::drain() {
  if (idle()) close();
}
void Session::close() {
  if (!stream_.is_open()) return;
  stream_.close();
  tell_gone();
  leave();
}
void Session::leave() {
  if (state_ == State::kClosed) return;  // another thread may drop the last reference, but only after close()
  state_ = State::kClosed;
  slots_.clear();
  writing_bytes_.clear();
  pieces_.reset();
  pieces_bytes_ = {};
  counted_ = nullptr;
  patience_.reset();
  for (AgeLink* const link : {&by_age_, &by_phase_, &by_client_, &by_restriction_}) link->leave();
  core_->group->clients.leave(client_);
  --core_->session_count;
  --core_->group->sessions;
  if (restriction_ != Restriction::kNone) {
    --core_->restricted_count;
    --core_->group->restricted;
  }
  if (core_->draining && core_->session_count == 0 && core_->drained)
    asio::post(core_->io, std::exchange(core_->drained, nullptr));
}

}  // namespace frond::http
