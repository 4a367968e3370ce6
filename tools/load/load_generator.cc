#include "tools/load/load_generator.h"

#include <deque>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/deadline.h"
#include "common/http/client/client_stream.h"
#include "common/http/server/clients.h"
#include "tools/client/answer.h"
#include "tools/load/load_connection.h"

namespace frond::tools {
namespace {

using State = LoadConnection::State;

constexpr auto kReconnectPause = std::chrono::milliseconds(50);
constexpr unsigned kOpenAtStart = 16;  // connections, open loop; more are opened when requests wait for one

class Generator {
 public:
  Generator(EventLoop loop, http::SocketAddress address, std::string host, const std::vector<std::string>& requests,
            const LoadOptions& options)
      : loop_(std::move(loop)),
        address_(address),
        host_(std::move(host)),
        requests_(requests),
        options_(options),
        random_(options.seed),
        gap_(1.0) {}

  LoadReport run() {
    start_clock();
    const unsigned at_start = open_loop() ? std::min(options_.connections, kOpenAtStart) : options_.connections;
    for (unsigned i = 0; i < at_start; ++i) add_connection();
    for (;;) {
      const auto now = SteadyClock().now();
      if (open_loop()) queue_arrivals(now);
      reopen(now);
      use_idle_connections(now);
      if (now >= give_up_ || (now >= end_ && backlog_.empty() && in_flight_ == 0)) break;
      loop_.wake_at(next_wake(now));
      loop_.wait([this](void* owner, std::uint32_t events) { on_event(*static_cast<LoadConnection*>(owner), events); });
    }
    count_unanswered();
    report_.seconds = std::chrono::duration<double>(options_.seconds).count();
    report_.queries_per_request = options_.queries_per_request;
    return std::move(report_);
  }

 private:
  void start_clock() {
    const auto now = SteadyClock().now();
    record_from_ = now + options_.warmup;
    end_ = record_from_ + options_.seconds;
    give_up_ = end_ + options_.drain;
    next_arrival_ = now;
  }
  // Queues every arrival that is due; none after the end.
  void queue_arrivals(Instant now) {
    while (next_arrival_ <= now && next_arrival_ < end_) {
      backlog_.push_back(next_arrival_);
      if (recorded(next_arrival_)) ++report_.requests;
      next_arrival_ += std::chrono::nanoseconds(static_cast<std::int64_t>(gap_(random_) / options_.rate * 1e9));
    }
  }
  // Reconnects every closed connection whose pause has ended.
  void reopen(Instant now) {
    for (std::size_t i = 0; i < down_.size();) {
      if (down_[i]->retry_at > now) {
        ++i;
        continue;
      }
      auto* again = down_[i];
      down_.erase(down_.begin() + static_cast<std::ptrdiff_t>(i));
      open(*again);
    }
  }
  void use_idle_connections(Instant now) {
    if (open_loop()) {
      while (!backlog_.empty() && !idle_.empty()) {
        auto* connection = idle_.back();
        idle_.pop_back();
        const auto due = backlog_.front();
        backlog_.pop_front();
        begin(*connection, due);
      }
      if (!backlog_.empty() && connections_.size() < options_.connections) add_connection();
    } else if (now < end_) {
      auto ready = std::move(idle_);
      idle_.clear();
      for (auto* connection : ready) {
        const auto start = SteadyClock().now();
        if (recorded(start)) ++report_.requests;
        begin(*connection, start);
      }
    }
  }
  void begin(LoadConnection& connection, Instant due) {
    connection.due = due;
    const std::string& request = requests_[next_request_];
    next_request_ = (next_request_ + 1) % requests_.size();
    ++in_flight_;
    if (const auto sent = connection.send(request); !sent) fail(connection, sent.error().message());
  }
  void add_connection() {
    connections_.push_back(std::make_unique<LoadConnection>(loop_));
    open(*connections_.back());
  }
  void open(LoadConnection& connection) {
    const auto opened = connection.open(address_, host_, options_.trust.get());
    if (!opened) fail(connection, opened.error().message());
  }
  void on_event(LoadConnection& connection, std::uint32_t events) {
    const State before = connection.state();
    const auto done = connection.on_event(events, [&](const ReplyView& reply) { return finish(connection, reply); });
    const bool opened =
        (before == State::kConnecting || before == State::kHandshake) && connection.state() == State::kIdle;
    if (!done) return fail(connection, done.error().message());
    if (opened) idle_.push_back(&connection);
  }
  // False: the connection was reopened.
  bool finish(LoadConnection& connection, const ReplyView& reply) {
    const auto now = SteadyClock().now();
    --in_flight_;
    const auto marks = reply.status == 200 ? answer_marks(reply.body) : AnswerMarks{};
    if (now >= record_from_ && now < end_) report_.in_window += marks.answered;
    if (recorded(connection.due)) {
      ++report_.statuses[reply.status];
      const auto waited = static_cast<std::uint64_t>((now - connection.due).count());
      report_.latency.add(waited);
      if (reply.status == 200) {
        report_.of_answers.add(waited);
        ++report_.answers;
        report_.cache_hits += marks.cache_hits;
        report_.unsearched += marks.unsearched;
        report_.refused += options_.queries_per_request - std::min(marks.answered, options_.queries_per_request);
      }
    }
    if (reply.keep_alive) {
      idle_.push_back(&connection);
      return true;
    }
    connection.close();  // the broker asked for it, so no error
    open(connection);
    return false;
  }
  void fail(LoadConnection& connection, const std::string& why) {
    const auto now = SteadyClock().now();
    if (now >= record_from_ && now < end_) ++report_.connection_errors;
    if (report_.first_error.empty()) report_.first_error = why;
    if (connection.state() == State::kBusy) --in_flight_;
    std::erase(idle_, &connection);
    connection.close();
    connection.retry_at = now + kReconnectPause;
    down_.push_back(&connection);
  }
  Instant next_wake(Instant now) const {
    Instant wake = now < end_ ? end_ : give_up_;
    if (open_loop() && next_arrival_ < end_) wake = std::min(wake, next_arrival_);
    for (const auto* connection : down_) wake = std::min(wake, connection->retry_at);
    return wake;
  }
  void count_unanswered() {
    const auto now = SteadyClock().now();
    const auto count = [&](Instant due) {
      if (!recorded(due)) return;
      ++report_.unanswered;
      report_.latency.add(static_cast<std::uint64_t>((now - due).count()));
    };
    for (const auto due : backlog_) count(due);
    for (const auto& connection : connections_)
      if (connection->state() == State::kBusy) count(connection->due);
  }
  bool recorded(Instant due) const { return due >= record_from_ && due < end_; }
  bool open_loop() const { return options_.rate > 0; }

