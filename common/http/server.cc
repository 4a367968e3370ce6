#include "common/http/server.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <deque>
#include <optional>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/request_parser.h"
#include "common/http/stream.h"
#include "common/http/unsent_bytes.h"
#include "common/tls/server_identity.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 16 << 10;       // a read asks for this much
constexpr std::size_t kInlineBody = 16 << 10;      // larger bodies are written from where they are, not copied
constexpr std::size_t kLingerBytes = 16 << 20;     // discarded after an early refusal, so that the client reads it
constexpr std::chrono::seconds kLingerTime{3};     // and for how long at most
constexpr std::chrono::seconds kSweepInterval{1};  // timeouts are looked at this often

constexpr std::size_t kUnsentPerConnection = 64 << 10;   // more, and its next request waits unread
constexpr std::chrono::seconds kPatienceWhenCrowded{2};  // with a client that takes nothing
constexpr std::chrono::seconds kLeastIdle{1};            // before a connection is closed to make room for another

std::string_view reason_of(int status) {
  static constexpr std::pair<int, std::string_view> kReasons[] = {{100, "Continue"},
                                                                  {200, "OK"},
                                                                  {201, "Created"},
                                                                  {202, "Accepted"},
                                                                  {204, "No Content"},
                                                                  {206, "Partial Content"},
                                                                  {301, "Moved Permanently"},
                                                                  {304, "Not Modified"},
                                                                  {400, "Bad Request"},
                                                                  {404, "Not Found"},
                                                                  {405, "Method Not Allowed"},
                                                                  {406, "Not Acceptable"},
                                                                  {408, "Request Timeout"},
                                                                  {409, "Conflict"},
                                                                  {411, "Length Required"},
                                                                  {412, "Precondition Failed"},
                                                                  {413, "Content Too Large"},
                                                                  {414, "URI Too Long"},
                                                                  {415, "Unsupported Media Type"},
                                                                  {416, "Range Not Satisfiable"},
                                                                  {422, "Unprocessable Content"},
                                                                  {429, "Too Many Requests"},
                                                                  {431, "Request Header Fields Too Large"},
                                                                  {500, "Internal Server Error"},
                                                                  {501, "Not Implemented"},
                                                                  {503, "Service Unavailable"},
                                                                  {504, "Gateway Timeout"},
                                                                  {505, "HTTP Version Not Supported"}};
  for (const auto& [code, reason] : kReasons)
    if (code == status) return reason;
  return "Status";
}

// What all connections of one server share. Io thread only, but for the executor.
struct Core {
  Core(asio::io_context& context, Server::Config configuration, Handler handle)
      : io(context), config(std::move(configuration)), handler(std::move(handle)), acceptor(context), sweeper(context) {
    stamp_date();
  }
  void stamp_date() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 64> text{};
    const auto n = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    date.assign(text.data(), n);
  }

  asio::io_context& io;
  Server::Config config;
  Handler handler;
  tcp::acceptor acceptor;
  asio::steady_timer sweeper;
  std::string date;
  std::unordered_set<class Session*> sessions;
  std::size_t unsent = 0;  // bytes of answers
  std::function<void()> drained;
  bool draining = false, closed = false;
};

