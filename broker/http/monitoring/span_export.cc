#include "broker/http/monitoring/span_export.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <exception>

#include "broker/http/answers/answer_json.h"
#include "common/base/ids.h"
#include "common/base/threads/thread_name.h"
#include "common/http/client/client.h"
#include "common/net/local_address.h"

namespace frond::broker::http {
namespace {

constexpr std::size_t kMaxAnswer = 64 << 10;
constexpr std::string_view kTail = "]}]}]}";
constexpr std::uint64_t kError = 2;  // of a status, in OTLP

void append_attribute(std::string& out, std::string_view key, const std::variant<std::string, std::uint64_t>& value) {
  out.append(out.back() == '[' ? "{" : ",{");
  append_text(out, "key", key);
  if (const auto* const text = std::get_if<std::string>(&value)) {
    append_text(out.append(R"(,"value":{)"), "stringValue", *text);
  } else {
    append_text(out.append(R"(,"value":{)"), "intValue", std::to_string(std::get<std::uint64_t>(value)));
  }
  out.append("}}");
}

// When the steady clock's time began. Of spans that belong together it is read once, so that none ends before it
// begins.
std::chrono::nanoseconds steady_epoch() {
  return std::chrono::system_clock::now().time_since_epoch() - std::chrono::steady_clock::now().time_since_epoch();
}

// Nanoseconds since 1970, as OTLP wants 64-bit numbers.
std::string unix_nanos(std::chrono::nanoseconds epoch, Instant when) {
  const std::chrono::nanoseconds at = epoch + when.time_since_epoch();
  return std::to_string(at.count());
}

void append_span(std::string& out, const std::string& trace_id, std::chrono::nanoseconds epoch, const Span& span) {
  out += '{';
  append_text(out, "traceId", trace_id);
  append_text(out, "spanId", to_hex(span.id));
  if (span.parent != 0) append_text(out, "parentSpanId", to_hex(span.parent));
  append_text(out, "name", span.name);
  append_count(out, "kind", static_cast<std::uint64_t>(span.kind));
  append_text(out, "startTimeUnixNano", unix_nanos(epoch, span.begin));
  append_text(out, "endTimeUnixNano", unix_nanos(epoch, span.end));
  append_name(out, "attributes");
  out += '[';
  for (const auto& [key, value] : span.attributes) append_attribute(out, key, value);
  out += ']';
  append_name(out, "status");
  if (span.error.empty()) {
    out.append("{}}");
  } else {
    append_count(out += '{', "code", kError);
    append_text(out, "message", span.error);
    out.append("}}");
  }
}

std::string head_of(const SpanExport::Config& config) {
  std::string head = R"({"resourceSpans":[{"resource":{"attributes":[)";
  append_attribute(head, "service.name", "frond-broker");
  append_attribute(head, "service.version", std::string(config.version));
  append_attribute(head, "service.instance.id", std::string(config.instance));
  return head.append(R"(]},"scopeSpans":[{"scope":{"name":"frond"},"spans":[)");
}

}  // namespace

Result<std::unique_ptr<SpanExport>> SpanExport::create(const Config& config, Logger* log) {
  net::Url url = FROND_TRY(net::parse_server(config.collector));
  std::shared_ptr<const tls::Trust> trust;
  if (url.tls) trust = FROND_TRY(tls::Trust::load(""));
  files::Descriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  if (!timer.valid()) return files::system_error(Code::kUnavailable, "making", "a timer");
  return std::unique_ptr<SpanExport>(new SpanExport(config, std::move(url), std::move(trust), std::move(timer), log));
}

SpanExport::SpanExport(const Config& config, net::Url url, std::shared_ptr<const tls::Trust> trust,
                       files::Descriptor timer, Logger* log)
    : most_bytes_(config.most_bytes),
      patience_(config.patience),
      longest_(config.longest),
      pause_(config.pause),
      at_end_(config.at_end),
      url_(std::move(url)),
      trust_(std::move(trust)),
      head_(head_of(config)),
      sample_(config.share),
      complaint_(log),
      timer_(std::move(timer)) {
  for (Batch* const batch : {&waiting_, &sent_}) {
    batch->text.reserve(head_.size() + most_bytes_ + kTail.size());
    batch->text = head_;
  }
  thread_ = std::jthread([this](const std::stop_token& ended) { run(ended); });
}

SpanExport::~SpanExport() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    set_timer(at_end_);
  }
  thread_.request_stop();
  thread_.join();
}