  EventLoop loop_;
  http::SocketAddress address_;
  std::string host_;
  const std::vector<std::string>& requests_;
  const LoadOptions& options_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_;
  std::vector<std::unique_ptr<LoadConnection>> connections_;
  std::vector<LoadConnection*> idle_;  // connected, no request in flight
  std::vector<LoadConnection*> down_;  // closed, in the pause before they reconnect
  std::deque<Instant> backlog_;        // when requests were due that are not sent yet
  std::size_t next_request_ = 0, in_flight_ = 0;
  Instant record_from_, end_, give_up_, next_arrival_;
  LoadReport report_;
};
}  // namespace

Result<LoadReport> generate_load(const net::Url& url, const std::vector<std::string>& requests,
                                 const LoadOptions& options) {
  FROND_CHECK(!requests.empty() && options.connections > 0);
  constexpr std::chrono::seconds kPatience{5};
  const auto reached = FROND_TRY(http::connect_within(url.host, url.port, kPatience));
  // An untrusted broker is one error here, instead of one for every connection.
  if (options.trust) FROND_TRY(http::ClientStream::connect(url.host, url.port, options.trust.get(), kPatience));
  auto loop = FROND_TRY(EventLoop::create());
  return Generator(std::move(loop), reached.address, url.host, requests, options).run();
}

namespace {

double ms(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

}  // namespace

std::string to_text(const LoadReport& report) {
  const auto& latency = report.latency;
  const auto queries = report.answers * report.queries_per_request;
  std::string out = fmt::format("{:.0f} queries/s over {:g} s; {} requests, {} answers\n", report.queries_per_second(),
                                report.seconds, report.requests, report.answers);
  out += fmt::format("latency ms  mean {:.3f}  p50 {:.3f}  p95 {:.3f}  p99 {:.3f}  p99.9 {:.3f}  max {:.3f}\n",
                     latency.mean() / 1e6, ms(latency.quantile(0.5)), ms(latency.quantile(0.95)),
                     ms(latency.quantile(0.99)), ms(latency.quantile(0.999)), ms(latency.max()));
  out += fmt::format("cache hits  {} ({:.1f} %)   degraded {}   refused {}\n", report.cache_hits,
                     queries ? 100.0 * static_cast<double>(report.cache_hits) / static_cast<double>(queries) : 0.0,
                     report.unsearched, report.refused);
  out += "status     ";
  for (const auto& [status, count] : report.statuses) out += fmt::format(" {}: {}", status, count);
  out += '\n';
  if (report.connection_errors > 0)
    out += fmt::format("connection errors {}, the first: {}\n", report.connection_errors, report.first_error);
  if (report.unanswered > 0)
    out += fmt::format("unanswered {}: in the latencies with the time they had waited, so those are lower bounds\n",
                       report.unanswered);
  return out;
}

std::string to_json(const LoadReport& report, const LoadOptions& options) {
  nlohmann::ordered_json out;
  out["loop"] = options.rate > 0 ? "open" : "closed";
  if (options.rate > 0) {
    out["rate"] = options.rate;
    out["seed"] = options.seed;
  }
  out["connections"] = options.connections;
  out["seconds"] = report.seconds;
  out["requests"] = report.requests;
  out["answers"] = report.answers;
  out["queries_per_request"] = report.queries_per_request;
  out["queries_per_second"] = report.queries_per_second();
  const auto quantiles = [](const Histogram& of) -> nlohmann::ordered_json {
    return {{"mean", of.mean() / 1e6},      {"p50", ms(of.quantile(0.5))},     {"p95", ms(of.quantile(0.95))},
            {"p99", ms(of.quantile(0.99))}, {"p99_9", ms(of.quantile(0.999))}, {"max", ms(of.max())}};
  };
  out["latency_ms"] = quantiles(report.latency);
  out["answer_latency_ms"] = quantiles(report.of_answers);  // of status 200
  out["cache_hits"] = report.cache_hits;
  out["degraded"] = report.unsearched;
  out["refused"] = report.refused;
  out["statuses"] = nlohmann::ordered_json::object();
  for (const auto& [status, count] : report.statuses) out["statuses"][std::to_string(status)] = count;
  out["connection_errors"] = report.connection_errors;
  if (!report.first_error.empty()) out["first_error"] = report.first_error;
  out["unanswered"] = report.unanswered;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace frond::tools
