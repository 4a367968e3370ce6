#include "broker/http/change_forwarder.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "broker/http/answers/answer.h"
#include "broker/http/monitoring/broker_metrics.h"
#include "common/http/client/client.h"
#include "common/net/local_address.h"

namespace frond::broker::http {
namespace {
using frond::http::Access;
using frond::http::Request;
using frond::http::Responder;
using frond::http::Response;

// A refresh is answered when what was accepted is published.
constexpr std::chrono::milliseconds kPatience{60'000};
constexpr std::size_t kMaxSettings = 64 << 10;
constexpr std::string_view kRefresh = "/v1/collections/{collection}/refresh";

// Fields of a request that the service reads, and of its answers those that this server makes itself.
constexpr std::array kPassedOn{"authorization", "x-api-key", "content-type", "idempotency-key", "accept"};
constexpr std::array kOwn{
    "connection", "content-length", "content-type",           "date",        "keep-alive", "transfer-encoding",
    "server",     "upgrade",        "x-content-type-options", "x-request-id"};

Response with_retry(Response response) {
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response no_answer(const Error& error) {
  const std::string why = "The indexer's service gave no answer, so the change may or may not have been accepted: ";
  if (error.code() == Code::kDeadline) return frond::http::problem(504, "Gateway timeout", why + error.message() + ".");
  if (error.code() == Code::kCorrupt) return frond::http::problem(502, "Bad gateway", why + error.message() + ".");
  return with_retry(frond::http::problem(503, "Unavailable", why + error.message() + "."));
}

}  // namespace

Result<std::unique_ptr<ChangeForwarder>> ChangeForwarder::create(std::string_view service, std::string key,
                                                                 std::size_t max_body_bytes,
                                                                 metrics::Registry& registry) {
  net::Url url = FROND_TRY(net::parse_server(service));
  std::shared_ptr<const tls::Trust> trust;
  if (url.tls) trust = FROND_TRY(tls::Trust::load(""));
  files::Descriptor stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop.valid()) return files::system_error(Code::kUnavailable, "making", "an event");
  return std::unique_ptr<ChangeForwarder>(new ChangeForwarder(std::move(url), std::move(key), std::move(trust),
                                                              std::move(stop), max_body_bytes,
                                                              registry.gauge(families::kChangesInFlight)));
}

ChangeForwarder::ChangeForwarder(net::Url service, std::string key, std::shared_ptr<const tls::Trust> trust,
                                 files::Descriptor stop, std::size_t max_body_bytes, metrics::Gauge in_flight)
    : service_(std::move(service)),
      key_(std::move(key)),
      trust_(std::move(trust)),
      stop_(std::move(stop)),
      in_flight_(in_flight),
      refreshes_("refresh", kThreads, max_body_bytes),
      turns_("change", kThreads, max_body_bytes) {}

ChangeForwarder::~ChangeForwarder() { end(); }

void ChangeForwarder::end() {
  interrupt();
  refreshes_.join();
  turns_.join();
}

void ChangeForwarder::interrupt() {
  interrupted_ = true;
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
}

std::string ChangeForwarder::fields_of(const frond::http::Trace& trace) {
  return "traceparent: " + trace.traceparent() + "\r\nX-Request-Id: " + trace.request_id() + "\r\n";
}

Response ChangeForwarder::pass_on(const Request& request) const {
  std::string fields;
  for (const auto& [name, value] : request.headers)
    if (std::ranges::find(kPassedOn, name) != kPassedOn.end()) fields += name + ": " + value + "\r\n";
  fields += fields_of(request.trace);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;  // this server leaves out the body
  const std::string target = request.path + (request.query.empty() ? "" : "?" + request.query);  // of this host or any
  auto answered = frond::http::exchange(service_, trust_.get(), {method, target, fields, request.body},
                                        {.max_bytes = kMaxAnswer, .step_timeout = kPatience}, stop_.get());
  if (!answered) return no_answer(answered.error());
  Response response{.status = answered->status, .content_type = {}, .body = std::move(answered->body)};
  for (auto& [name, value] : answered->headers) {
    if (name == "content-type") response.content_type = value;
    if (std::ranges::find(kOwn, name) == kOwn.end()) response.headers.emplace_back(name, std::move(value));
  }
  return response;
}

Result<frond::http::Answered> ChangeForwarder::ask(std::string_view method, std::string_view target,
                                                   std::string_view body, std::string fields,
                                                   const std::optional<std::string>& authorization) const {
  const std::string sent = authorization ? *authorization : key_.empty() ? "" : "Bearer " + key_;
  if (!sent.empty()) fields += "Authorization: " + sent + "\r\n";
  return frond::http::exchange(service_, trust_.get(), {method, target, std::move(fields), body},
                               {.max_bytes = kMaxAnswer, .step_timeout = kPatience}, stop_.get());
}

void ChangeForwarder::later(const frond::http::ClientId& client, std::size_t bytes, std::function<void()> work) {
  in_turn(turns_, client, bytes, std::move(work));
}
void ChangeForwarder::refresh_later(const frond::http::ClientId& client, std::function<void()> work) {
  in_turn(refreshes_, client, 0, std::move(work));
}
void ChangeForwarder::in_turn(frond::http::ClientTurns& turns, const frond::http::ClientId& client, std::size_t bytes,
                              std::function<void()> work) {
  in_flight_.add(1);
  turns.add(client, bytes, [this, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception&) {  // out of memory: 500, as the responder goes
    }
    in_flight_.add(-1);
  });
}

void ChangeForwarder::add_to(frond::http::Router& router) {
  const auto add = [&](std::string_view method, std::string_view path, Access access, std::size_t max_body) {
    router.add(method, path,
               [this, path](Request&& request, Responder responder) {
                 responder.set_route(path);
                 const auto gone = std::make_shared<std::atomic<bool>>(false);
                 responder.on_client_gone([gone] { gone->store(true); });
                 const auto held =
                     std::make_shared<std::pair<Request, Responder>>(std::move(request), std::move(responder));
                 in_turn(path == kRefresh ? refreshes_ : turns_, held->first.client, held->first.body.size(),
                         [this, held, gone] { held->second.send(gone->load() ? abandoned() : pass_on(held->first)); });
               },
               {.max_body = max_body, .access = access});
  };
  constexpr std::string_view kCollection = "/v1/collections/{collection}";
  add("GET", kCollection, Access::kSearch, 0);
  add("PUT", kCollection, Access::kAdmin, kMaxSettings);
  add("DELETE", kCollection, Access::kAdmin, 0);
  add("POST", "/v1/collections/{collection}/documents", Access::kWrite, kMaxBody);
  add("DELETE", "/v1/collections/{collection}/documents/{id}", Access::kWrite, 0);
  add("POST", kRefresh, Access::kWrite, 0);
  add("POST", "/v1/collections/{collection}/compact", Access::kAdmin, 0);
  add("POST", "/v1/collections/{collection}/rollback", Access::kAdmin, 0);
  add("POST", "/v1/collections/{collection}/switch", Access::kAdmin, kMaxSettings);
  add("GET", "/v1/collections/{collection}/generations", Access::kSearch, 0);
  add("GET", "/v1/collections/{collection}/jobs", Access::kSearch, 0);
}

}  // namespace frond::broker::http
