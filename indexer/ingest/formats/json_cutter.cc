#include <algorithm>
#include <utility>

#include "indexer/ingest/formats/json_document.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kNoEnd = "a JSON value that does not end before the next one begins";
constexpr std::size_t kMaxDepth = 1 << 20;

// Finds the end of a JSON value that comes in pieces.
class ValueEnd {
 public:
  // The place behind the value that begins, or goes on, at piece[0], or where another one begins that it does not hold;
  // npos: it goes on behind the piece. If misquoted(), it goes on there, behind reopen().
  std::size_t find(std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
          before_ = c;
          if (open_.empty()) return at + 1;
        } else {
          at = std::min(piece.find_first_of("\"\\", at), piece.size()) - 1;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        if ((c == '{' && !may_be_object()) || open_.size() == kMaxDepth) {
          broken_ = true;
          return at;
        }
        open_.push_back(before_ = c);
        lists_ += c == '[';
      } else if (c == '}' || c == ']') {
        if (open_.empty()) return at + (first_ && at == 0);
        close(before_ = c);
        if (open_.empty()) return at + 1;
      } else if (kSpaces.find(c) != kSpaces.npos || (c == ',' && open_.empty())) {
        if (open_.empty()) return at;  // a number, or a word
      } else if (before_ == '"' && c != ',' && c != ':') {
        broken_ = misquoted_ = true;
        return at;
      } else {
        before_ = c;
      }
    }
    first_ = false;
    return piece.npos;
  }
  // Whether brackets or quotation marks are missing in it.
  bool broken() const { return broken_; }

  // Whether what follows a string cannot do so. Then a mark is missing: the one that closed this string opens one.
  bool misquoted() const { return misquoted_; }
  // Takes the last mark in `value`, which is all that was read of it, for that: the brackets just before it are no
  // text. The place behind the value, if these end it; npos: it goes on.
  std::size_t reopen(std::string_view value) {
    misquoted_ = false;
    if (const std::size_t mark = value.rfind('"'); mark != value.npos && mark > 0) {
      const std::size_t tail = value.find_last_not_of(" \t\r\n{}[],:", mark - 1) + 1;
      before_ = ':';
      const std::size_t end = find(value.substr(tail, mark - tail));
      if (end != value.npos) return tail + end;
    }
    in_string_ = true;
    return value.npos;
  }

 private:
  bool may_be_object() const {
    return open_.empty() || before_ == ':' || (open_.back() == '[' && (before_ == '[' || before_ == ','));
  }
  // Closes what is open up to the bracket of this one; all, if there is none.
  void close(char c) {
    const char opens = c == '}' ? '{' : '[';
    const std::size_t same = c == '}' ? open_.size() - lists_ : lists_;
    broken_ = broken_ || open_.back() != opens;
    if (same == 0) return open_.clear();
    for (bool found = false; !found; open_.pop_back()) {
      found = open_.back() == opens;
      lists_ -= open_.back() == '[';
    }
  }

  std::string open_;       // brackets
  std::size_t lists_ = 0;  // of these
  char before_ = ':';      // the last character of the value that is no space, and outside of strings
  bool first_ = true, in_string_ = false, escaped_ = false, broken_ = false, misquoted_ = false;
};

// The first line in text[from…] that begins an object and is indented by at most `indent`: where it begins. Such a line
// inside a value tells that the value has no end, since what is inside is indented further. npos: there is none.
std::size_t find_object_line(std::string_view text, std::size_t from, std::uint64_t indent) {
  while ((from = text.find('\n', from)) != text.npos) {
    const std::size_t line = ++from, begin = text.find_first_not_of(" \t", line);
    if (begin == text.npos) return text.npos;
    if (begin - line <= indent && text[begin] == '{') return line;
  }
  return text.npos;
}

