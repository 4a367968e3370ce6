#include "common/base/text.h"
#include "indexer/serve/routes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/lines.h"

namespace frond::indexer::serve {
namespace {

constexpr std::string_view kLines[] = {"application/x-ndjson", "application/ndjson",    "application/jsonl",
                                       "application/x-jsonl",  "application/jsonlines", "application/x-jsonlines"};
constexpr std::string_view kUnsaid[] = {"application/x-www-form-urlencoded", "text/plain", "application/octet-stream"};
constexpr std::string_view kCompressed[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd\x37zXZ", "PK\x03\x04"};

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Of "type/subtype; charset=utf-8"; empty: none is named.
std::string charset_of(std::string_view parameters) {
  const std::string text = lower_case(parameters);
  const auto at = text.find("charset=");
  if (at == text.npos) return {};
  std::string value(trimmed(std::string_view(text).substr(at + 8, text.find(';', at) - at - 8)));
  std::erase(value, '"');
  return value;
}

http::Response unsupported(const std::string& why) {
  auto response = http::problem(
      415, "Unsupported media type",
      why + ": send one JSON object a line, with Content-Type: application/x-ndjson (curl --data-binary @FILE).",
      "Content-Type");
  response.headers.emplace_back("Accept-Post", "application/x-ndjson");
  return response;
}

}  // namespace

std::optional<http::Response> other_than_lines(const http::Request& request) {
  const std::string_view field = request.content_type;
  const std::string type = lower_case(trimmed(field.substr(0, field.find(';'))));
  const bool unsaid = is_one_of(kUnsaid, type);
  const std::string shown = "The body is " + type.substr(0, 100);
  if (!type.empty() && !unsaid && !is_one_of(kLines, type)) return unsupported(shown);
  const std::string charset = charset_of(field.substr(std::min(field.find(';'), field.size())));
  if (!charset.empty() && charset != "utf-8" && charset != "utf8" && charset != "us-ascii")
    return unsupported("The body's charset is " + charset.substr(0, 40) + ", and UTF-8 is needed");
  const auto begins = [&](std::string_view magic) { return request.body.starts_with(magic); };
  if (std::ranges::any_of(kCompressed, begins))
    return unsupported("The body is compressed, and no Content-Encoding says so");
  const std::string_view body = trimmed(without_mark(request.body));
  if (body.empty()) return std::nullopt;
  if (body.front() == '[' && body.back() == ']') {
    if (unsaid) return unsupported("The body is an array of JSON");
    return http::problem(400, "Bad request", "The body is an array of JSON: send one object a line.");
  }
  if (unsaid && body.front() != '{') return unsupported(shown + ", and no lines of JSON");
  return std::nullopt;
}

}  // namespace frond::indexer::serve
