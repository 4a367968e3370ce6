#include "common/http/request_parser.h"

#include <algorithm>
#include <optional>
#include <string>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace frond::http {
namespace {
namespace beast = boost::beast;
using Field = beast::http::field;
using ErrorCode = beast::error_code;

constexpr std::size_t kMaxFields = 100;

void append_lower(std::string& to, beast::string_view from) {
  for (const char c : from) to.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
}

// Fills a Request straight from Beast's callbacks, without its own field container in between.
class Parser final : public beast::http::basic_parser<true> {
 public:
  explicit Parser(RequestParser::Limits limits) {
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(limits.max_header, 1u << 30)));
    body_limit(limits.max_body);
    eager(true);
    max_body_ = limits.max_body;
  }

  Request request;
  std::string bad;  // what our own checks found
  bool expect_continue = false;
  bool host_seen = false;
  int version = 11;

 private:
  ErrorCode refuse(std::string_view why) {
    bad = why;
    return make_error_code(beast::http::error::bad_field);
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int http_version,
                       ErrorCode&) override {
    request.method.assign(method.data(), method.size());
    request.target.assign(target.data(), target.size());
    version = http_version;
  }
  void on_response_impl(int, beast::string_view, int, ErrorCode&) override {}

  void on_field_impl(Field field, beast::string_view name, beast::string_view value, ErrorCode& ec) override {
    if (header_complete_) return;  // trailers say nothing that we use
    if (request.headers.size() == kMaxFields) {
      ec = make_error_code(beast::http::error::header_limit);
      return;
    }
    auto& [to_name, to_value] = request.headers.emplace_back();
    append_lower(to_name, name);
    to_value.assign(value.data(), value.size());
    if (field == Field::content_type) {
      request.content_type = to_value;
    } else if (field == Field::host) {
      if (host_seen) ec = refuse("more than one Host field");
      host_seen = true;
    } else if (field == Field::expect) {
      if (!beast::iequals(value, "100-continue")) ec = refuse("an expectation other than 100-continue");
      expect_continue = true;
    }
  }

  void on_header_impl(ErrorCode& ec) override {
    header_complete_ = true;
    if (version == 11 && !host_seen) {
      ec = refuse("no Host field");
      return;
    }
    std::string_view target = request.target;
    if (target == "*" && request.method == "OPTIONS") {
      request.path = "*";
      return;
    }
    if (const auto scheme = target.find("://"); !target.starts_with('/') && scheme != std::string_view::npos) {
      const auto slash = target.find_first_of("/?", scheme + 3);  // absolute form: what a proxy sends
      target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
    }
    const auto question = target.find('?');
    request.path = target.substr(0, question);
    if (question != std::string_view::npos) request.query = target.substr(question + 1);
    if (request.path.empty()) request.path = "/";
    if (!request.path.starts_with('/') || target.find('#') != std::string_view::npos)
      ec = refuse("a request target that is not a path");
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode&) override {
    // No more than a first read's worth on the client's word alone.
    if (length) request.body.reserve(std::min<std::uint64_t>({*length, max_body_, 64 << 10}));
  }
  std::size_t on_body_impl(beast::string_view body, ErrorCode&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, ErrorCode&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(ErrorCode&) override {}

  bool header_complete_ = false;
  std::size_t max_body_ = 0;
};

}  // namespace

struct RequestParser::Impl {
  Limits limits;
  std::optional<Parser> parser;
  Response failure;

  Response describe(const ErrorCode& ec) const {
    using beast::http::error;
    if (!parser->bad.empty()) return problem(400, "Bad request", "The request has " + parser->bad + ".");
    if (ec == error::header_limit)
      return problem(431, "Request header fields too large",
                     "The request line and fields may have " + std::to_string(limits.max_header) + " bytes and " +
                         std::to_string(kMaxFields) + " fields.");
    if (ec == error::body_limit)
      return problem(413, "Content too large", "The body may have " + std::to_string(limits.max_body) + " bytes.",
                     "body");
    if (ec == error::bad_version)
      return problem(505, "HTTP version not supported", "HTTP/1.1 and HTTP/1.0 are served here.");
    return problem(400, "Bad request", "The request is not HTTP/1.1: " + ec.message() + ".");
  }
};

RequestParser::RequestParser(Limits limits) : impl_(std::make_unique<Impl>(Impl{limits, {}, {}})) {
  impl_->parser.emplace(limits);
}
RequestParser::~RequestParser() = default;

RequestParser::Progress RequestParser::feed(std::string_view bytes) {
  Parser& parser = *impl_->parser;
  std::size_t used = 0;
  // Between two requests an empty line is forgiven (RFC 9112, 2.2).
  if (!parser.got_some()) {
    while (bytes.substr(used).starts_with("\r\n")) used += 2;
    if (bytes.substr(used) == "\r") return {used, State::kNeedMore};
  }
  while (used < bytes.size()) {
    ErrorCode ec;
    const auto n = parser.put({bytes.data() + used, bytes.size() - used}, ec);
    used += n;
    if (ec && ec != beast::http::error::need_more) {
      impl_->failure = impl_->describe(ec);
      return {used, State::kFailed};
    }
    if (parser.is_done()) return {used, State::kDone};
    if (ec || n == 0) break;
  }
  // A chunk's extensions or trailers could otherwise make the caller buffer without end.
  if (bytes.size() - used > std::max<std::size_t>(impl_->limits.max_header, 1024)) {
    impl_->failure = problem(400, "Bad request", "A chunk header or trailer is too long.");
    return {used, State::kFailed};
  }
  return {used, State::kNeedMore};
}

bool RequestParser::take_expect_continue() {
  Parser& parser = *impl_->parser;
  if (!parser.is_header_done() || parser.is_done() || parser.version != 11) return false;
  return std::exchange(parser.expect_continue, false);
}
bool RequestParser::keep_alive() const { return impl_->parser->version == 11 && impl_->parser->keep_alive(); }
const Response& RequestParser::failure() const { return impl_->failure; }

Request RequestParser::take() {
  Request request = std::move(impl_->parser->request);
  impl_->parser.emplace(impl_->limits);
  return request;
}

}  // namespace frond::http