class JsonCutter final : public RecordCutter {
 public:
  using RecordCutter::RecordCutter;
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!FROND_TRY(find_value(stream))) return std::optional<Cut>();
    Cut cut{.number = ++values_, .offset = stream.offset()};
    ValueEnd value;
    for (;;) {
      std::string_view window = FROND_TRY(stream.window());
      if (recovering_) window = in_line(window, stream.offset());
      if (window.empty()) {
        if (!resume_inside(stream, cut, 0)) cut.problem = "the file ends inside a JSON value";
        break;
      }
      const std::size_t end = value.find(window);
      const std::string_view piece = window.substr(0, end);
      if (cut.bytes.size() + piece.size() > max_bytes_ && resume_inside(stream, cut, 0)) break;
      const std::size_t before = cut.bytes.size();
      append(piece, cut);
      stream.consume(piece.size());
      // A line's beginning may be in the pieces before; blanks are all that it has there.
      const std::size_t line = before == 0 ? 0 : std::min(cut.bytes.find_last_not_of(" \t", before - 1), before);
      if (recovering_ && resume_inside(stream, cut, line)) break;
      if (end == window.npos) continue;
      if (value.misquoted()) {
        const std::size_t behind = value.reopen(cut.bytes);
        if (behind == window.npos) continue;
        give_back(stream, std::string_view(cut.bytes).substr(behind));
        cut.bytes.resize(behind);
      }
      if (value.broken() && !resume_inside(stream, cut, 0)) {
        refuse(cut);
        before_object_ = ',';
      }
      break;
    }
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // The value does not end where it should, so that it would take what follows: makes it a bad record that ends before
  // the next line that begins like it. From then on, all values end before such lines: each byte is read twice at most.
  // `from`: where to look in cut.bytes. False: there is no such line.
  bool resume_inside(ContentStream& stream, Cut& cut, std::size_t from) {
    const std::size_t line = find_object_line(cut.bytes, from, indent_);
    if (line == std::string::npos) return false;
    give_back(stream, std::string_view(cut.bytes).substr(line));
    refuse(cut);
    return recovering_ = true;
  }
  static void refuse(Cut& cut) {
    if (cut.problem.empty()) cut.problem = kNoEnd;
    cut.bytes = {};
  }
  void give_back(ContentStream& stream, std::string_view bytes) {
    if (bytes.find('\n') != bytes.npos) line_end_ = 0;
    stream.put_back(bytes);
  }
  // The part of a window that is in its first line.
  std::string_view in_line(std::string_view window, std::uint64_t offset) {
    if (!window.empty() && line_end_ <= offset) line_end_ = offset + std::min(window.find('\n'), window.size() - 1) + 1;
    return window.substr(0, line_end_ - offset);
  }

  // Leaves the stream at the next value. False: there is none. Commas and the brackets of the outermost array are
  // passed over, wherever they stand; behind a broken value, all before the next object.
  Result<bool> find_value(ContentStream& stream) {
    for (;;) {
      std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return false;
      if (stream.offset() == 0 && window.starts_with(kByteOrderMark)) {
        stream.consume(kByteOrderMark.size());
        continue;
      }
      const std::size_t begin = before_object_ ? find_object(window) : window.find_first_not_of(" \t\r\n\f\v,]");
      const std::size_t at = std::min(begin, window.size());
      if (const std::size_t end = window.substr(0, at).rfind('\n'); end != window.npos)
        line_begin_ = stream.offset() + end + 1;
      stream.consume(at);
      if (at == window.size()) continue;
      before_object_.reset();
      if (window[at] != '[' || in_array_) {
        if (line_begin_) indent_ = stream.offset() - *std::exchange(line_begin_, std::nullopt);
        return true;
      }
      in_array_ = true;
      stream.consume(1);
    }
  }
  // Where one begins that is an element of the array.
  std::size_t find_object(std::string_view window) {
    for (std::size_t at = 0; at < window.size(); ++at) {
      if (window[at] == '{' && (before_object_ == ',' || before_object_ == '}')) return at;
      if (kSpaces.find(window[at]) == kSpaces.npos) before_object_ = window[at];
    }
    return window.npos;
  }
  std::uint64_t values_ = 0;
  std::uint64_t indent_ = 0;                     // of the line in which the last value began
  std::optional<std::uint64_t> line_begin_ = 0;  // of the line, if no value has begun in it
  std::uint64_t line_end_ = 0;                   // the place behind the line, or the part of it, that in_line() knows
  std::optional<char> before_object_;            // set behind a broken value: the last character that is no space
  bool in_array_ = false, recovering_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes) { return std::make_unique<JsonCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
