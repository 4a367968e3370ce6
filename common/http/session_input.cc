// Reads bytes, makes requests of them, and hands those to their handlers.
#include <exception>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::size_t kMaxUnsentBytes = 64 << 10;  // of a connection; with more, its next request waits unread

constexpr std::chrono::milliseconds kLookForRoom{20};

Response too_many_bytes() {
  auto response = problem(503, "Unavailable", "Too many bytes of requests wait to be answered; try again soon.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}
}  // namespace

// Whether its next request must wait.
bool Session::full() const { return slots_.size() >= core_->config.max_pipelined || unsent_ > kMaxUnsentBytes; }
bool Session::may_read() const {
  return stream_.is_open() && takes_requests() && reading_ == Reading::kPaused && !full() && !waits_since_;
}

void Session::read() {
  if (!may_read()) return;
  reading_ = Reading::kActive;
  const auto room = input_.room();
  stream_.read_some(asio::buffer(room.data(), room.size()),
                    [self = shared_from_this()](const ErrorCode& ec, std::size_t n) {
                      self->reading_ = Reading::kPaused;
                      if (!ec) self->input_.filled(n);
                      self->received_ += n;
                      self->received(ec);
                    });
}
void Session::received(const ErrorCode& ec) {
  if (!stream_.is_open()) return;
  if (state_ == State::kLingering) return ec ? close() : discard(0);
  if (ec && ec != asio::error::eof) return close();
  if (ec) {  // the client sends no more, but may still read answers
    reading_ = Reading::kEnded;
    if (!slots_.empty()) tell_gone_soon();
    if (slots_.empty() && !writing_) close();
    return;
  }
  consume();
  read();
  enter_phase();
}

// Hands every whole request of the input to its handler, up to the pipelining limit.
void Session::consume() {
  consuming_ = true;
  std::size_t used = 0;
  while (stream_.is_open() && takes_requests() && !full()) {
    const auto progress = parser_.feed(input_.bytes().substr(used));
    used += progress.used;
    if (progress.state == RequestParser::State::kFailed) {
      refuse(parser_.failure(), routing_ ? routing_->label : std::string_view());
    } else if (progress.state == RequestParser::State::kHeader) {
      if (admit_body()) continue;
    } else if (progress.state == RequestParser::State::kNeedMore) {
      if (hold_body() && parser_.take_expect_continue()) push_interim();
      break;
    } else {
      dispatch();
      if (used == input_.bytes().size()) break;
    }
  }
  const bool backlog = takes_requests() && full() && used < input_.bytes().size();
  reading_ = backlog ? Reading::kBacklog : Reading::kPaused;
  input_.use(used);
  consuming_ = false;
  flush();
}
Routing Session::route() {
  Routing routing = core_->router.route(parser_.header());
  routing.client = client_.first;
  if (!routing.limits.reserved)
    if (auto answer = turned_away()) return {.label = routing.label, .answer = std::move(answer)};
  if (core_->config.gatekeeper && routing.handler != nullptr && routing.limits.access != Access::kOpen) {
    auto admittance = core_->config.gatekeeper(parser_.header(), client_.first, routing.limits.access);
    if (admittance.refusal) return {.label = routing.label, .answer = std::move(admittance.refusal)};
    routing.permit = std::move(admittance.permit);
    if (admittance.client) routing.client = *admittance.client;
  }
  return routing;
}
// The answer to a request that its connection or its Host does not allow.
std::optional<Response> Session::turned_away() {
  if (restriction_ != Restriction::kNone) return no_room();
  if (const auto& host = parser_.header().host; !core_->config.hosts.admits(host))
    return problem(421, "Misdirected request", "This server is not called '" + host.substr(0, 200) + "'.");
  return {};
}
// Whether the body that the header announces may come. If not, the request is answered without it.
bool Session::admit_body() {
  routing_ = route();
  if (routing_->handler == nullptr) {
    refuse(*std::move(routing_->answer), routing_->label);
    return false;
  }
  if (parser_.allow_body(routing_->limits.max_body)) {
    mark_ = received_;
    return true;
  }
  refuse(parser_.failure(), routing_->label);
  return false;
}
// Counts bytes of the request at hand. False: that is over the limit.
bool Session::count(std::size_t bytes, const ClientId& client) {
  if (!counted_) counted_ = std::make_shared<RequestBytes>(core_->group, client);
  return counted_->grow_to(bytes);
}
// Counts the memory of a body that has grown. If that is over the limit, nothing more is read until there is room.
bool Session::hold_body() {
  const std::size_t needed = parser_.body_capacity();
  if (needed == 0 || count(needed, routing_->client)) return true;
  await_room();
  return false;
}
// Room comes when others are answered, on any thread: so it is looked for, which costs little.
void Session::await_room() {
  const Time now = std::chrono::steady_clock::now();
  if (!waits_since_) waits_since_ = now;
  if (now - *waits_since_ >= core_->config.body_patience || !counted_->begin_wait()) {
    core_->group->bodies.count_refusal();
    return refuse(too_many_bytes(), routing_->label);
  }
  const auto timer = std::make_shared<asio::steady_timer>(core_->io, kLookForRoom);
  timer->async_wait([timer, self = shared_from_this()](const ErrorCode& ec) {
    if (!ec) self->look_for_room();
  });
}
void Session::look_for_room() {
  if (!waits_since_ || !stream_.is_open() || !hold_body()) return;
  counted_->end_wait();
  waits_since_.reset();
  enter_phase(/*anew=*/true);  // its client was not slow
  received({});
}

Session::Slot& Session::push_slot() {
  Slot& slot = slots_.emplace_back();
  slot.sequence = next_++;
  slot.since = std::chrono::steady_clock::now();
  return slot;
}
void Session::dispatch() {
  Slot& slot = push_slot();
  slot.keep_alive = parser_.keep_alive() && restriction_ == Restriction::kNone;
  advance(State::kServing);
  slot.head = parser_.header().method == "HEAD";
  if (!slot.keep_alive) advance(State::kEnding);
  try {  // exceptions of handlers end here
    Responder responder(shared_from_this(), slot.sequence);
    Routing routing = routing_ ? *std::exchange(routing_, std::nullopt) : route();
    responder.set_route(routing.label);
    const std::size_t header_bytes = counted_ ? 0 : 2 * parser_.header_bytes();  // as it came, and in pieces
    Request request = parser_.take();
    request.client = routing.client;
    const std::size_t bytes = request.body.capacity() + header_bytes;
    const bool few = !counted_ && (bytes <= RequestBytes::kUncounted || routing.limits.reserved);
    const bool too_many = !few && !count(bytes, routing.client);
    slot.counted = request.counted = std::exchange(counted_, nullptr);
    slot.permit = request.permit = std::move(routing.permit);
    if (too_many) {
      core_->group->bodies.count_refusal();
      return responder.send(too_many_bytes());
    }
    if (routing.handler == nullptr) return responder.send(*std::move(routing.answer));
    (*routing.handler)(std::move(request), std::move(responder));
  } catch (const std::exception&) {
    // The responder died while the stack unwound, which answers 500.
  }
}
void Session::push_interim() {
  Slot& slot = push_slot();
  slot.ready = slot.interim = true;
  slot.response.status = 100;
}
// Answers what was no request, or a request whose body is not read, after the answers still owed. Reads no more.
void Session::refuse(Response response, std::string_view route) {
  advance(State::kRefusing);
  Slot& slot = push_slot();
  slot.keep_alive = false;
  slot.head = routing_ && parser_.header().method == "HEAD";
  (void)parser_.take();  // frees the memory of a body
  routing_.reset();
  counted_ = nullptr;
  waits_since_.reset();
  settle(slot.sequence, std::move(response), route);
}

}  // namespace frond::http
