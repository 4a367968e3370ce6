#include "common/http/request_parser.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "common/http/grammar.h"

namespace frond::http {
namespace {

constexpr std::size_t kMaxChunkLine = 1024;       // a chunk's size and extensions
constexpr std::size_t kFirstBodyRoom = 64 << 10;  // no more on the client's word alone

}  // namespace

RequestParser::Progress RequestParser::feed(std::string_view bytes) {
  std::string_view rest = bytes;
  while (true) {
    const Step now = step(rest);
    if (now == Step::kOn) continue;
    const std::size_t used = bytes.size() - rest.size();
    switch (now) {
      case Step::kHeader:
        return {used, State::kHeader};
      case Step::kDone:
        return {used, State::kDone};
      case Step::kFailed:
        return {used, State::kFailed};
      default:
        return {used, State::kNeedMore};
    }
  }
}

RequestParser::Step RequestParser::step(std::string_view& rest) {
  switch (part_) {
    case Part::kStart:
      return start(rest);
    case Part::kRequestLine:
    case Part::kFields:
      return take_header_line(rest);
    case Part::kLength:
      return take_body(rest, Part::kWhole);
    case Part::kChunkSize:
      return take_chunk_size(rest);
    case Part::kChunk:
      return take_body(rest, Part::kChunkEnd);
    case Part::kChunkEnd:
      return take_chunk_end(rest);
    case Part::kTrailers:
      return take_trailer(rest);
    case Part::kWhole:
      break;
  }
  return Step::kDone;
}

RequestParser::Step RequestParser::refuse(std::string_view why) {
  failure_ = problem(400, "Bad request", "The request has " + std::string(why) + ".");
  return Step::kFailed;
}
RequestParser::Step RequestParser::too_large() {
  failure_ = body_too_large(max_body_);
  return Step::kFailed;
}

// Where the line ends that begins at the front; its LF must be among the first `limit` bytes.
RequestParser::Found RequestParser::find_line(std::string_view rest, std::size_t limit) {
  const std::size_t window = std::min(rest.size(), limit);
  const std::size_t from = std::min(looked_at_, window);
  const void* const end = std::memchr(rest.data() + from, '\n', window - from);
  if (end == nullptr) {
    looked_at_ = window;
    return rest.size() < limit ? Found::kNeedMore : Found::kTooLong;
  }
  looked_at_ = 0;
  const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - rest.data());
  if (length == 0 || rest[length - 1] != '\r') return Found::kBareLineFeed;
  line_ = length - 1;
  return Found::kLine;
}
std::string_view RequestParser::take_line(std::string_view& rest) {
  const auto line = rest.substr(0, line_);
  rest.remove_prefix(line_ + 2);
  return line;
}

RequestParser::Step RequestParser::start(std::string_view& rest) {
  if (rest.empty()) return Step::kNeedMore;
  if (rest.front() == '\r' && !forgiven_) {
    if (rest.size() == 1) return Step::kNeedMore;
    if (rest[1] != '\n') return refuse("a line that does not end in CRLF");
    rest.remove_prefix(2);
    forgiven_ = true;
    return Step::kOn;
  }
  begun_ = true;
  // What speaks another protocol is told so at its first byte; its lines may never end.
  if (grammar::token_char(rest.front()) == 0) return refuse("no request line of HTTP/1.1");
  part_ = Part::kRequestLine;
  return Step::kOn;
}

RequestParser::Step RequestParser::take_header_line(std::string_view& rest) {
  switch (find_line(rest, limits_.max_header - overhead_)) {
    case Found::kLine:
      break;
    case Found::kNeedMore:
      return Step::kNeedMore;
    case Found::kBareLineFeed:
      return refuse("a line that does not end in CRLF");
    case Found::kTooLong: {
      const bool target = part_ == Part::kRequestLine;
      failure_ = problem(target ? 414 : 431, target ? "URI too long" : "Request header fields too large",
                         "The request line and fields may have " + std::to_string(limits_.max_header) + " bytes.");
      return Step::kFailed;
    }
  }
  const auto line = take_line(rest);
  overhead_ += line.size() + 2;
  if (part_ == Part::kRequestLine) {
    part_ = Part::kFields;
    return head_.take_request_line(line) ? Step::kOn : Step::kFailed;
  }
  if (line.empty()) return head_.finish() ? end_header() : Step::kFailed;
  return head_.take_field(line) ? Step::kOn : Step::kFailed;
}

