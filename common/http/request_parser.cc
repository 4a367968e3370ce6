#include "common/http/request_parser.h"

#include <algorithm>
#include <string>

namespace frond::http {
namespace {

constexpr std::size_t kMaxChunkLine = 1024;  // a chunk's size and extensions
constexpr std::size_t kMaxSizeDigits = 16;   // of 64 bits

constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kNoCrlf = "a line that does not end in CRLF";

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

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
RequestParser::Step RequestParser::refuse(std::string_view why) {
  message_.refuse(why);
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

// Finds the end of the line that begins at line_begin_. Its LF must be among the first `end` bytes.
RequestParser::Found RequestParser::find_line(std::string_view rest, std::size_t end) {
  const auto window = rest.substr(0, end);
  const auto feed = window.find('\n', looked_at_);
  if (feed == std::string_view::npos) {
    looked_at_ = window.size();
    return rest.size() < end ? Found::kNeedMore : Found::kTooLong;
  }
  if (feed == line_begin_ || window[feed - 1] != '\r') return Found::kBareLineFeed;
  line_ = window.substr(line_begin_, feed - 1 - line_begin_);
  line_begin_ = looked_at_ = feed + 1;
  return Found::kLine;
}
// Finds the end of the next empty line. A line that begins with white space continues a folded field (obs-fold).
RequestParser::Found RequestParser::find_empty_line(std::string_view rest, std::size_t end) {
  while (true) {
    const Found found = find_line(rest, end);
    if (found != Found::kLine || line_.empty()) return found;
    if (line_.front() == ' ' || line_.front() == '\t') return Found::kFolded;
  }
}

// What a search for a line that did not find one means for the request; nothing if it found one.
RequestParser::Step RequestParser::unless_line(Found found, std::string_view folded, std::string_view too_long) {
  switch (found) {
    case Found::kNeedMore:
      return State::kNeedMore;
    case Found::kBareLineFeed:
      return refuse(kNoCrlf);
    case Found::kFolded:
      return refuse(folded);
    case Found::kTooLong:
      return refuse(too_long);
    case Found::kLine:
      break;
  }
  return std::nullopt;
}

RequestParser::Step RequestParser::take_header(std::string_view& rest) {
  const Found found = find_empty_line(rest, limits_.max_header);
  if (found == Found::kTooLong) {
    const bool target = line_begin_ == 0;
    message_.fail(problem(target ? 414 : 431, target ? "URI too long" : "Request header fields too large",
                          "The request line and fields may have " + std::to_string(limits_.max_header) + " bytes."));
    return State::kFailed;
  }
  if (const Step ended = unless_line(found, "a folded field", {})) return ended;
  if (!message_.give(rest.substr(0, line_begin_))) return State::kFailed;
  if (!message_.is_header_whole()) return refuse("no whole header");
  rest.remove_prefix(line_begin_);
  header_bytes_ = line_begin_;
  if (message_.is_whole()) {
    part_ = Part::kWhole;
    return State::kDone;
  }
  go_on(message_.is_chunked() ? Part::kChunkHeader : Part::kBody);
  return State::kHeader;
}

RequestParser::Step RequestParser::take_body(std::string_view& rest) {
  if (rest.empty()) return State::kNeedMore;
  const auto used = message_.give(rest);
  if (!used) return State::kFailed;
  rest.remove_prefix(*used);
  if (message_.left() > 0) return State::kNeedMore;
  return message_.is_chunked() ? go_on(Part::kChunkHeader, kCrlf.size()) : go_on(Part::kWhole);
}

// [CRLF of the chunk before] chunk-size [chunk-ext] CRLF
RequestParser::Step RequestParser::take_chunk_header(std::string_view& rest) {
  const std::size_t begin = line_begin_;
  if (rest.size() < begin) return State::kNeedMore;
  if (begin > 0 && !rest.starts_with(kCrlf)) return refuse("a chunk that is longer than it says");
  const Found found = find_line(rest, begin + kMaxChunkLine);  // never folded
  if (const Step ended = unless_line(found, {}, "a chunk header that is too long")) return ended;
  // Beast does not check what is inside quotes.
  if (std::any_of(line_.begin(), line_.end(), is_control)) return refuse("a control character in a chunk header");
  // Extensions are not part of any body, so they have a limit of their own. (A size has few digits; more are counted.)
  overhead_ += line_.size() - std::min(line_.size(), kMaxSizeDigits);
  if (overhead_ > limits_.max_header) return refuse("more chunk extensions than are taken");
  const auto digits = line_.substr(std::min(line_.find_first_not_of('0'), line_.size()));
  const auto count = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
  if (count > kMaxSizeDigits) {
    message_.refuse_body();
    return State::kFailed;
  }
  const auto used = message_.give(rest.substr(0, line_begin_));
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
  const Found found = find_empty_line(rest, trailers_end_);
  if (const Step ended = unless_line(found, "a folded trailer", "more trailers than are taken")) return ended;
  if (!message_.give(rest.substr(0, line_begin_))) return State::kFailed;
  if (!message_.is_whole()) return refuse("a chunk extension that does not end");
  rest.remove_prefix(line_begin_);
  part_ = Part::kWhole;
  return State::kDone;
}

Request RequestParser::take() {
  go_on(Part::kStart);
  overhead_ = 0;
  begun_ = forgiven_ = false;
  return message_.take();
}

}  // namespace frond::http
