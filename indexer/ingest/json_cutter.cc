#include "indexer/ingest/json_cutter.h"

#include <algorithm>

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
        ++depth_;
      } else if (c == '}' || c == ']') {
        if (depth_ <= 1) return at + (depth_ == 1 || (first_ && at == 0));
        --depth_;
      } else if (depth_ == 0 && (c == ',' || kSpaces.find(c) != std::string_view::npos)) {
        return at;  // a number, or a word
      }
    }
    first_ = false;
    return piece.npos;
  }

 private:
  std::size_t depth_ = 0;
  bool first_ = true, in_string_ = false, escaped_ = false;
};

class JsonCutter final : public RecordCutter {
 public:
  explicit JsonCutter(std::size_t max_bytes) : pieces_(max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!FROND_TRY(find_value(stream))) return std::optional<Cut>();
    Cut cut{.number = ++values_, .offset = stream.offset()};
    ValueEnd value;
    for (;;) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) {
        cut.problem = "the file ends inside a JSON value";
        break;
      }
      const std::size_t end = value.find(window);
      pieces_.append(window.substr(0, end), cut);
      stream.consume(std::min(end, window.size()));
      if (end != window.npos) break;
    }
    return std::optional<Cut>(std::move(cut));
  }

 private:
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
      const std::size_t at = window.find_first_not_of(" \t\r\n\f\v,]");
      stream.consume(std::min(at, window.size()));
      if (at == window.npos) continue;
      if (window[at] != '[' || in_array_) return true;
      in_array_ = true;
      stream.consume(1);
    }
  }
  PieceCollector pieces_;
  std::uint64_t values_ = 0;
  bool in_array_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes) { return std::make_unique<JsonCutter>(max_bytes); }

}  // namespace frond::indexer::ingest