RequestParser::Step RequestParser::end_header() {
  overhead_ = 0;
  left_ = head_.content_length();
  if (!head_.chunked() && left_ == 0) {
    part_ = Part::kWhole;
    return Step::kDone;
  }
  part_ = head_.chunked() ? Part::kChunkSize : Part::kLength;
  awaited_ = head_.expects_continue();
  return Step::kHeader;
}

bool RequestParser::allow_body(std::size_t max) {
  max_body_ = max;
  if (max == 0 || head_.content_length() > max) return too_large() != Step::kFailed;
  return true;
}
bool RequestParser::take_expect_continue() { return std::exchange(awaited_, false); }

std::size_t RequestParser::body_capacity() const {
  const std::string& body = head_.request().body;
  return body.empty() ? 0 : body.capacity();
}

RequestParser::Step RequestParser::take_body(std::string_view& rest, Part next) {
  if (rest.empty()) return Step::kNeedMore;
  const auto piece = rest.substr(0, std::min<std::uint64_t>(left_, rest.size()));
  std::string& body = head_.body();
  if (const std::size_t need = body.size() + piece.size(); need > body.capacity()) {
    // Grows with what has come, up to what there may be.
    const auto most = head_.chunked() ? max_body_ : std::min<std::uint64_t>(head_.content_length(), max_body_);
    body.reserve(std::max<std::size_t>(need, std::min<std::uint64_t>(most, std::max(2 * need, kFirstBodyRoom))));
  }
  body.append(piece);
  rest.remove_prefix(piece.size());
  left_ -= piece.size();
  if (left_ > 0) return Step::kNeedMore;
  part_ = next;
  return Step::kOn;
}

RequestParser::Step RequestParser::take_chunk_size(std::string_view& rest) {
  switch (find_line(rest, kMaxChunkLine)) {
    case Found::kLine:
      break;
    case Found::kNeedMore:
      return Step::kNeedMore;
    case Found::kBareLineFeed:
      return refuse("a line that does not end in CRLF");
    case Found::kTooLong:
      return refuse("a chunk header that is too long");
  }
  const auto line = take_line(rest);
  const auto size = grammar::chunk_size(line);
  if (!size) return refuse("a chunk header that is none");
  // Extensions are not part of any body, so they have a limit of their own. (A size has few digits; more are counted.)
  overhead_ += line.size() > 16 ? line.size() - 16 : 0;
  if (overhead_ > limits_.max_header) return refuse("more chunk extensions than are taken");
  if (*size > max_body_ - head_.request().body.size()) return too_large();
  left_ = *size;
  part_ = *size > 0 ? Part::kChunk : Part::kTrailers;
  return Step::kOn;
}

RequestParser::Step RequestParser::take_chunk_end(std::string_view& rest) {
  if (!rest.empty() && rest.front() != '\r') return refuse("a chunk that is longer than it says");
  if (rest.size() < 2) return Step::kNeedMore;
  if (rest[1] != '\n') return refuse("a chunk that is longer than it says");
  rest.remove_prefix(2);
  part_ = Part::kChunkSize;
  return Step::kOn;
}

// Trailers say nothing that is used here. They must be fields all the same, and frame nothing.
RequestParser::Step RequestParser::take_trailer(std::string_view& rest) {
  switch (find_line(rest, limits_.max_header - std::min(overhead_, limits_.max_header))) {
    case Found::kLine:
      break;
    case Found::kNeedMore:
      return Step::kNeedMore;
    case Found::kBareLineFeed:
      return refuse("a line that does not end in CRLF");
    case Found::kTooLong:
      return refuse("more trailers than are taken");
  }
  const auto line = take_line(rest);
  overhead_ += line.size() + 2;
  if (line.empty()) {
    part_ = Part::kWhole;
    return Step::kDone;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !grammar::is_token(line.substr(0, colon)) ||
      !grammar::is_text(line.substr(colon + 1)) || ++trailers_ > RequestHead::kMaxFields)
    return refuse("a trailer that is no field");
  const auto name = line.substr(0, colon);
  if (grammar::equals_ignoring_case(name, "content-length") || grammar::equals_ignoring_case(name, "transfer-encoding"))
    return refuse("a trailer that frames");
  return Step::kOn;
}

Request RequestParser::take() {
  part_ = Part::kStart;
  overhead_ = trailers_ = 0;
  max_body_ = limits_.max_body;
  begun_ = forgiven_ = awaited_ = false;
  return head_.take();
}

}  // namespace frond::http
