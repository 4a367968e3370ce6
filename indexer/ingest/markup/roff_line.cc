#include "indexer/ingest/markup/roff_line.h"

#include <algorithm>

#include "common/text/utf8.h"

namespace frond::indexer::ingest {
namespace {

struct Glyph {
  std::string_view name, text;
};
constexpr Glyph kGlyphs[] = {
    {"em", "—"},  {"en", "–"}, {"hy", "-"}, {"bu", "•"}, {"co", "©"},  {"rg", "®"}, {"tm", "™"}, {"lq", "“"},
    {"rq", "”"},  {"oq", "‘"}, {"cq", "’"}, {"aq", "'"}, {"dq", "\""}, {"ga", "`"}, {"ha", "^"}, {"ti", "~"},
    {"rs", "\\"}, {"sl", "/"}, {"or", "|"}, {"ba", "|"}, {"at", "@"},  {"sh", "#"}, {"Do", "$"}, {"->", "→"},
    {"<-", "←"},  {"<=", "≤"}, {">=", "≥"}, {"!=", "≠"}, {"+-", "±"},  {"mu", "×"}, {"de", "°"}, {"fo", "‹"},
    {"fc", "›"},  {"Fo", "«"}, {"Fc", "»"}, {":a", "ä"}, {":o", "ö"},  {":u", "ü"}, {":A", "Ä"}, {":O", "Ö"},
    {":U", "Ü"},  {"ss", "ß"}, {"'a", "á"}, {"'e", "é"}, {"'i", "í"},  {"'o", "ó"}, {"'u", "ú"}, {"`a", "à"},
    {"`e", "è"},  {"^e", "ê"}, {",c", "ç"}, {"~n", "ñ"}, {"oa", "å"},  {"/o", "ø"}, {"lB", "["}, {"rB", "]"},
    {"lC", "{"},  {"rC", "}"}, {"la", "⟨"}, {"ra", "⟩"}, {"R", "®"},   {"Tm", "™"}, {"<>", "↔"}, {"..", "…"},
};
std::string_view glyph(std::string_view name) {
  const Glyph* found = std::ranges::find(kGlyphs, name, &Glyph::name);
  return found == std::end(kGlyphs) ? std::string_view() : found->text;
}

// One line's escapes, read from the front.
class Escapes {
 public:
  explicit Escapes(std::string_view line) : line_(line) {}

  // The line as it prints.
  std::string printed() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c != '\\') {
        out_.push_back(c);
      } else if (at_ < line_.size() && !escape(line_[at_++])) {
        break;
      }
    }
    return std::move(out_);
  }

 private:
  // False: the rest of the line is a comment.
  bool escape(char c) {
    const auto one_of = [c](std::string_view names) { return names.find(c) != names.npos; };
    if (one_of("\"#")) return false;
    if (one_of("e\\")) {
      out_.push_back('\\');
    } else if (one_of("-'`.")) {
      out_.push_back(c);
    } else if (one_of(" ~0tp")) {
      out_.push_back(' ');
    } else if (c == '(') {
      out_.append(glyph(take(2)));
    } else if (c == '[') {
      bracketed();
    } else if (c == '*') {
      out_.append(glyph(name()));
    } else if (one_of("fFgkmMnVY$")) {
      name();
    } else if (c == 's') {
      size();
    } else if (one_of("AbBCDhHlLNoRSvwxXZ")) {
      quoted();
    } else if (c == 'z') {
      take(1);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      out_.push_back(c);  // no escape: the letter itself
    }                     // \& \| \^ \/ \, \) \% \: \c \{ \} \d \u \r \! …: nothing to print
    return true;
  }
  // Passes over so many code points.
  std::string_view take(int count) {
    const std::size_t begin = at_;
    for (; count > 0 && at_ < line_.size(); --count) at_ += text::decode_utf8(line_, at_).bytes;
    return line_.substr(begin, at_ - begin);
  }
  std::string_view take_until(std::string_view end) {
    const std::size_t found = line_.find(end, at_);
    const std::string_view piece = line_.substr(at_, found == line_.npos ? found : found - at_);
    at_ = found == line_.npos ? line_.size() : found + end.size();
    return piece;
  }
  // x, (xx or [xxx]
  std::string_view name() {
    const std::string_view first = take(1);
    if (first == "(") return take(2);
    return first == "[" ? take_until("]") : first;
  }
  // \sN with N to 39, \s+N and \s-N of one digit, \s(NN, \s[…], \s'…'.
  void size() {
    const char first = at_ < line_.size() ? line_[at_] : '\0';
    if (first == '\'') return quoted();
    if (first == '+' || first == '-') ++at_;
    name();
    if (first >= '1' && first <= '3' && at_ < line_.size() && line_[at_] >= '0' && line_[at_] <= '9') ++at_;
  }
  void quoted() {
    const std::string_view quote = take(1);
    if (!quote.empty()) take_until(quote);
  }
  void bracketed() {
    const std::string_view inside = take_until("]");
    if (inside.size() >= 5 && inside.size() <= 7 && inside[0] == 'u') {
      char32_t value = 0;
      for (const char c : inside.substr(1)) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return;
        value = value * 16 + static_cast<char32_t>(digit);
      }
      if (value < 0x110000 && (value < 0xd800 || value > 0xdfff)) text::append_utf8(value, out_);
    } else {
      out_.append(glyph(inside));
    }
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string printed(std::string_view line) { return Escapes(line).printed(); }

// A request's arguments: separated by blanks, or in double quotes, in which "" stands for a quote.
std::vector<std::string> arguments_of(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(" \t", at);
    if (at == text.npos || text.substr(at).starts_with("\\\"")) return all;
    std::string argument;
    if (text[at] == '"') {
      for (++at; at < text.size(); ++at) {
        if (text[at] == '"') {
          if (at + 1 >= text.size() || text[at + 1] != '"') break;
          ++at;
        }
        argument.push_back(text[at]);
      }
      ++at;
    } else {
      for (; at < text.size() && text[at] != ' ' && text[at] != '\t'; ++at) {
        argument.push_back(text[at]);
        if (text[at] == '\\' && at + 1 < text.size()) argument.push_back(text[++at]);
      }
    }
    all.push_back(printed(argument));
    if (at >= text.size()) return all;
  }
}

}  // namespace frond::indexer::ingest
