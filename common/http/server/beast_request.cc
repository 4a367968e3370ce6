#include "common/http/server/beast_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "common/http/letter_case.h"

namespace frond::http {
namespace {
using boost::beast::http::error;
using ErrorCode = boost::beast::error_code;

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

using Characters = std::array<bool, 256>;

constexpr Characters with(Characters set, std::string_view characters) {
  for (const char c : characters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr Characters kDigits = with({}, "0123456789");
constexpr Characters kAddressCharacters = with(kDigits, "abcdefABCDEF:.");
// reg-name of RFC 3986: unreserved characters, sub-delims, and the sign of a percent-escape.
constexpr Characters kNameCharacters =
    with(kDigits, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~%!$&'()*+,;=");

bool has_only(std::string_view text, const Characters& set) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return set[static_cast<unsigned char>(c)]; });
}

// Whether `text` is uri-host [":" port] (RFC 9112, 3.2): a name, an IPv4 address or an IPv6 address in brackets. May be
// empty.
bool is_host(std::string_view text) {
  std::size_t end = std::min(text.find(':'), text.size());
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos || end < 3) return false;
    if (!has_only(text.substr(1, end - 1), kAddressCharacters)) return false;
    ++end;
  } else if (!has_only(text.substr(0, end), kNameCharacters)) {
    return false;
  }
  const auto port = text.substr(end);
  return port.empty() || (port.front() == ':' && port.size() <= 6 && has_only(port.substr(1), kDigits));
}

// Sets path and query from request.target, and host if the target has one (absolute form, which proxies send). Returns
// what is wrong with the target; empty if nothing is.
std::string_view split_target(Request& request) {
  std::string_view target = request.target;
  if (target == "*" && request.method == "OPTIONS") {
    request.path = target;
    return {};
  }
  if (target.find('#') != std::string_view::npos) return "a request target with a fragment";
  if (!target.starts_with('/')) {
    const auto scheme = std::min(target.find("://"), target.size());
    if (scheme == target.size()) return "a request target that is not a path";
    const auto name = target.substr(0, scheme);
    if (!iequals(name, "http") && !iequals(name, "https"))
      return "a request target of another scheme than http and https";
    const auto end = std::min(target.find_first_of("/?", scheme + 3), target.size());
    request.host = target.substr(scheme + 3, end - scheme - 3);
    if (request.host.empty() || request.host.front() == ':' || !is_host(request.host))
      return "a request target without a good host";
    target.remove_prefix(end);
  }
  const auto question = std::min(target.find('?'), target.size());
  request.path = question == 0 ? "/" : target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  return {};
}

}  // namespace

BeastRequest::BeastRequest(std::size_t max) : max_body(max) {
  // We enforce the limits: Beast's depend on how the bytes arrive.
  header_limit(std::numeric_limits<std::uint32_t>::max());
  body_limit(boost::none);
}

std::optional<std::size_t> BeastRequest::give(std::string_view bytes) {
  ErrorCode ec;
  const std::size_t used = put({bytes.data(), bytes.size()}, ec);
  if (!ec || ec == error::need_more) return used;
  if (!failure) failure = describe(ec, bytes, used);
  return std::nullopt;
}

std::size_t BeastRequest::body_room() const {
  const std::size_t taken = request.body.empty() ? 0 : request.body.capacity();
  if (chunked()) return std::max(taken, std::min(max_body, kFirstBodyRoom));
  return std::max<std::size_t>(taken, request.body.size() + left);
}

void BeastRequest::refuse(std::string_view why) {
  failure = problem(400, "Bad request", "The request has " + std::string(why) + ".");
}
void BeastRequest::refuse(ErrorCode& ec, std::string_view why) {
  refuse(why);
  ec = make_error_code(error::bad_field);
}

void BeastRequest::on_request_impl(boost::beast::http::verb, Text method, Text target, int version, ErrorCode& ec) {
  request.method.assign(method.data(), method.size());
  request.target.assign(target.data(), target.size());
  version_ = version;
  if (const auto wrong = split_target(request); !wrong.empty()) refuse(ec, wrong);
}

void BeastRequest::on_field_impl(Field field, Text name, Text value, ErrorCode& ec) {
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
std::string_view BeastRequest::take_field(Field field, const std::string& value) {
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
      return iequals(value, "chunked") ? "" : "a Transfer-Encoding other than chunked";
    case Field::expect:
      awaited = version_ == 11;
      return iequals(value, "100-continue") ? "" : "an expectation other than 100-continue";
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
bool BeastRequest::is_alone() const {
  return std::ranges::count(request.headers, request.headers.back().first,
                            &std::pair<std::string, std::string>::first) == 1;
}

void BeastRequest::on_header_impl(ErrorCode& ec) {
  header_done_ = true;
  fields_ = 0;
  persistent = version_ == 11 && keep_alive();
  left = content_length().value_or(0);
  if (version_ == 11 && !host_seen_) refuse(ec, "no Host field");
  if (coding_seen_ && version_ == 10) refuse(ec, "a Transfer-Encoding, which HTTP/1.0 does not know");
}

void BeastRequest::on_chunk_header_impl(std::uint64_t size, Text, ErrorCode& ec) {
  left = size;
  if (size <= max_body - request.body.size()) return;
  failure = body_too_large(max_body);
  ec = make_error_code(error::body_limit);
}

std::size_t BeastRequest::append(Text piece) {
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

}  // namespace frond::http
