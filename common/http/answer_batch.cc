#include "common/http/answer_batch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <boost/beast/http/status.hpp>

namespace frond::http {
namespace {

std::string_view reason_of(int status) {
  // RFC 9110 has other names for these two than Beast.
  if (status == 413) return "Content Too Large";
  if (status == 422) return "Unprocessable Content";
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(status)));
  return {reason.data(), reason.size()};
}

// Of any kind: documents, problems, lines.
bool is_json(std::string_view type) {
  return type.starts_with("application/") && type.find("json") != std::string_view::npos;
}
bool says(const AnswerBatch::Fields& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
}

}  // namespace

bool AnswerBatch::has_content(int status) { return status != 204 && status != 304; }

void AnswerBatch::clear() {
  text_.clear();
  bodies_.clear();
}

void AnswerBatch::append_number(std::uint64_t value) {
  std::array<char, 24> digits{};
  text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void AnswerBatch::append_fields(const Fields& fields) {
  for (const auto& [name, value] : fields) text_.append(name).append(": ").append(value).append("\r\n");
}

void AnswerBatch::append_continue() { text_ += "HTTP/1.1 100 Continue\r\n\r\n"; }

void AnswerBatch::append(Response&& response, const Framing& framing) {
  text_ += "HTTP/1.1 ";
  append_number(static_cast<std::uint64_t>(response.status));
  text_ += ' ';
  text_ += reason_of(response.status);
  text_ += "\r\n";
  text_ += framing.date;
  if (has_content(response.status)) {
    text_ += "Content-Length: ";
    append_number(response.body_bytes());
    text_ += "\r\n";
    if (!response.content_type.empty()) (text_ += "Content-Type: ").append(response.content_type).append("\r\n");
    text_ += "X-Content-Type-Options: nosniff\r\n";  // browsers must not guess another type
    if (is_json(response.content_type) && !says(response.headers, "Cache-Control"))
      text_ += "Cache-Control: no-store\r\n";
  }
  if (framing.last) text_ += "Connection: close\r\n";
  append_fields(response.headers);
  if (framing.more != nullptr) append_fields(*framing.more);
  text_ += "\r\n";
  if (framing.head || !has_content(response.status) || response.reader) return;
  if (response.body.size() <= kMaxInlineBody)
    text_ += response.body;
  else
    bodies_.emplace_back(text_.size(), std::move(response.body));
}

std::vector<boost::asio::const_buffer> AnswerBatch::buffers() const {
  std::vector<boost::asio::const_buffer> all;
  std::size_t at = 0;
  for (const auto& [position, body] : bodies_) {
    all.emplace_back(text_.data() + at, position - at);
    all.emplace_back(body.data(), body.size());
    at = position;
  }
  all.emplace_back(text_.data() + at, text_.size() - at);
  return all;
}

}  // namespace frond::http
