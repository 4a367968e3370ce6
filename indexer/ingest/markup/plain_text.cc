#include "indexer/ingest/markup/plain_text.h"

#include <algorithm>

#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

bool consists_of(std::string_view line, char c) { return line.size() >= 3 && line.find_first_not_of(c) == line.npos; }

bool is_underline(std::string_view line) { return consists_of(line, '=') || consists_of(line, '-'); }

// Removes front matter, --- key: value … ---, from the beginning of `text`. Sets `title` to the value of "title:".
void take_front_matter(std::string_view& text, std::string& title) {
  std::string_view rest = text;
  if (trimmed(take_line(rest)) != "---") return;
  std::string found;
  while (!rest.empty()) {
    const std::string_view line = trimmed(take_line(rest));
    if (line == "---" || line == "...") {
      text = rest;
      title = folded(found);
      return;
    }
    if (line.starts_with("title:")) {
      std::string_view value = trimmed(line.substr(6));
      if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
        value = value.substr(1, value.size() - 2);
      found = value;
    }
  }
}

// Finds a character again and again, from places behind the first that never go back.
class NextPlace {
 public:
  NextPlace(std::string_view text, char wanted) : text_(text), wanted_(wanted) {}
  std::size_t from(std::size_t at) {
    if (place_ < at) place_ = text_.find(wanted_, at);  // npos is behind all
    return place_;
  }

 private:
  std::string_view text_;
  char wanted_;
  std::size_t place_ = 0;
};

// One line without link and image targets, emphasis and code marks. Takes linear time.
void append_inline(std::string_view line, std::string& out) {
  NextPlace angle(line, '>'), round(line, ')'), square(line, ']');
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size() && std::string_view("\\`*_{}[]()#+-.!|<>~").find(line[i + 1]) != line.npos) {
      out.push_back(line[++i]);
    } else if (c == '*' || c == '`' || c == '[' || c == '|' || (c == '!' && line.substr(i + 1).starts_with('['))) {
      if (c == '|') out.push_back(' ');
    } else if (c == '_' && (i == 0 || i + 1 == line.size() || line[i - 1] == ' ' || line[i + 1] == ' ')) {
      // emphasis; inside a word it is a letter of a name
    } else if (c == ']') {
      const char opening = i + 1 < line.size() ? line[i + 1] : '\0';
      if (opening != '(' && opening != '[') continue;
      const std::size_t end = (opening == '(' ? round : square).from(i + 2);
      if (end != line.npos) i = end;
    } else if (c == '<') {
      const std::size_t end = angle.from(i + 1);
      const char next = i + 1 < line.size() ? line[i + 1] : '\0';
      const bool tag = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '/';
      if (!tag || end == line.npos) {
        out.push_back(c);
      } else if (line.substr(i, end - i).find("://") != line.npos && next != 'a') {
        out.append(line, i + 1, end - i - 1);  // <https://…> is its own text
        i = end;
      } else {
        i = end;
      }
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\n');
}

// Without "{#id .class}", or "{: #id}", or "{/* #id */}", at its end.
std::string_view without_attributes(std::string_view heading) {
  const std::size_t open = heading.ends_with('}') ? heading.rfind('{') : heading.npos;
  if (open == heading.npos || open == 0 || std::string_view("\\${").find(heading[open - 1]) != std::string_view::npos)
    return heading;
  const std::string_view inside = trimmed(heading.substr(open + 1, heading.size() - open - 2));
  const bool list = inside.starts_with(':') || inside.starts_with("/*") || inside.starts_with('#') ||
                    (inside.starts_with('.') && heading[open - 1] == ' ');
  return list && inside.size() > 1 ? trimmed(heading.substr(0, open)) : heading;
}

