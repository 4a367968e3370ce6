#include "common/http/server/answer_batch.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include <boost/beast/http/status.hpp>

namespace frond::http {
namespace {

constexpr std::size_t kMostDigits = std::numeric_limits<std::uint64_t>::digits10 + 1;
constexpr std::size_t kMostOfOurs = 256;  // bytes of all literals and numbers in append()

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
std::size_t bytes_of(const AnswerBatch::Fields& fields) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : fields) bytes += name.size() + value.size() + std::strlen(": \r\n");
  return bytes;
}

// Writes where there is room for everything: an answer's head has so many small pieces that appending each to a string
// is most of its cost.
class Writer {
 public:
  explicit Writer(char* at) : at_(at) {}
  template <std::size_t N>
  void put(const char (&text)[N]) {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  void put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put(std::uint64_t number) { at_ = std::to_chars(at_, at_ + kMostDigits, number).ptr; }
  void put(const AnswerBatch::Fields& fields) {
    for (const auto& [name, value] : fields) {
      put(std::string_view(name));
      put(": ");
      put(std::string_view(value));
      put("\r\n");
    }
  }
  const char* at() const { return at_; }

 private:
  char* at_;
};

}  // namespace

bool AnswerBatch::has_content(int status) { return status != 204 && status != 304; }

void AnswerBatch::clear() {
  text_.clear();
  bodies_.clear();
}

void AnswerBatch::append_continue() { text_ += "HTTP/1.1 100 Continue\r\n\r\n"; }

void AnswerBatch::append(Response&& response, const Framing& framing) {
  const bool has_body = has_content(response.status);
  const std::string_view reason = reason_of(response.status);
  id_.clear();
  if (framing.trace != nullptr) framing.trace->append_request_id(id_);
  const std::size_t begin = text_.size();
  text_.resize(begin + kMostOfOurs + id_.size() + reason.size() + framing.date.size() + response.content_type.size() +
               bytes_of(response.headers) + (framing.more != nullptr ? bytes_of(*framing.more) : 0));
  Writer head(text_.data() + begin);
  head.put("HTTP/1.1 ");
  head.put(static_cast<std::uint64_t>(response.status));
  head.put(" ");
  head.put(reason);
  head.put("\r\n");
  head.put(framing.date);
  if (has_body) {
    head.put("Content-Length: ");
    head.put(std::uint64_t{response.body_bytes()});
    head.put("\r\n");
    if (!response.content_type.empty()) {
      head.put("Content-Type: ");
      head.put(std::string_view(response.content_type));
      head.put("\r\n");
    }
    head.put("X-Content-Type-Options: nosniff\r\n");  // browsers must not guess another type
    if (is_json(response.content_type) && !says(response.headers, "Cache-Control"))
      head.put("Cache-Control: no-store\r\n");
  }
  if (framing.trace != nullptr) {
    head.put("X-Request-Id: ");
    head.put(std::string_view(id_));
    head.put("\r\n");
  }
  if (framing.last) head.put("Connection: close\r\n");
  head.put(response.headers);
  if (framing.more != nullptr) head.put(*framing.more);
  head.put("\r\n");
  text_.resize(static_cast<std::size_t>(head.at() - text_.data()));
  if (framing.head || !has_body || response.reader) return;
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