// One client. Lives as long as an operation, a responder or a posted answer refers to it. Everything but answer() and
// abandon() runs on the io thread.
class Session final : public Responder::Connection, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Core> core, tcp::socket socket)
      : core_(std::move(core)),
        stream_(open(*core_, std::move(socket))),
        parser_({core_->config.max_header, core_->config.max_body}) {
    core_->sessions.insert(this);
  }
  ~Session() override { leave(); }

  void start() {
    if (!stream_.secure()) return read();
    handshaking_ = true;
    stream_.handshake([self = shared_from_this()](Stream::Greeting greeting) { self->greeted(greeting); });
  }

  void answer(std::uint64_t sequence, Response response, std::string_view route) override {
    if (core_->io.get_executor().running_in_this_thread()) return settle(sequence, std::move(response), route);
    asio::post(core_->io, [self = shared_from_this(), sequence, response = std::move(response), route]() mutable {
      self->settle(sequence, std::move(response), route);
    });
  }
  void abandon(std::uint64_t sequence) override {
    asio::post(core_->io, [self = shared_from_this(), sequence] {
      self->last_ = std::min(self->last_, sequence);
      self->settle(sequence, problem(500, "Internal error", "The request was dropped."), {});
    });
  }
  void watch(std::uint64_t sequence, std::function<void()> gone) override {
    if (Slot* const slot = find(sequence)) slot->gone = std::move(gone);
  }

  // Closes what has waited too long.
  void sweep(SteadyClock::time_point now) {
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
  // Waiting for its client's next request.
  bool idle() const { return slots_.empty() && !partial_ && !backlog_ && !writing_ && !lingering_; }
  SteadyClock::time_point since() const { return since_; }
  // Ends an idle connection; a busy one ends after its last answer.
  void drain() {
    if (idle()) close();
  }
  void close() {
    if (!stream_.is_open()) return;
    stream_.close();
    tell_gone();
    slots_.clear();
    leave();
  }

 private:
  // An answer's place in line.
  struct Slot {
    std::uint64_t sequence = 0;
    bool ready = false, keep_alive = true, head = false, interim = false;
    SteadyClock::time_point since;
    Response response;
    UnsentBytes unsent;
    std::function<void()> gone;  // wants to know if the client leaves; until the answer is there
  };
  // Null: closed meanwhile, or answered before.
  Slot* find(std::uint64_t sequence) {
    if (slots_.empty() || sequence < slots_.front().sequence || sequence > slots_.back().sequence) return nullptr;
    Slot& slot = slots_[sequence - slots_.front().sequence];
    return slot.ready ? nullptr : &slot;
  }
  // The client has left: tells those who work for it. Later, for they may answer at once.
  void tell_gone() {
    for (Slot& slot : slots_)
      if (auto gone = std::exchange(slot.gone, nullptr); gone && !core_->closed)
        asio::post(core_->io, [self = shared_from_this(), gone = std::move(gone)] { gone(); });
  }

  void leave() {
    if (left_) return;  // the last reference may be dropped on another thread, but only after close() was here
    left_ = true;
    core_->sessions.erase(this);
    if (core_->draining && core_->sessions.empty() && core_->drained)
      asio::post(core_->io, std::exchange(core_->drained, nullptr));
  }
  void touch() { since_ = SteadyClock::now(); }

  static Stream open(const Core& core, tcp::socket socket) {
    auto channel = core.config.tls ? core.config.tls->open(socket.native_handle()) : nullptr;
    return {std::move(socket), std::move(channel)};
  }
  void fail_handshake(std::string_view reason) {
    if (core_->config.on_handshake_failure) core_->config.on_handshake_failure(reason);
  }
  void greeted(Stream::Greeting greeting) {
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

  // No more of its requests are taken now.
  bool full() const { return slots_.size() >= core_->config.max_pipelined || unsent_ > kUnsentPerConnection; }
  bool may_read() const {
    return stream_.is_open() && !handshaking_ && !reading_ && !eof_ && !stopped_ && !backlog_ && !full();
  }
  void read() {
    if (!may_read()) return;
    reading_ = true;
    const auto filled = input_.size();
    input_.resize(filled + kReadBytes);
    stream_.read_some(asio::buffer(input_.data() + filled, kReadBytes),
                      [self = shared_from_this(), filled](const ErrorCode& ec, std::size_t n) {
                        self->reading_ = false;
                        self->input_.resize(filled + (ec ? 0 : n));
                        self->received(ec);
                      });
  }
  void received(const ErrorCode& ec) {
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
  void consume() {
    consuming_ = true;
    std::size_t used = 0;
    while (stream_.is_open() && !stopped_ && !full()) {
      const auto progress = parser_.feed(std::string_view(input_).substr(used));
      used += progress.used;
      if (progress.state == RequestParser::State::kFailed) {
        input_.clear();
        used = 0;
        refuse(parser_.failure());
        break;
      }
      if (progress.used != 0) partial_ = true;
      if (progress.state == RequestParser::State::kNeedMore) {
        partial_ = partial_ || used < input_.size();
        if (parser_.take_expect_continue()) push_interim();
        break;
      }
      partial_ = false;
      dispatch();
      if (used == input_.size()) break;
    }
    backlog_ = !stopped_ && full() && used < input_.size();
    input_.erase(0, used);
    consuming_ = false;
    flush();
  }
  void dispatch() {
    Slot& slot = slots_.emplace_back();
    slot.sequence = next_++;
    slot.keep_alive = parser_.keep_alive();
    slot.since = SteadyClock::now();
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
  void push_interim() {
    Slot& slot = slots_.emplace_back();
    slot.sequence = next_++;
    slot.ready = slot.interim = true;
    slot.since = SteadyClock::now();
    slot.response.status = 100;
  }
  // Answers out of turn what was no request, behind the answers still owed, and reads no more.
  void refuse(Response response) {
    stopped_ = true;
    linger_after_ = true;
    partial_ = false;
    Slot& slot = slots_.emplace_back();
    slot.sequence = next_++;
    slot.keep_alive = false;
    slot.since = SteadyClock::now();
    settle(slot.sequence, std::move(response), {});
  }

  void settle(std::uint64_t sequence, Response response, std::string_view route) {
    Slot* const found = find(sequence);
    if (found == nullptr) return;
    Slot& slot = *found;
    slot.ready = true;
    slot.gone = nullptr;
    if (response.body.size() > kInlineBody && core_->unsent + response.body.size() > core_->config.max_unsent &&
        core_->unsent != 0) {
      response = problem(503, "Unavailable", "Too many answers wait for clients that do not read them.");
      response.headers.emplace_back("Retry-After", "1");
    }
    slot.unsent = UnsentBytes(core_->unsent, unsent_, response.body.size());
    slot.response = std::move(response);
    if (core_->config.on_answer) {
      const std::chrono::duration<double> took = SteadyClock::now() - slot.since;
      core_->config.on_answer(route, slot.response.status, took.count());
    }
    if (!consuming_) flush();
  }

  // Writes every answer whose turn has come, in one call.
  void flush() {
    if (writing_ || !stream_.is_open() || slots_.empty() || !slots_.front().ready) return;
    output_.clear();
    bodies_.clear();
    bool last = false;
    while (!last && !slots_.empty() && slots_.front().ready) {
      last = append(slots_.front());
      writing_bytes_.push_back(std::move(slots_.front().unsent));
      slots_.pop_front();
    }
    if (last) {
      slots_.clear();
      stopped_ = true;
    }
    std::vector<asio::const_buffer> buffers;
    std::size_t at = 0;
    for (const auto& [position, body] : bodies_) {
      buffers.emplace_back(output_.data() + at, position - at);
      buffers.emplace_back(body.data(), body.size());
      at = position;
    }
    buffers.emplace_back(output_.data() + at, output_.size() - at);
    writing_ = true;
    touch();
    // Progress counts as life.
    stream_.write(
        std::move(buffers), [this] { touch(); },
        [self = shared_from_this(), last](const ErrorCode& ec, std::size_t) { self->written(ec, last); });
  }
  // True if it is the connection's last answer.
  bool append(Slot& slot) {
    Response& response = slot.response;
    if (slot.interim) {
      output_ += "HTTP/1.1 100 Continue\r\n\r\n";
      return false;
    }
    const bool last =
        !slot.keep_alive || slot.sequence >= last_ || (core_->draining && slots_.size() == 1 && !partial_ && !backlog_);
    std::array<char, 24> number{};
    const auto append_number = [&](std::uint64_t value) {
      const auto end = std::to_chars(number.data(), number.data() + number.size(), value).ptr;
      output_.append(number.data(), end);
    };
    output_ += "HTTP/1.1 ";
    append_number(static_cast<std::uint64_t>(response.status));
    output_ += ' ';
    output_ += reason_of(response.status);
    output_ += "\r\n";
    output_ += core_->date;
    if (response.status != 204 && response.status != 304) {
      output_ += "Content-Length: ";
      append_number(response.body.size());
      output_ += "\r\n";
      if (!response.content_type.empty()) (output_ += "Content-Type: ").append(response.content_type).append("\r\n");
    }
    if (last) output_ += "Connection: close\r\n";
    for (const auto& [name, value] : response.headers) output_.append(name).append(": ").append(value).append("\r\n");
    if (stream_.secure())
      for (const auto& [name, value] : core_->config.tls_headers)
        output_.append(name).append(": ").append(value).append("\r\n");
    output_ += "\r\n";
    if (slot.head || response.status == 204 || response.status == 304) return last;
    if (response.body.size() <= kInlineBody)
      output_ += response.body;
    else
      bodies_.emplace_back(output_.size(), std::move(response.body));
    return last;
  }
  void written(const ErrorCode& ec, bool last) {
    writing_ = false;
    bodies_.clear();
    writing_bytes_.clear();
    if (!stream_.is_open()) return;
    if (ec) return close();
    touch();
    if (last) return linger_after_ ? linger() : finish();
    if (backlog_ && !stopped_) consume();
    flush();
    if (slots_.empty() && !writing_ && (stopped_ || eof_ || (core_->draining && !partial_ && !backlog_)))
      return finish();
    read();
  }
  void finish() {
    stream_.shut_down(tcp::socket::shutdown_both);
    close();
  }
  // Closing with unread input would reset the connection and could take the refusal with it: read it away first.
  void linger() {
    stream_.shut_down(tcp::socket::shutdown_send);
    lingering_ = true;
    touch();
    if (!reading_) discard(0);
  }
  void discard(std::size_t so_far) {
    if (so_far > kLingerBytes) return close();
    input_.resize(kReadBytes);
    stream_.read_raw(asio::buffer(input_), [self = shared_from_this(), so_far](const ErrorCode& ec, std::size_t n) {
      ec ? self->close() : self->discard(so_far + n);
    });
  }

  std::shared_ptr<Core> core_;
  Stream stream_;
  RequestParser parser_;
  std::size_t unsent_ = 0;  // bytes of answers; before those who count in it
  std::string input_, output_;
  std::vector<std::pair<std::size_t, std::string>> bodies_;  // large ones, and where in output_ they belong
  std::vector<UnsentBytes> writing_bytes_;
  std::deque<Slot> slots_;  // in order of requests; sequences are consecutive
  std::uint64_t next_ = 1;
  std::uint64_t last_ = ~std::uint64_t{0};  // the connection closes after this answer
  SteadyClock::time_point since_ = SteadyClock::now();
  bool reading_ = false, writing_ = false, consuming_ = false, left_ = false;
  bool backlog_ = false;  // input_ holds requests past the pipelining limit; nothing is read meanwhile
  bool eof_ = false;      // the client sends no more
  bool stopped_ = false;  // we take no more requests
  bool partial_ = false;  // a request has begun and is not whole
  bool linger_after_ = false, lingering_ = false, handshaking_ = false;
};

void sweep(const std::shared_ptr<Core>& core) {
  core->sweeper.expires_after(kSweepInterval);
  core->sweeper.async_wait([core](const ErrorCode& ec) {
    if (ec || core->closed) return;
    core->stamp_date();
    // A closing session leaves the set: walk over a copy that keeps each alive.
    std::vector<std::shared_ptr<Session>> all;
    all.reserve(core->sessions.size());
    for (Session* session : core->sessions)
      if (auto alive = session->weak_from_this().lock()) all.push_back(std::move(alive));
    const auto now = SteadyClock::now();
    for (const auto& session : all) session->sweep(now);
    sweep(core);
  });
}

void turn_away(tcp::socket socket) {
  Response response = problem(503, "Unavailable", "Too many connections; try again soon.");
  const std::string text = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + response.content_type +
                           "\r\nContent-Length: " + std::to_string(response.body.size()) +
                           "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" + response.body;
  ErrorCode ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

// Closes the connection that has waited longest for its client, if that is long enough: clients that only hold
// connections must not keep others out, probes among them.
void make_room(const Core& core) {
  Session* oldest = nullptr;
  for (Session* session : core.sessions)
    if (session->idle() && (oldest == nullptr || session->since() < oldest->since())) oldest = session;
  if (oldest == nullptr || SteadyClock::now() - oldest->since() < kLeastIdle) return;
  if (const auto alive = oldest->weak_from_this().lock()) alive->close();
}

void accept(const std::shared_ptr<Core>& core) {
  core->acceptor.async_accept([core](const ErrorCode& ec, tcp::socket socket) {
    if (core->closed || core->draining || ec == asio::error::operation_aborted) return;
    if (ec) {  // out of descriptors, mostly: breathe, then go on
      const auto pause = std::make_shared<asio::steady_timer>(core->io, std::chrono::milliseconds(50));
      pause->async_wait([core, pause](const ErrorCode&) {
        if (!core->closed && !core->draining) accept(core);
      });
      return;
    }
    if (core->sessions.size() >= core->config.max_connections) make_room(*core);
    if (core->sessions.size() >= core->config.max_connections) {
      if (!core->config.tls) turn_away(std::move(socket));  // under TLS a word costs a handshake: closed without
    } else {
      ErrorCode ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(core, std::move(socket))->start();
    }
    accept(core);
  });
}

class AsioServer final : public Server {
 public:
  explicit AsioServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~AsioServer() override {
    core_->closed = true;
    core_->drained = nullptr;
    stop_accepting();
    for (const auto& session : alive()) session->close();
  }
  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return core_->sessions.size(); }
  void drain(std::function<void()> done) override {
    core_->draining = true;
    stop_accepting();
    if (core_->sessions.empty()) {
      asio::post(core_->io, std::move(done));
      return;
    }
    core_->drained = std::move(done);
    for (const auto& session : alive()) session->drain();
  }

  Result<void> listen(const tcp::endpoint& endpoint) {
    ErrorCode ec;
    auto& acceptor = core_->acceptor;
    const auto failed = [&](std::string_view what) {
      return Error(Code::kUnavailable,
                   "cannot " + std::string(what) + " " + core_->config.listen + ": " + ec.message());
    };
    if (acceptor.open(endpoint.protocol(), ec)) return failed("open a socket for");
    acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (acceptor.bind(endpoint, ec)) return failed("bind");
    if (acceptor.listen(1024, ec)) return failed("listen on");
    port_ = acceptor.local_endpoint(ec).port();
    accept(core_);
    sweep(core_);
    return {};
  }

 private:
  void stop_accepting() {
    ErrorCode ignored;
    core_->acceptor.close(ignored);
    if (core_->closed) core_->sweeper.cancel();
  }
  std::vector<std::shared_ptr<Session>> alive() const {
    std::vector<std::shared_ptr<Session>> all;
    for (Session* session : core_->sessions)
      if (auto one = session->weak_from_this().lock()) all.push_back(std::move(one));
    return all;
  }
  std::shared_ptr<Core> core_;
  std::uint16_t port_ = 0;
};

Result<tcp::endpoint> endpoint_of(asio::io_context& io, const std::string& listen) {
  const auto invalid = [&](std::string_view why) {
    return Error(Code::kInvalid, "listen address '" + listen + "' " + std::string(why));
  };
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos) return invalid("is not HOST:PORT");
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return invalid("needs brackets around its IPv6 address");
  if (host.empty() || host == "*") host = "0.0.0.0";
  std::uint16_t port = 0;
  const char* const end = listen.data() + listen.size();
  const auto [stop, error] = std::from_chars(listen.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end) return invalid("has no port of 0 to 65535");
  ErrorCode ec;
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) return tcp::endpoint(address, port);
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
  if (ec || found.empty()) return invalid("cannot be resolved: " + ec.message());
  return found.begin()->endpoint();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::create(asio::io_context& io, Config config, Handler handler) {
  const auto endpoint = FROND_TRY(endpoint_of(io, config.listen));
  auto server = std::make_unique<AsioServer>(std::make_shared<Core>(io, std::move(config), std::move(handler)));
  FROND_TRY(server->listen(endpoint));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace frond::http
