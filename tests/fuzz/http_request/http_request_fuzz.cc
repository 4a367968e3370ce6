// Any bytes on a connection: what the request parser takes them for does not depend on how they are cut, and what it
// takes for a request is the same request to another reader, Beast's, that is less strict. Then the query string.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "common/base/check.h"
#include "common/http/request_parser.h"

namespace {
using frond::http::Request;
using frond::http::RequestParser;
namespace beast = boost::beast;

constexpr std::size_t kMaxBody = 4096;

// What a stream was taken for.
struct Outcome {
  std::vector<std::string> requests;
  std::vector<std::size_t> ends;  // of the requests, in the stream
  int refused = 0;                // the status; 0: not refused
  bool operator==(const Outcome&) const = default;
};

std::string text_of(const Request& request) {
  return request.method + '\n' + request.target + '\n' + request.host + '\n' + request.body;
}

// `next_end` tells from how much has arrived how much has arrived then.
Outcome parse(std::string_view all, const std::function<std::size_t(std::size_t)>& next_end) {
  RequestParser parser({.max_header = 2048, .max_body = kMaxBody});
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
      const Request request = parser.take();
      FROND_CHECK(request.body.size() <= kMaxBody);
      FROND_CHECK(request.path.starts_with('/') || request.path == "*");
      if (const auto pairs = frond::http::parse_query(request.query))
        FROND_CHECK(pairs->size() <= request.query.size());
      outcome.requests.push_back(text_of(request));
      outcome.ends.push_back(used);
    }
    if (progress.state != RequestParser::State::kNeedMore) continue;
    parser.take_expect_continue();
    FROND_CHECK(parser.body_capacity() <= 2 * kMaxBody);
    if (have == all.size()) return outcome;
    have = std::min(all.size(), next_end(have));
  }
}

class BeastParser final : public beast::http::basic_parser<true> {
 public:
  BeastParser() {
    header_limit(1u << 30);
    body_limit(boost::none);
    eager(true);
  }
  std::string method, target, body;

 private:
  using Error = beast::error_code;
  using Text = beast::string_view;
  void on_request_impl(beast::http::verb, Text name, Text path, int, Error&) override {
    method.assign(name.data(), name.size());
    target.assign(path.data(), path.size());
  }
  void on_response_impl(int, Text, int, Error&) override {}
  void on_field_impl(beast::http::field, Text, Text, Error&) override {}
  void on_header_impl(Error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text piece, Error&) override {
    body.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text piece, Error&) override {
    body.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_finish_impl(Error&) override {}
};

// `stream` begins with a request that our parser has taken, which ends after `size` bytes.
void check_with_beast(std::string_view stream, std::size_t size, std::string_view taken) {
  std::size_t used = stream.starts_with("\r\n") ? 2 : 0;
  BeastParser parser;
  beast::error_code error;
  while (!parser.is_done() && !error && used < stream.size()) {
    const auto n = parser.put({stream.data() + used, stream.size() - used}, error);
    used += n;
    if (n == 0) break;
  }
  // Beast also wants lists of tokens in Connection among trailers, and in a field that has left HTTP.
  if (error == beast::http::error::bad_value) {
    std::string lower(stream.substr(0, size));
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower.find("proxy-connection") != std::string::npos || lower.find("chunked") != std::string::npos) return;
  }
  FROND_CHECK(parser.is_done());
  FROND_CHECK(used == size);
  FROND_CHECK(taken.starts_with(parser.method + '\n' + parser.target + '\n'));
  FROND_CHECK(taken.ends_with('\n' + parser.body));
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
  for (std::size_t i = 0; i < whole.ends.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : whole.ends[i - 1];
    check_with_beast(all.substr(begin), whole.ends[i] - begin, whole.requests[i]);
  }
  (void)frond::http::parse_query(all);
  return 0;
}
