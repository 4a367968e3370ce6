// Any bytes on a connection: what the request parser takes them for does not depend on how they are cut. A request that
// it takes has one framing only, and is the same request when it is written out again. Then its trace, and the query
// string.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/http/server/request_parser.h"

namespace {
using frond::http::Request;
using frond::http::RequestParser;

constexpr std::size_t kMaxHeader = 2048, kMaxBody = 4096;

// What a stream was taken for.
struct Outcome {
  std::vector<Request> taken;
  std::vector<std::size_t> ends;  // of the requests, in the stream
  int refused = 0;                // the status; 0: not refused
};

// All that framing does not change.
std::string text_of(const Request& request) {
  std::string text = request.method + '\n' + request.target + '\n' + request.host + '\n' + request.path + '\n' +
                     request.query + '\n' + request.content_type + '\n' + request.body;
  for (const auto& [name, value] : request.headers)
    if (name != "content-length" && name != "transfer-encoding")
      text.append("\n").append(name).append(":").append(value);
  return text;
}
bool operator==(const Outcome& a, const Outcome& b) {
  return a.ends == b.ends && a.refused == b.refused &&
         std::equal(a.taken.begin(), a.taken.end(), b.taken.begin(), b.taken.end(),
                    [](const Request& one, const Request& other) { return text_of(one) == text_of(other); });
}

// `next_end` tells from how much has arrived how much has arrived then.
Outcome parse(std::string_view all, const std::function<std::size_t(std::size_t)>& next_end) {
  RequestParser parser({.max_header = kMaxHeader, .max_body = kMaxBody});
  Outcome outcome;
  std::size_t used = 0, have = 0;
  while (true) {
    const auto progress = parser.feed(all.substr(used, have - used));
    FROND_CHECK(progress.used <= have - used);
    used += progress.used;
    bool failed = progress.state == RequestParser::State::kFailed;
    if (progress.state == RequestParser::State::kHeader) {
      FROND_CHECK(parser.begun() && !parser.header().method.empty());
      failed = !parser.allow_body(kMaxBody);
    }
    if (failed) {
      outcome.refused = parser.failure().status;
      FROND_CHECK(outcome.refused >= 400);
      return outcome;
    }
    if (progress.state == RequestParser::State::kDone) {
      parser.keep_alive();
      Request request = parser.take();
      FROND_CHECK(request.body.size() <= kMaxBody);
      FROND_CHECK(request.path.starts_with('/') || request.path == "*");
      if (const auto pairs = frond::http::parse_query(request.query))
        FROND_CHECK(pairs->size() <= request.query.size());
      outcome.taken.push_back(std::move(request));
      outcome.ends.push_back(used);
    }
    if (progress.state != RequestParser::State::kNeedMore) continue;
    parser.take_expect_continue();
    FROND_CHECK(parser.room() <= 2 * (kMaxBody + kMaxHeader));
    if (have == all.size()) return outcome;
    have = std::min(all.size(), next_end(have));
  }
}

// A request as a client would write it that never chunks. HTTP/1.0 is the version that needs no Host.
std::string written(const Request& request) {
  bool host = false;
  std::string fields;
  for (const auto& [name, value] : request.headers) {
    host |= name == "host";
    if (name != "content-length" && name != "transfer-encoding")
      fields.append(name).append(":").append(value).append("\r\n");
  }
  if (!request.body.empty()) fields += "content-length:" + std::to_string(request.body.size()) + "\r\n";
  return request.method + ' ' + request.target + (host ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n") + fields + "\r\n" +
         request.body;
}

// What another reader could cut into other requests has been refused.
void check_framing(const Request& request) {
  std::size_t lengths = 0, codings = 0, hosts = 0;
  for (const auto& [name, value] : request.headers) {
    FROND_CHECK(!name.empty() && name.find_first_of(" \t:\r\n") == std::string::npos);
    FROND_CHECK(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    lengths += name == "content-length";
    codings += name == "transfer-encoding";
    hosts += name == "host";
  }
  FROND_CHECK(lengths + codings <= 1 && hosts <= 1);
  FROND_CHECK(lengths + codings == 1 || request.body.empty());
  FROND_CHECK(codings == 0 || request.header("transfer-encoding").size() == std::string_view("chunked").size());
  if (lengths == 0) return;
  const std::string length = std::to_string(request.body.size());
  const auto said = request.header("content-length");
  FROND_CHECK(said.ends_with(length));
  FROND_CHECK(said.substr(0, said.size() - length.size()).find_first_not_of('0') == std::string_view::npos);
}

// Whatever a client says, what is sent on is well-formed, is read as the same trace, and can stand in a line.
void check_trace(const Request& request) {
  using frond::http::trace_of;
  const auto trace = trace_of(request.header("traceparent"), request.header("x-request-id"));
  const std::string sent = trace.traceparent(), id = trace.request_id();
  FROND_CHECK(sent.size() == 55 && (trace.high | trace.low) != 0 && trace.span != 0);
  FROND_CHECK(trace_of(sent, id).trace_id() == trace.trace_id() && trace_of(sent, id).request_id() == id);
  FROND_CHECK(!id.empty() && id.size() <= frond::http::kMaxRequestId && id.find_first_of(" \r\n\"\\") == id.npos);
}

void check_request(const Request& request) {
  check_framing(request);
  check_trace(request);
  const std::string again = written(request);
  const Outcome outcome = parse(again, [&](std::size_t) { return again.size(); });
  FROND_CHECK(outcome.refused == 0 && outcome.taken.size() == 1);
  FROND_CHECK(text_of(outcome.taken.front()) == text_of(request));
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  const Outcome whole = parse(all, [&](std::size_t) { return all.size(); });
  const std::size_t piece = data[0] + std::size_t{1};
  FROND_CHECK(parse(all, [&](std::size_t have) { return have + piece; }) == whole);
  FROND_CHECK(parse(all, [](std::size_t have) { return have + 1; }) == whole);
  std::uint32_t random = data[0];
  FROND_CHECK(parse(all, [&](std::size_t have) {
                random = random * 1664525 + 1013904223;
                return have + 1 + (random >> 24) % piece;
              }) == whole);
  for (const Request& request : whole.taken) check_request(request);
  (void)frond::http::parse_query(all);
  return 0;
}
