#include "common/http/request_message.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "common/http/request_target.h"

namespace frond::http {
namespace {
namespace beast = boost::beast;
using beast::http::error;
using ErrorCode = beast::error_code;
using Text = beast::string_view;
using Field = beast::http::field;

constexpr std::size_t kReservedFields = 8;        // room made for the first field
constexpr std::size_t kFirstBodyRoom = 64 << 10;  // however much a Content-Length promises

// Whether the value of this field is a number of 2^64 or more. Beast reports that as no number at all.
bool is_past_64_bits(std::string_view line) {
  line.remove_prefix(std::min(line.find(':') + 1, line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::uint64_t value = 0;
  return std::from_chars(line.data(), line.data() + line.size(), value).ec == std::errc::result_out_of_range;
}
// Whether the request line ends in a version of HTTP that is not served here.
bool has_other_version(std::string_view head) {
  const auto line = head.substr(0, head.find("\r\n"));
  if (line.size() < 9) return false;
  const auto version = line.substr(line.size() - 9);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.starts_with(" HTTP/") && is_digit(version[6]) && version[7] == '.' && is_digit(version[8]) &&
         version != " HTTP/1.1" && version != " HTTP/1.0";
}

Response describe(ErrorCode ec, std::string_view bytes, std::size_t used) {
  if (ec == error::bad_version && has_other_version(bytes))
    return problem(505, "HTTP version not supported", "HTTP/1.1 and HTTP/1.0 are served here.");
  // The unused bytes begin with the wrong field.
  if (ec == error::bad_content_length && is_past_64_bits(bytes.substr(used)))
    return problem(413, "Content too large", "The body is larger than any may be.", "body");
  return problem(400, "Bad request", "The request is not HTTP/1.1: " + ec.message() + ".");
}
}  // namespace

// Beast's parser. Its callbacks fill the request, and refuse what Beast would let through.
class RequestMessage::Parser final : public beast::http::basic_parser<true> {
 public:
  explicit Parser(std::size_t max) : max_body(max) {
    // We enforce the limits: Beast's depend on how the bytes arrive.
    header_limit(std::numeric_limits<std::uint32_t>::max());
    body_limit(boost::none);
  }
  Request request;
  std::optional<Response> failure;
  std::size_t max_body;
  std::uint64_t left = 0;
  bool awaited = false, persistent = false;

  void refuse(std::string_view why) {
    failure = problem(400, "Bad request", "The request has " + std::string(why) + ".");
  }

 private:
  void refuse(ErrorCode& ec, std::string_view why) {
    refuse(why);
    ec = make_error_code(error::bad_field);
  }
  void on_request_impl(beast::http::verb, Text method, Text target, int version, ErrorCode& ec) override {
    request.method.assign(method.data(), method.size());
    request.target.assign(target.data(), target.size());
    version_ = version;
    if (const auto wrong = split_target(request); !wrong.empty()) refuse(ec, wrong);
  }
  void on_field_impl(Field field, Text name, Text value, ErrorCode& ec) override {
    if (++fields_ > kMaxFields) {
      failure = problem(431, "Request header fields too large",
                        "A request may have " + std::to_string(kMaxFields) + " fields.");
      if (header_done_) refuse("more trailers than are taken");
      ec = make_error_code(error::header_limit);
      return;
    }
    if (header_done_) return;  // trailers say nothing that is used here
    if (request.headers.empty()) request.headers.reserve(kReservedFields);
    auto& [to_name, to_value] = request.headers.emplace_back();
    to_name.assign(name.data(), name.size());
    for (char& c : to_name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    to_value.assign(value.data(), value.size());
    if (const auto wrong = take_field(field, to_value); !wrong.empty()) refuse(ec, wrong);
  }
  // Checks the fields that frame the request, Host, Expect, and those that mean something only once. Returns what is
  // wrong; empty if nothing is.
  std::string_view take_field(Field field, const std::string& value) {
    switch (field) {
      case Field::host:
        if (std::exchange(host_seen_, true)) return "more than one Host field";
        if (!is_host(value)) return "a Host field that names no host";
        if (request.host.empty()) request.host = value;
        return {};
      case Field::content_length:
        if (std::exchange(length_seen_, true)) return "more than one Content-Length";
        return value.find_first_not_of("0123456789") == std::string::npos ? "" : "a Content-Length that is no number";
      case Field::transfer_encoding:
        if (std::exchange(coding_seen_, true)) return "more than one Transfer-Encoding";
        return beast::iequals(value, "chunked") ? "" : "a Transfer-Encoding other than chunked";
      case Field::expect:
        awaited = version_ == 11;
        return beast::iequals(value, "100-continue") ? "" : "an expectation other than 100-continue";
      case Field::content_type:
        request.content_type = value;
        return is_alone() ? "" : "more than one Content-Type";
      case Field::content_encoding:
      case Field::range:
      case Field::if_range:
        return is_alone() ? "" : "more than one Content-Encoding, Range or If-Range";
      case Field::unknown:
        return request.headers.back().first != "idempotency-key" || is_alone() ? "" : "more than one Idempotency-Key";
      default:
        return {};
    }
  }
  // Whether the last field is the only one of its name.
  bool is_alone() const {
    return std::ranges::count(request.headers, request.headers.back().first,
                              &std::pair<std::string, std::string>::first) == 1;
  }
  void on_header_impl(ErrorCode& ec) override {
    header_done_ = true;
    fields_ = 0;
    persistent = version_ == 11 && keep_alive();
    left = content_length().value_or(0);
    if (version_ == 11 && !host_seen_) refuse(ec, "no Host field");
    if (coding_seen_ && version_ == 10) refuse(ec, "a Transfer-Encoding, which HTTP/1.0 does not know");
  }
  void on_chunk_header_impl(std::uint64_t size, Text, ErrorCode& ec) override {
    left = size;
    if (size <= max_body - request.body.size()) return;
    failure = body_too_large(max_body);
    ec = make_error_code(error::body_limit);
  }
  std::size_t on_body_impl(Text piece, ErrorCode&) override { return append(piece); }
  std::size_t on_chunk_body_impl(std::uint64_t, Text piece, ErrorCode&) override { return append(piece); }
  std::size_t append(Text piece) {
    std::string& body = request.body;
    if (const std::size_t need = body.size() + piece.size(); need > body.capacity()) {
      // Grows with what has come, up to what there may be. A string at least doubles: the last step begins below half,
      // else the body of a known length would end in room for nearly two of it.
      const auto max_size = std::min<std::uint64_t>(content_length().value_or(max_body), max_body);
      std::uint64_t room = std::max(2 * need, kFirstBodyRoom);
      if (content_length() && 2 * room > max_size) room = max_size;
      body.reserve(std::max<std::size_t>(need, std::min(max_size, room)));
    }
    body.append(piece.data(), piece.size());
    left -= piece.size();
    return piece.size();
  }
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override {}

  int version_ = 11;
  std::size_t fields_ = 0;  // of the header, then of the trailers
  bool header_done_ = false, host_seen_ = false, length_seen_ = false, coding_seen_ = false;
};

struct RequestMessage::Impl {
  std::optional<Parser> parser;
};

RequestMessage::RequestMessage(std::size_t max_body) : max_body_(max_body), impl_(std::make_unique<Impl>()) {
  impl_->parser.emplace(max_body_);
}
RequestMessage::~RequestMessage() = default;

std::optional<std::size_t> RequestMessage::give(std::string_view bytes) {
  Parser& parser = *impl_->parser;
  ErrorCode ec;
  const std::size_t used = parser.put({bytes.data(), bytes.size()}, ec);
  if (!ec || ec == error::need_more) return used;
  if (!parser.failure) parser.failure = describe(ec, bytes, used);
  return std::nullopt;
}
bool RequestMessage::is_header_whole() const { return impl_->parser->is_header_done(); }
bool RequestMessage::is_whole() const { return impl_->parser->is_done(); }
bool RequestMessage::is_chunked() const { return impl_->parser->chunked(); }
std::uint64_t RequestMessage::left() const { return impl_->parser->left; }
std::size_t RequestMessage::body_room() const {
  const Parser& parser = *impl_->parser;
  const std::string& body = parser.request.body;
  const std::size_t taken = body.empty() ? 0 : body.capacity();
  if (parser.chunked()) return std::max(taken, std::min(parser.max_body, kFirstBodyRoom));
  return std::max<std::size_t>(taken, body.size() + parser.left);
}
const Request& RequestMessage::request() const { return impl_->parser->request; }
bool RequestMessage::keep_alive() const { return impl_->parser->persistent; }
bool RequestMessage::take_expect_continue() { return std::exchange(impl_->parser->awaited, false); }

bool RequestMessage::allow_body(std::size_t max) {
  Parser& parser = *impl_->parser;
  parser.max_body = max;
  if (max > 0 && parser.left <= max) return true;
  refuse_body();
  return false;
}
void RequestMessage::refuse(std::string_view why) { impl_->parser->refuse(why); }
void RequestMessage::refuse_body() { fail(body_too_large(impl_->parser->max_body)); }
void RequestMessage::fail(Response failure) { impl_->parser->failure = std::move(failure); }
const Response& RequestMessage::failure() const { return *impl_->parser->failure; }

Request RequestMessage::take() {
  Request request = std::move(impl_->parser->request);
  impl_->parser.emplace(max_body_);
  return request;
}

}  // namespace frond::http