// A line without the marks of a heading, quote or list item. `heading` says whether it was a heading.
std::string_view without_block_marks(std::string_view line, bool& heading) {
  line = trimmed(line);
  while (line.starts_with('>')) line = trimmed(line.substr(1));
  const std::size_t hashes = std::min(line.find_first_not_of('#'), line.size());
  heading = hashes >= 1 && hashes <= 6 && (hashes == line.size() || line[hashes] == ' ');
  if (heading) {
    line = without_attributes(trimmed(line.substr(hashes)));
    const std::size_t last = line.find_last_not_of('#');
    return last == line.npos ? std::string_view() : trimmed(line.substr(0, last + 1));
  }
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) line.remove_prefix(2);
  return line;
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find("<!--");
    out.append(text.substr(0, begin));
    if (begin == text.npos) return out;
    const std::size_t end = text.find("-->", begin + 4);
    if (end == text.npos) return out;
    text.remove_prefix(end + 3);
  }
}

}  // namespace

void TextFolder::text(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const auto c = static_cast<unsigned char>(utf8[at]);
    if (c <= ' ' || c == 0x7f) {
      space();
    } else if (c == 0xc2 && at + 1 < utf8.size() && static_cast<unsigned char>(utf8[at + 1]) <= 0xa0) {
      space();  // U+0080 to U+009F are controls, U+00A0 the no-break space
      ++at;
    } else {
      if (owed_ != '\0' && !out_.empty()) out_.push_back(owed_);
      owed_ = '\0';
      out_.push_back(utf8[at]);
    }
  }
}

std::string folded(std::string_view utf8) {
  std::string out;
  TextFolder(out).text(utf8);
  return out;
}

std::string tidy_title(std::string_view title) {
  title = without_attributes(title);
  std::string out;
  for (std::size_t at = title.find(kPilcrow); at != title.npos; at = title.find(kPilcrow)) {
    const std::string_view behind = title.substr(at + kPilcrow.size());
    const bool ends = trimmed(behind).empty(), after_word = at > 0 && title[at - 1] != ' ';
    out.append(title.substr(0, at));
    if (out.empty() || !(ends || (after_word && behind.starts_with(' ')))) out.append(kPilcrow);
    title = behind;
  }
  out.append(title);
  return std::string(trimmed(out));
}

std::string readable(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (const char c : utf8) {
    if (static_cast<unsigned char>(c) >= ' ' ? c != 0x7f : c == '\t' || c == '\n') out.push_back(c);
    if (c == '\f' || c == '\v') out.push_back('\n');
    if (c == '\b' && !out.empty() && static_cast<unsigned char>(out.back()) < 0x80) out.pop_back();  // an overstrike
  }
  return out;
}

std::string underlined_heading(std::string_view utf8) {
  constexpr int kLines = 50;
  constexpr std::size_t kLonger = 4;  // a rule much longer than the line above it separates
  std::string_view previous;
  for (int lines = 0; lines < kLines && !utf8.empty(); ++lines) {
    const std::string_view line = trimmed(take_line(utf8));
    const bool fits = !previous.empty() && line.size() >= previous.size() && line.size() <= previous.size() + kLonger;
    for (const char c : {'=', '-', '*', '#', '~', '^'})
      if (fits && consists_of(line, c) && !consists_of(previous, c)) return folded(previous);
    previous = line;
  }
  return {};
}

TitledText markdown_to_text(std::string_view utf8) {
  TitledText result;
  take_front_matter(utf8, result.title);
  const std::string text = without_comments(utf8);
  std::string_view rest = text, previous;
  bool fenced = false;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest), bare = trimmed(line);
    if (bare.starts_with("```") || bare.starts_with("~~~")) {
      fenced = !fenced;
      continue;
    }
    if (fenced) {
      result.body.append(line).push_back('\n');
      continue;
    }
    const bool underline = is_underline(bare), underlined = !bare.empty() && is_underline(trimmed(first_line(rest)));
    const std::string_view shown = underlined ? without_attributes(bare) : bare;
    bool heading = false;
    std::string words;
    append_inline(without_block_marks(underline ? previous : shown, heading), words);
    if (result.title.empty() && (heading || (underline && !previous.empty()))) result.title = folded(words);
    if (!underline && !consists_of(bare, '*')) result.body.append(words);
    previous = underline ? std::string_view() : shown;
  }
  result.title = tidy_title(result.title);
  result.body = readable(result.body);
  return result;
}

}  // namespace frond::indexer::ingest
