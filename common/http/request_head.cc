#include "common/http/request_head.h"

#include <utility>

#include "common/http/grammar.h"

namespace frond::http {
namespace {

constexpr std::size_t kUsualFields = 8;  // room from the start

std::string_view cut(std::string_view& text, char at) {  // up to `at`, which goes, too; all if it is not there
  const auto end = text.find(at);
  const auto front = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return front;
}

}  // namespace

Request RequestHead::take() {
  Request request = std::move(request_);
  for (std::string* const text : {&request_.method, &request_.target, &request_.host, &request_.path, &request_.query,
                                  &request_.body, &request_.content_type})
    text->clear();
  request_.headers.clear();
  content_length_.reset();
  authority_.reset();
  minor_version_ = 1;
  host_seen_ = coding_seen_ = chunked_ = close_ = expects_continue_ = false;
  return request;
}

bool RequestHead::fail(Response response) {
  failure_ = std::move(response);
  return false;
}
bool RequestHead::refuse(std::string_view why) {
  return fail(problem(400, "Bad request", "The request has " + std::string(why) + "."));
}

bool RequestHead::take_request_line(std::string_view line) {
  const auto method = cut(line, ' ');
  const auto target = cut(line, ' ');
  if (!grammar::is_token(method) || line.size() != 8 || !line.starts_with("HTTP/") || !grammar::is_digit(line[5]) ||
      line[6] != '.' || !grammar::is_digit(line[7]))
    return refuse("no request line of HTTP/1.1");
  if (line[5] != '1' || line[7] > '1')
    return fail(problem(505, "HTTP version not supported", "HTTP/1.1 and HTTP/1.0 are served here."));
  minor_version_ = line[7] - '0';
  request_.method = method;
  return take_target(target);
}

bool RequestHead::take_target(std::string_view target) {
  if (!grammar::is_target(target)) return refuse("a request target that is not a path");
  request_.target = target;
  if (target == "*" && request_.method == "OPTIONS") {
    request_.path = target;
    return true;
  }
  target = request_.target;
  if (target.starts_with('/')) {
    // The form that origin servers are sent.
  } else if (const auto scheme = target.find("://"); scheme != std::string_view::npos) {
    // The absolute form, which proxies send. Its host counts, and Host does not (RFC 9112, 3.2.2).
    const auto name = target.substr(0, scheme);
    if (!grammar::equals_ignoring_case(name, "http") && !grammar::equals_ignoring_case(name, "https"))
      return refuse("a request target of another scheme than http and https");
    const auto end = std::min(target.find_first_of("/?", scheme + 3), target.size());
    authority_ = target.substr(scheme + 3, end - scheme - 3);
    if (authority_->empty() || authority_->front() == ':' || !grammar::is_host(*authority_))
      return refuse("a request target without a good host");
    target = target.substr(end);
  } else {
    return refuse("a request target that is not a path");
  }
  request_.path = cut(target, '?');
  request_.query = target;
  if (request_.path.empty()) request_.path = "/";
  return true;
}

bool RequestHead::take_field(std::string_view line) {
  if (request_.headers.size() == kMaxFields)
    return fail(problem(431, "Request header fields too large",
                        "A request may have " + std::to_string(kMaxFields) + " fields."));
  if (request_.headers.empty()) request_.headers.reserve(kUsualFields);
  auto& [name, value] = request_.headers.emplace_back();
  const auto colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return refuse("a line that is no field");
  name.resize(colon);
  for (std::size_t i = 0; i < colon; ++i) {
    name[i] = grammar::token_char(line[i]);
    if (name[i] == 0) return refuse("a field's name that is no token");
  }
  const auto text = grammar::trimmed(line.substr(colon + 1));
  if (!grammar::is_text(text)) return refuse("a control character in a field");
  value = text;
  return take_framing(name, value);
}

// The fields that say where the request ends, and whom it is for.
bool RequestHead::take_framing(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      if (name != "host") return true;
      if (std::exchange(host_seen_, true)) return refuse("more than one Host field");
      return grammar::is_host(value) || refuse("a Host field that names no host");
    case 6:
      if (name != "expect") return true;
      if (!grammar::equals_ignoring_case(value, "100-continue"))
        return refuse("an expectation other than 100-continue");
      expects_continue_ = true;
      return true;
    case 10:
      return name != "connection" || take_connection(value);
    case 12:
      if (name == "content-type") request_.content_type = value;
      return true;
    case 14:
      if (name != "content-length") return true;
      if (content_length_) return refuse("more than one Content-Length");
      content_length_ = grammar::number(value);
      return content_length_ || refuse("a Content-Length that is no number");
    case 17:
      if (name != "transfer-encoding") return true;
      if (std::exchange(coding_seen_, true)) return refuse("more than one Transfer-Encoding");
      chunked_ = grammar::equals_ignoring_case(value, "chunked");
      return chunked_ || refuse("a Transfer-Encoding other than chunked");
    default:
      return true;
  }
}

bool RequestHead::take_connection(std::string_view value) {
  while (!value.empty()) {
    const auto option = grammar::trimmed(cut(value, ','));
    if (!option.empty() && !grammar::is_token(option)) return refuse("a Connection field that is no list of tokens");
    if (grammar::equals_ignoring_case(option, "close")) close_ = true;
  }
  return true;
}

bool RequestHead::finish() {
  if (minor_version_ == 1 && !host_seen_) return refuse("no Host field");
  if (coding_seen_ && content_length_) return refuse("both a Content-Length and a Transfer-Encoding");
  if (coding_seen_ && minor_version_ == 0) return refuse("a Transfer-Encoding, which HTTP/1.0 does not know");
  request_.host = authority_ ? *authority_ : request_.header("host");
  return true;
}

}  // namespace frond::http
