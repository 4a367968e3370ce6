// A connection's life: its start, who waits for its end, and how long it may last.
#include "common/http/session.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "common/tls/server_identity.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::chrono::seconds kLingerTime{3};           // an early refusal waits for its client to read it
constexpr std::chrono::seconds kPatienceWhenCrowded{2};  // with a client that takes nothing

asio::ip::address address_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code gone;  // then it is nobody's, and closes soon
  return socket.remote_endpoint(gone).address();
}
Stream open(const ServerCore& core, asio::ip::tcp::socket socket) {
  auto channel = core.config.tls ? core.config.tls->open(socket.native_handle()) : nullptr;
  return {std::move(socket), std::move(channel)};
}
}  // namespace

Session::Session(std::shared_ptr<ServerCore> core, asio::ip::tcp::socket socket)
    : core_(std::move(core)),
      client_(core_->clients.enter(address_of(socket))),
      stream_(open(*core_, std::move(socket))),
      parser_({.max_header = core_->config.max_header}) {
  core_->sessions.insert(this);
}
Session::~Session() { leave(); }

void Session::start() {
  if (!stream_.secure()) return read();
  handshaking_ = true;
  stream_.handshake([self = shared_from_this()](Stream::Greeting greeting) { self->greeted(greeting); });
}

void Session::fail_handshake(std::string_view reason) {
  if (core_->config.on_handshake_failure) core_->config.on_handshake_failure(reason);
}
void Session::greeted(Stream::Greeting greeting) {
  if (!stream_.is_open()) return;
  handshaking_ = false;
  touch();
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
// The client has left: tells those who work for it. Later, for they may answer at once.
void Session::tell_gone() {
  for (Slot& slot : slots_)
    if (auto gone = std::exchange(slot.gone, nullptr); gone && !core_->closed)
      asio::post(core_->io, [self = shared_from_this(), gone = std::move(gone)] { gone(); });
}

void Session::sweep(Time now) {
  // Where nothing is read (a last request, or too many pipelined ones), nothing else tells that the client left.
  if (!slots_.empty() && !reading_ && !writing_ && stream_.peer_ended()) tell_gone();
  if (lingering_) {
    if (now - since_ > kLingerTime) close();
  } else if (handshaking_) {
    if (now - since_ <= core_->config.handshake_timeout) return;
    fail_handshake("timeout");
    close();
  } else if (writing_) {
    const auto patience = core_->unsent > core_->config.max_unsent / 2
                              ? std::min(kPatienceWhenCrowded, core_->config.idle_timeout)
                              : core_->config.idle_timeout;
    if (now - since_ > patience) close();
  } else if (slots_.empty() && now - since_ > core_->config.idle_timeout) {
    if (partial_)
      refuse(problem(408, "Request timeout", "The request did not come whole in time."));
    else
      close();
  }
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
  if (left_) return;  // the last reference may be dropped on another thread, but only after close() was here
  left_ = true;
  slots_.clear();
  writing_bytes_.clear();
  body_bytes_ = {};
  core_->clients.leave(client_);
  core_->sessions.erase(this);
  if (core_->draining && core_->sessions.empty() && core_->drained)
    asio::post(core_->io, std::exchange(core_->drained, nullptr));
}

}  // namespace frond::http
