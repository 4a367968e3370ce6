#include "common/http/server/request_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/http/server/beast_request.h"

namespace frond::http {
namespace {

constexpr std::size_t kMaxChunkLine = 1024;  // a chunk's size and extensions
constexpr std::size_t kMaxSizeDigits = 16;   // of 64 bits

constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kNoCrlf = "a line that does not end in CRLF";

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

RequestParser::RequestParser(Limits limits)
    : limits_(limits), message_(std::make_unique<std::optional<BeastRequest>>(std::in_place, limits.max_body)) {}
RequestParser::~RequestParser() = default;

const Request& RequestParser::header() const { return (*message_)->request; }
bool RequestParser::take_expect_continue() { return std::exchange((*message_)->awaited, false); }
bool RequestParser::keep_alive() const { return (*message_)->persistent; }
const Response& RequestParser::failure() const { return *(*message_)->failure; }

bool RequestParser::allow_body(std::size_t max) {
  BeastRequest& message = **message_;
  message.max_body = max;
  if (max > 0 && message.left <= max) return true;
  fail(body_too_large(max));
  return false;
}
std::size_t RequestParser::room() const { return (*message_)->body_room() + header_room(); }

RequestParser::Progress RequestParser::feed(std::string_view bytes) {
  std::string_view rest = bytes;
  Step state;
  while (!state) state = step(rest);
  return {bytes.size() - rest.size(), *state};
}

RequestParser::Step RequestParser::step(std::string_view& rest) {
  switch (part_) {
    case Part::kStart:
      return start(rest);
    case Part::kHeader:
      return take_header(rest);
    case Part::kBody:
      return take_body(rest);
    case Part::kChunkHeader:
      return take_chunk_header(rest);
    case Part::kTrailers:
      return take_trailers(rest);
    case Part::kWhole:
      break;
  }
  return State::kDone;
}
RequestParser::Step RequestParser::go_on(Part next, std::size_t line_begin) {
  part_ = next;
  line_begin_ = looked_at_ = line_begin;
  return std::nullopt;
}
RequestParser::Step RequestParser::fail(Response failure) {
  (*message_)->failure = std::move(failure);
  return State::kFailed;
}
RequestParser::Step RequestParser::refuse(std::string_view why) {
  (*message_)->refuse(why);
  return State::kFailed;
}

RequestParser::Step RequestParser::start(std::string_view& rest) {
  if (rest.empty()) return State::kNeedMore;
  if (rest.front() == '\r' && !forgiven_) {
    if (rest.size() == 1) return State::kNeedMore;
    if (rest[1] != '\n') return refuse(kNoCrlf);
    rest.remove_prefix(2);
    forgiven_ = true;
    return std::nullopt;
  }
  begun_ = true;
  // A client of another protocol (TLS) is refused at its first byte, since its lines may never end.
  if (rest.front() <= ' ' || rest.front() == 0x7f) return refuse("no request line of HTTP/1.1");
  return go_on(Part::kHeader);
}

// Finds the end of the line that begins at line_begin_. Its LF must be among the first `end` bytes, else the request is
// refused as `too_long`, or if that is empty as one with a header that is too long. Nothing: line_ is the line.
RequestParser::Step RequestParser::find_line(std::string_view rest, std::size_t end, std::string_view too_long) {
  const auto window = rest.substr(0, end);
  const auto feed = window.find('\n', looked_at_);
  if (feed == std::string_view::npos) {
    looked_at_ = window.size();
    if (rest.size() < end) return State::kNeedMore;
    if (!too_long.empty()) return refuse(too_long);
    const bool target = line_begin_ == 0;
    return fail(problem(target ? 414 : 431, target ? "URI too long" : "Request header fields too large",
                        "The request line and fields may have " + std::to_string(limits_.max_header) + " bytes."));
  }
  if (feed == line_begin_ || window[feed - 1] != '\r') return refuse(kNoCrlf);
  line_ = window.substr(line_begin_, feed - 1 - line_begin_);
  line_begin_ = looked_at_ = feed + 1;
  return std::nullopt;
}
// Finds the end of the next empty line. A line that begins with white space continues a folded field (obs-fold).
RequestParser::Step RequestParser::find_empty_line(std::string_view rest, std::size_t end, std::string_view folded,
                                                   std::string_view too_long) {
  while (true) {
    if (const Step ended = find_line(rest, end, too_long)) return ended;
    if (line_.empty()) return std::nullopt;
    if (line_.front() == ' ' || line_.front() == '\t') return refuse(folded);
  }
}

RequestParser::Step RequestParser::take_header(std::string_view& rest) {
  if (const Step ended = find_empty_line(rest, limits_.max_header, "a folded field", {})) return ended;
  if (!(*message_)->give(rest.substr(0, line_begin_))) return State::kFailed;
  if (!(*message_)->is_header_done()) return refuse("no whole header");
  rest.remove_prefix(line_begin_);
  header_bytes_ = line_begin_;
  if ((*message_)->is_done()) {
    part_ = Part::kWhole;
    return State::kDone;
  }
  go_on((*message_)->chunked() ? Part::kChunkHeader : Part::kBody);
  return State::kHeader;
}

RequestParser::Step RequestParser::take_body(std::string_view& rest) {
  if (rest.empty()) return State::kNeedMore;
  const auto used = (*message_)->give(rest);
  if (!used) return State::kFailed;
  rest.remove_prefix(*used);
  if ((*message_)->left > 0) return State::kNeedMore;
  return (*message_)->chunked() ? go_on(Part::kChunkHeader, kCrlf.size()) : go_on(Part::kWhole);
}

// [CRLF of the chunk before] chunk-size [chunk-ext] CRLF
RequestParser::Step RequestParser::take_chunk_header(std::string_view& rest) {
  const std::size_t begin = line_begin_;
  if (rest.size() < begin) return State::kNeedMore;
  if (begin > 0 && !rest.starts_with(kCrlf)) return refuse("a chunk that is longer than it says");
  // Never folded.
  if (const Step ended = find_line(rest, begin + kMaxChunkLine, "a chunk header that is too long")) return ended;
  // Beast does not check what is inside quotes.
  if (std::any_of(line_.begin(), line_.end(), is_control)) return refuse("a control character in a chunk header");
  // Extensions are not part of any body, so they have a limit of their own. (A size has few digits; more are counted.)
  overhead_ += line_.size() - std::min(line_.size(), kMaxSizeDigits);
  if (overhead_ > limits_.max_header) return refuse("more chunk extensions than are taken");
  const auto digits = line_.substr(std::min(line_.find_first_not_of('0'), line_.size()));
  const auto count = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
  if (count > kMaxSizeDigits) return fail(body_too_large((*message_)->max_body));
  const auto used = (*message_)->give(rest.substr(0, line_begin_));
  if (!used) return State::kFailed;
  if (*used > 0) {
    rest.remove_prefix(*used);
    return go_on(Part::kBody);
  }
  // Beast reads the last chunk together with the trailers. For another it wants more only if a quote is left open.
  if (count > 0) return refuse("a chunk extension that does not end");
  trailers_end_ = line_begin_ + limits_.max_header - overhead_;
  part_ = Part::kTrailers;
  return std::nullopt;
}

RequestParser::Step RequestParser::take_trailers(std::string_view& rest) {
  const std::string_view too_long = "more trailers than are taken";
  if (const Step ended = find_empty_line(rest, trailers_end_, "a folded trailer", too_long)) return ended;
  if (!(*message_)->give(rest.substr(0, line_begin_))) return State::kFailed;
  if (!(*message_)->is_done()) return refuse("a chunk extension that does not end");
  rest.remove_prefix(line_begin_);
  part_ = Part::kWhole;
  return State::kDone;
}

Request RequestParser::take() {
  go_on(Part::kStart);
  overhead_ = 0;
  begun_ = forgiven_ = false;
  Request request = std::move((*message_)->request);
  message_->emplace(limits_.max_body);
  return request;
}

}  // namespace frond::http