void SpanExport::set_timer(std::chrono::milliseconds time) const {
  itimerspec when{};
  when.it_value.tv_sec = time.count() / 1000;
  when.it_value.tv_nsec = time.count() % 1000 * 1'000'000;
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

bool SpanExport::time_is_over() const {
  itimerspec left{};
  ::timerfd_gettime(timer_.get(), &left);
  return left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0;
}

void SpanExport::add(const frond::http::Trace& trace, std::span<const Span> spans) {
  const std::string trace_id = trace.trace_id();
  const auto epoch = steady_epoch();
  std::string text;
  for (const Span& span : spans) append_span(text.append(text.empty() ? "" : ","), trace_id, epoch, span);
  const MutexLock lock(mutex_);
  if (waiting_.text.size() + text.size() >= head_.size() + most_bytes_) {
    counts_.dropped += spans.size();
    return;
  }
  waiting_.text.append(waiting_.spans == 0 ? "" : ",").append(text);
  waiting_.spans += spans.size();
  if (half_full()) wake_.notify_one();
}

void SpanExport::add(const frond::http::AnsweredRequest& request, Instant now) {
  const frond::http::Trace& trace = request.trace;
  if (!keeps(trace)) return;
  const auto took = std::chrono::duration_cast<Instant::duration>(std::chrono::duration<double>(request.seconds));
  Span span{.name = std::string(request.method) + (request.route.empty() ? "" : " ") + std::string(request.route),
            .kind = Span::Kind::kServer,
            .id = trace.span,
            .parent = trace.parent,
            .begin = now - took,
            .end = now,
            .error = request.status < 500 ? "" : "status " + std::to_string(request.status),
            .attributes = {{"http.request.method", std::string(request.method)},
                           {"http.route", std::string(request.route)},
                           {"http.response.status_code", static_cast<std::uint64_t>(request.status)},
                           {"http.response.body.size", request.bytes}}};
  add(trace, {&span, 1});
}

SpanExport::Counts SpanExport::counts() const {
  const MutexLock lock(mutex_);
  return counts_;
}

void SpanExport::run(const std::stop_token& stop) {
  name_this_thread("span-export");
  auto pause = pause_;
  while (!stop.stop_requested()) {
    wait(stop, pause, pause == pause_);
    if (stop.stop_requested()) break;
    pause = send(patience_) ? pause_ : std::min(2 * pause, kLongestPause);
  }
  send(at_end_);
}

void SpanExport::wait(const std::stop_token& stop, std::chrono::milliseconds pause, bool until_half) {
  const MutexLock lock(mutex_);
  wake_.wait_for(mutex_, stop, pause, [&]() FROND_REQUIRES(mutex_) { return until_half && half_full(); });
}

bool SpanExport::send(std::chrono::milliseconds patience) {
  {
    const MutexLock lock(mutex_);
    std::swap(sent_, waiting_);
    if (!ending_) set_timer(longest_);
  }
  if (sent_.spans == 0) return true;
  const std::string why = error_of_sending(patience);
  if (!why.empty()) complaint_.say("spans can't be sent to the collector", {{"reason", why}});
  const auto spans = std::exchange(sent_.spans, 0);
  sent_.text.resize(head_.size());
  const MutexLock lock(mutex_);
  (why.empty() ? counts_.sent : counts_.failed) += spans;
  return why.empty();
}

std::string SpanExport::error_of_sending(std::chrono::milliseconds patience) {
  if (time_is_over()) return "the broker ends";
  try {
    sent_.text.append(kTail);
    const auto answered = frond::http::exchange(
        url_, trust_.get(), {"POST", "/v1/traces", "Content-Type: application/json\r\n", sent_.text},
        {.max_bytes = kMaxAnswer, .step_timeout = patience}, timer_.get());
    if (!answered) return answered.error().message() + (time_is_over() ? " as its time was over" : "");
    if (answered->status < 200 || answered->status > 299)
      return "answered with status " + std::to_string(answered->status);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
  return {};
}

}  // namespace frond::broker::http
