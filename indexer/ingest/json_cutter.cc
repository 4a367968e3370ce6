#include "indexer/ingest/json_cutter.h"

#include <algorithm>
#include <utility>

#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

// Finds the end of a JSON value that comes in pieces.
class ValueEnd {
 public:
  // The place behind the value that begins, or goes on, at piece[0]; npos: it goes on behind the piece.
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
          if (depth_ == 0) return at + 1;
        } else {
          at = std::min(piece.find_first_of("\"\\", at), piece.size()) - 1;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        if (depth_++ == 0) object_ = c == '{';
      } else if (c == '}' || c == ']') {
        mismatched_ = depth_ == 1 && object_ != (c == '}');
        if (depth_ <= 1) return at + (depth_ == 1 || (first_ && at == 0));
        --depth_;
      } else if (depth_ == 0 && (c == ',' || kSpaces.find(c) != std::string_view::npos)) {
        return at;  // a number, or a word
      }
    }
    first_ = false;
    return piece.npos;
  }
  // Whether the value ended with the bracket of another one.
  bool mismatched() const { return mismatched_; }

 private:
  std::size_t depth_ = 0;
  bool first_ = true, in_string_ = false, escaped_ = false, object_ = false, mismatched_ = false;
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
  explicit JsonCutter(std::size_t max_bytes) : max_bytes_(max_bytes), pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!FROND_TRY(find_value(stream))) return std::optional<Cut>();
    Cut cut{.number = ++values_, .offset = stream.offset()};
    ValueEnd value;
    for (;;) {
      std::string_view window = FROND_TRY(stream.window());
      if (recovering_) window = window.substr(0, window.find('\n') + (window.find('\n') != window.npos));
      if (window.empty()) {
        if (!resume_inside(stream, cut, 0)) cut.problem = "the file ends inside a JSON value";
        break;
      }
      const std::size_t end = value.find(window);
      const std::string_view piece = window.substr(0, end);
      if (cut.bytes.size() + piece.size() > max_bytes_ && resume_inside(stream, cut, 0)) break;
      const std::size_t before = cut.bytes.size();
      pieces_.append(piece, cut);
      stream.consume(piece.size());
      if (recovering_ && resume_inside(stream, cut, std::min(cut.bytes.rfind('\n', before), before))) break;
      if (end == window.npos) continue;
      if (value.mismatched()) resume_inside(stream, cut, 0);
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
    stream.put_back(std::string_view(cut.bytes).substr(line));
    cut.problem = "a JSON value that does not end before the next one begins";
    cut.bytes = {};
    return recovering_ = true;
  }

  // Leaves the stream at the next value. False: there is none. Commas and the brackets of the outermost array are
  // passed over, wherever they stand.
  Result<bool> find_value(ContentStream& stream) {
    for (;;) {
      std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return false;
      if (stream.offset() == 0 && window.starts_with(kByteOrderMark)) {
        stream.consume(kByteOrderMark.size());
        continue;
      }
      const std::size_t at = std::min(window.find_first_not_of(" \t\r\n\f\v,]"), window.size());
      if (const std::size_t end = window.substr(0, at).rfind('\n'); end != window.npos)
        line_begin_ = stream.offset() + end + 1;
      stream.consume(at);
      if (at == window.size()) continue;
      if (window[at] != '[' || in_array_) {
        if (line_begin_) indent_ = stream.offset() - *std::exchange(line_begin_, std::nullopt);
        return true;
      }
      in_array_ = true;
      stream.consume(1);
    }
  }
  std::size_t max_bytes_;
  PieceCollector pieces_;
  std::uint64_t values_ = 0;
  std::uint64_t indent_ = 0;                     // of the line in which the last value began
  std::optional<std::uint64_t> line_begin_ = 0;  // of the line, if no value has begun in it
  bool in_array_ = false, recovering_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes) { return std::make_unique<JsonCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
