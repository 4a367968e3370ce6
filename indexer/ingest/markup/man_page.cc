#include <algorithm>
#include <string>
#include <vector>

#include "common/text/utf8.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/plain_text.h"

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

// A line without its escapes: fonts, sizes, motions and comments are dropped, known special characters become their
// characters. Valid UTF-8 stays valid.
std::string printed(std::string_view line) { return Escapes(line).printed(); }

// The arguments behind a request's name, each printed(): separated by blanks, or in double quotes, in which "" stands
// for a quote.
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

std::string joined(const std::vector<std::string>& parts, std::string_view between, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < parts.size(); ++i) {
    if (i > from) out.append(between);
    out.append(parts[i]);
  }
  return out;
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class ManPage {
 public:
  explicit ManPage(std::string_view text) : rest_(text) {}
  TitledText convert() {
    while (!rest_.empty()) line(take_line(rest_));
    TitledText result;
    result.title = folded(title());
    result.body = readable(body_);
    return result;
  }

 private:
  void line(std::string_view text) {
    if (!text.empty() && (text[0] == '.' || text[0] == '\'')) {
      text.remove_prefix(1);
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      const std::size_t name = std::min(text.find_first_of(" \t"), text.size());
      request(text.substr(0, name), text.substr(name));
      return;
    }
    if (in_table_format_) {
      in_table_format_ = !text.ends_with('.');
      return;
    }
    print(printed(text));
  }

  void print(std::string text) {
    if (in_name_) name_section_.append(text).push_back(' ');
    if (in_table_) {
      if (text.starts_with("T{") || text.starts_with("T}")) text.erase(0, 2);
      if (text.ends_with("T{")) text.resize(text.size() - 2);
    }
    body_.append(text).push_back('\n');
  }

  void request(std::string_view name, std::string_view rest) {
    if (name.empty() || name.starts_with("\\\"")) return;
    if (one_of(name, {"de", "am", "de1", "ig"})) {
      skip_definition(name, arguments_of(rest));
    } else if (one_of(name, {"if", "ie", "el"})) {
      conditional(name, rest);
    } else if (name == "EQ") {
      skip_until(".EN");
    } else if (name == "TS") {
      in_table_ = in_table_format_ = true;
    } else if (name == "TE") {
      in_table_ = in_table_format_ = false;
    } else if (one_of(name, {"TH", "Dt"})) {
      const std::vector<std::string> arguments = arguments_of(rest);
      if (!arguments.empty()) page_ = arguments[0];
      if (arguments.size() > 1) section_ = arguments[1];
    } else if (one_of(name, {"SH", "Sh", "SS", "Ss"})) {
      heading(joined(arguments_of(rest), " "));
    } else if (name == "so") {
      print("See " + joined(arguments_of(rest), " "));
    } else {
      text_macro(name, arguments_of(rest));
    }
  }

  void heading(const std::string& text) {
    in_name_ = text == "NAME" || text == "Name";
    blank_line();
    body_.append(text).push_back('\n');
  }
  void blank_line() {
    if (!body_.empty() && !body_.ends_with("\n\n")) body_.push_back('\n');
  }

  // Macros whose arguments are text, those of man and of mdoc.
  void text_macro(std::string_view name, const std::vector<std::string>& arguments) {
    if (one_of(name, {"BI", "BR", "IB", "IR", "RB", "RI"})) return print(joined(arguments, ""));
    if (one_of(name, {"IP", "TP", "HP"})) return arguments.empty() || name != "IP" ? void() : print(arguments[0]);
    if (one_of(name, {"PP", "LP", "P",  "Pp", "RS", "RE", "PD", "DT", "EX", "EE", "UE", "ME", "Dd",
                      "Os", "Bl", "El", "Bd", "Ed", "AT", "UC", "SY", "YS", "TQ", "IX", "Lb"}))
      return name == "SY" ? print(joined(arguments, " ")) : blank_line();
    if (name == "Nm" && arguments.empty()) return print(mdoc_name_);
    if (name == "Nm" && mdoc_name_.empty()) mdoc_name_ = arguments[0];
    if (name == "Nd") return print("- " + joined(arguments, " "));
    if (name == "Xr" && arguments.size() >= 2)
      return print(arguments[0] + "(" + arguments[1] + ")" + joined(arguments, "", 2));
    if (name == "Fl") return print(arguments.empty() ? "-" : "-" + mdoc_text(arguments));
    // Requests have names in lower case and hold no text; macros, which print their arguments, are left.
    if (std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; })) return;
    const bool option = one_of(name, {"Op", "OP"});
    std::string text = mdoc_text(arguments);
    if (!text.empty()) print(option ? "[" + text + "]" : std::move(text));
  }

  // In mdoc, macros may stand among the arguments of others.
  static std::string mdoc_text(const std::vector<std::string>& arguments) {
    std::string out;
    bool flag = false;
    for (const std::string& argument : arguments) {
      if (one_of(argument, {"Ar", "Cm", "Ic", "Pa", "Ev", "Va", "Vt", "Fa", "Fn", "Ft", "Nm", "Li",  "Em",  "Sy", "Dv",
                            "Er", "Op", "Oo", "Oc", "Ns", "No", "Ql", "Dq", "Sq", "Pq", "Aq", "Bq",  "Qq",  "Tn", "Xr",
                            "Fl", "Ad", "An", "Ao", "Ac", "Do", "Dc", "Xo", "Xc", "Ap", "Pf", "Brq", "Bro", "Brc"})) {
        flag = argument == "Fl";
        continue;
      }
      if (!out.empty()) out.push_back(' ');
      if (flag) out.push_back('-');
      flag = false;
      out.append(argument);
    }
    return out;
  }

  void skip_until(std::string_view end) {
    while (!rest_.empty() && !take_line(rest_).starts_with(end)) {
    }
  }
  void skip_definition(std::string_view request_name, const std::vector<std::string>& arguments) {
    const std::size_t place = request_name == "ig" ? 0 : 1;  // of the name that ends it
    skip_until(arguments.size() > place ? "." + arguments[place] : "..");
  }

  // .if c text, .ie c text and .el text. The condition c is n (a terminal: true); t, a comparison and others count as
  // false; it may be negated.
  void conditional(std::string_view name, std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    bool holds = name == "el" && !last_condition_;
    if (name != "el") {
      const bool negated = rest.starts_with('!');
      if (negated) rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find_first_of(" \t\\"), rest.size());
      const std::string_view condition = rest.substr(0, end);
      holds = negated ? condition == "t" : condition == "n";
      rest.remove_prefix(end);
      if (name == "ie") last_condition_ = holds;
    }
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (holds) {
      if (rest.starts_with("\\{")) rest.remove_prefix(2);
      if (!rest.empty() && rest != "\\" && ++nesting_ < kMaxNesting) {
        line(rest);
        --nesting_;
      }
      return;
    }
    for (int depth = braces_in(rest); depth > 0 && !rest_.empty();) depth += braces_in(take_line(rest_));
  }
  static int braces_in(std::string_view text) {
    int depth = 0;
    for (std::size_t at = text.find('\\'); at != text.npos && at + 1 < text.size(); at = text.find('\\', at + 2)) {
      depth += text[at + 1] == '{';
      depth -= text[at + 1] == '}';
    }
    return depth;
  }

  std::string title() const {
    const std::size_t dash = name_section_.find(" - ");
    std::string page = page_;
    // The name in the header is usually in capitals; the one in the NAME section is as users type it.
    if (dash != std::string::npos) page = name_section_.substr(0, std::min(dash, name_section_.find(',')));
    if (!section_.empty() && !page.empty()) page += "(" + section_ + ")";
    if (dash != std::string::npos) page += name_section_.substr(dash);
    return page;
  }

  static constexpr int kMaxNesting = 16;
  std::string_view rest_;
  std::string body_, page_, section_, name_section_, mdoc_name_;
  bool in_name_ = false, in_table_ = false, in_table_format_ = false, last_condition_ = false;
  int nesting_ = 0;
};

}  // namespace

bool looks_like_man_page(std::string_view text) {
  for (int lines = 0; lines < 400 && !text.empty(); ++lines) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    if (line[0] != '.' && line[0] != '\'' && lines == 0) return false;
    for (const std::string_view request : {".TH ", ".Dd ", ".so man", ".Dt "})
      if (line.starts_with(request)) return true;
  }
  return false;
}

TitledText man_page_to_text(std::string_view utf8) { return ManPage(utf8).convert(); }

}  // namespace frond::indexer::ingest
