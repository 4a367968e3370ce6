// Reads bytes, makes requests of them, and hands those to their handlers.
#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "common/http/server/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::size_t kMaxUnsentBytes = 64 << 10;  // of a connection; with more, its next request waits unread

Response too_many_bytes() {
  auto response = problem(503, "Unavailable", "Too many bytes of requests wait to be answered; try again soon.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}
}  // namespace

// Whether its next request must wait.
bool Session::full() const {
  return slots_.size() >= core_->config.max_pipelined || unsent_ > kMaxUnsentBytes ||
         uncounted_ > RequestBytes::kUncounted;
}
bool Session::may_read() const {
  return stream_.is_open() && takes_requests() && reading_ == Reading::kPaused && !full() && !patience_;
}

void Session::read() {
  if (!may_read()) return;
  reading_ = Reading::kActive;
  stream_.read_some(room(), [self = shared_from_this()](const ErrorCode& ec, std::size_t n) {
    self->reading_ = Reading::kPaused;
    if (!ec) self->input_.commit(n);
    self->received_ += n;
    self->received(ec);
  });
}
// Behind what was received and is not used; not cleared, so that a small read costs little.
asio::mutable_buffer Session::room() {
  constexpr std::size_t kRoom = 16 << 10, kMinRoom = 4 << 10;
  if (input_.capacity() - input_.size() < kMinRoom) input_.reserve(input_.size() + kRoom);
  return input_.prepare(input_.capacity() - input_.size());
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
  const std::string_view bytes(static_cast<const char*>(input_.cdata().data()), input_.size());
  std::size_t used = 0;
  while (stream_.is_open() && takes_requests() && !full()) {
    const auto progress = parser_.feed(bytes.substr(used));
    used += progress.used;
    if (progress.state == RequestParser::State::kFailed) {
      refuse(parser_.failure(), routing_ ? routing_->label : std::string_view());
    } else if (!admit(progress.state)) {
      break;
    } else if (progress.state == RequestParser::State::kNeedMore) {
      if (parser_.take_expect_continue()) push_interim();
      break;
    } else if (progress.state == RequestParser::State::kDone) {
      dispatch();
      if (used == bytes.size()) break;
    }
  }
  const bool backlog = takes_requests() && full() && used < bytes.size();
  reading_ = backlog ? Reading::kBacklog : Reading::kPaused;
  input_.consume(used);
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
    if (admittance.refusal)
      return {.label = routing.label,
              .answer = routing.shape ? routing.shape(*std::move(admittance.refusal)) : std::move(admittance.refusal)};
    routing.permit = std::move(admittance.permit);
    if (admittance.client) routing.client = *admittance.client;
    routing.client_weight = admittance.weight;
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
// Routes a request whose header is whole, and takes room for it. False: it waits for that, or is refused.
bool Session::admit(RequestParser::State state) {
  if (!routing_) {
    if (state == RequestParser::State::kNeedMore) return true;
    routing_ = route();
    if (state == RequestParser::State::kHeader && !admit_body()) return false;
  }
  return routing_->handler == nullptr || take_room(state == RequestParser::State::kDone);
}
// Whether the body that the header announces may come. If not, the request is answered without it.
bool Session::admit_body() {
  if (routing_->handler == nullptr) {
    refuse(*std::move(routing_->answer), routing_->label);
    return false;
  }
  if (parser_.allow_body(routing_->limits.max_body)) {
    mark_ = received_;
    return true;
  }
  refuse(routing_->shape ? routing_->shape(parser_.failure()) : parser_.failure(), routing_->label);
  return false;
}
// Bytes that the decoded body of the request at hand may have, beside `room` for the request as it comes; 0: its body
// is not coded.
std::size_t Session::room_for_decoding(std::size_t room) const {
  if (!is_coded(parser_.header().header("content-encoding"))) return 0;
  const std::size_t share = core_->group->bodies.limit() / 2;
  return std::min(routing_->limits.max_body, share - std::min(share, room));
}
// Takes room for what the request at hand is known to need; once it is whole, also for what it is decoded to: a sender
// that is slow has none of that. If there is no room, nothing more is read until there is.
bool Session::take_room(bool whole) {
  const std::size_t bytes = parser_.room() + (whole ? room_for_decoding(parser_.room()) : 0);
  if (!counted_) {
    if (bytes <= RequestBytes::kUncounted || routing_->limits.reserved) return true;
    const auto begin = [core = core_, held = weak_from_this()] {
      asio::post(core->io, [held] {
        if (const auto self = held.lock()) self->go_on();
      });
    };
    counted_ = std::make_shared<RequestBytes>(core_->group, routing_->client, begin);
  }
  const auto outcome = core_->group->bodies.take(counted_->request, bytes);
  if (outcome == RequestRoom::Outcome::kWaits) await_room();
  if (outcome == RequestRoom::Outcome::kRefused) {
    const RequestRoom& room = core_->group->bodies;
    const bool ever = room.has_room_beside(0, 0, bytes);  // else no other time is better
    refuse(
        ever ? too_many_bytes() : body_too_large(room.limit() / 2 - std::min(room.limit() / 2, parser_.header_room())),
        routing_->label);
  }
  return outcome == RequestRoom::Outcome::kTaken;
}
void Session::await_room() {
  patience_.emplace(core_->io, core_->config.body_patience);
  patience_->async_wait([self = shared_from_this()](const ErrorCode&) {
    if (!self->patience_ || self->patience_->expiry() > std::chrono::steady_clock::now()) return;
    self->core_->group->bodies.count_refusal();
    self->refuse(too_many_bytes(), self->routing_->label);
  });
}
// There is room for the request at hand.
void Session::go_on() {
  if (!patience_ || core_->group->bodies.waits(counted_->request)) return;  // it was refused meanwhile
  patience_.reset();
  enter_phase(/*anew=*/true);  // its client was not slow
  received({});
}

Session::Slot& Session::push_slot() {
  Slot& slot = slots_.emplace_back();
  slot.sequence = next_++;
  slot.since = std::chrono::steady_clock::now();
  return slot;
}
// A client may send any token as its method.
constexpr std::size_t kKeptOfMethod = 16;

void Session::identify(Slot& slot) {
  const Request& header = parser_.header();
  slot.method.assign(header.method, 0, kKeptOfMethod);
  slot.trace = trace_of(header.header("traceparent"), header.header("x-request-id"));
}
void Session::dispatch() {
  Slot& slot = push_slot();
  slot.keep_alive = parser_.keep_alive() && restriction_ == Restriction::kNone;
  advance(State::kServing);
  identify(slot);
  const std::size_t decoded_bytes = room_for_decoding(parser_.room());
  if (!slot.keep_alive) advance(State::kEnding);
  try {  // exceptions of handlers end here
    Responder responder(shared_from_this(), slot.sequence);
    Routing routing = *std::exchange(routing_, std::nullopt);
    responder.set_route(routing.label);
    if (!counted_) uncounted_ += slot.uncounted = parser_.room();
    const std::size_t header_bytes = parser_.header_room();
    Request request = parser_.take();
    request.client = routing.client;
    request.client_weight = routing.client_weight;
    request.trace = slot.trace;
    auto counted = std::exchange(counted_, nullptr);
    slot.counted = request.counted = counted;
    slot.permit = request.permit = std::move(routing.permit);
    if (routing.handler == nullptr) return responder.send(*std::move(routing.answer));
    if (!routing.limits.reserved)
      slot.coding = accepted_coding(request.header("accept-encoding"));  // waits for no thread
    if (decoded_bytes > 0 && !request.body.empty())
      return decode({std::move(request), std::move(responder), std::move(routing), std::move(counted), header_bytes,
                     decoded_bytes});
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
  if (routing_)
    identify(slot);
  else
    slot.trace = trace_of({}, {});
  (void)parser_.take();  // frees the memory of a body
  routing_.reset();
  counted_ = nullptr;
  patience_.reset();
  settle(slot.sequence, std::move(response), route);
}

}  // namespace frond::http
