#include "common/http/message.h"

#include <nlohmann/json.hpp>

namespace frond::http {

std::string_view Request::header(std::string_view lower_case_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_case_name) return value;
  return {};
}

Response problem(int status, std::string_view title, std::string_view detail, std::string_view parameter,
                 std::optional<std::size_t> position) {
  nlohmann::ordered_json body = {{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  if (!parameter.empty()) body["parameter"] = parameter;
  if (position) body["position"] = *position;
  // Details may quote what the client sent: bytes that are not UTF-8 are replaced.
  return {.status = status,
          .content_type = "application/problem+json",
          .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

Response body_too_large(std::size_t max_body) {
  return problem(
      413, "Content too large",
      max_body == 0 ? "This request takes no body." : "The body may have " + std::to_string(max_body) + " bytes.",
      "body");
}

Responder::Responder(std::shared_ptr<Connection> connection, std::uint64_t sequence)
    : connection_(std::move(connection)), sequence_(sequence) {}
Responder::~Responder() {
  if (connection_) connection_->abandon(sequence_);
}
Responder::Responder(Responder&&) noexcept = default;
Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(sequence_, other.sequence_);
  std::swap(route_, other.route_);
  return *this;
}
void Responder::send(Response response) {
  if (const auto connection = std::exchange(connection_, nullptr))
    connection->answer(sequence_, std::move(response), route_);
}
void Responder::on_client_gone(std::function<void()> gone) {
  if (connection_) connection_->watch(sequence_, std::move(gone));
}

namespace {
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> percent_decoded(std::string_view text, bool plus_is_space = true) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return Error(Code::kInvalid, "'" + std::string(text.substr(i, 3)) + "' is not a percent-escape");
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}
}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto name = FROND_TRY(percent_decoded(pair.substr(0, equals)));
    auto value = equals == std::string_view::npos ? Result<std::string>(std::string())
                                                  : percent_decoded(pair.substr(equals + 1));
    if (!value) return std::move(value).error().within("parameter '" + name + "'");
    pairs.emplace_back(std::move(name), *std::move(value));
  }
  return pairs;
}

std::string_view raw_path_value(std::string_view path, std::string_view pattern, std::size_t which) {
  std::string_view value;
  for (;;) {
    const std::size_t open = pattern.find('{');
    if (open == std::string_view::npos) return path == pattern ? value : std::string_view();
    if (!path.starts_with(pattern.substr(0, open))) return {};
    path.remove_prefix(open);
    const std::string_view here = path.substr(0, path.find('/'));
    if (here.empty()) return {};
    if (which-- == 0) value = here;
    path.remove_prefix(here.size());
    pattern.remove_prefix(pattern.find('}') + 1);
  }
}

Result<std::string> path_value(std::string_view path, std::string_view pattern, std::size_t which) {
  return percent_decoded(raw_path_value(path, pattern, which), false);
}

}  // namespace frond::http
