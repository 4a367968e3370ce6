#include "indexer/ingest/markup/wikitext.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/html_tags.h"
#include "indexer/ingest/markup/xml.h"

namespace frond::indexer::ingest {
namespace {

// Elements of MediaWiki and of the extensions that most wikis have: those whose content is dropped, or taken as it is,
// in which nothing is markup but their end tag; those that begin a line; and the others. Anything else between angle
// brackets is text.
constexpr std::string_view kDroppedElements[] = {
    "ref",         "math",    "gallery",  "timeline",     "score",      "imagemap", "graph",        "mapframe",
    "maplink",     "chem",    "ce",       "hiero",        "references", "mapdata",  "categorytree", "templatestyles",
    "includeonly", "infobox", "inputbox", "templatedata", "rss",        "phonos"};
constexpr std::string_view kVerbatimElements[] = {"nowiki", "pre", "source", "syntaxhighlight"};
constexpr std::string_view kBreakingElements[] = {"br", "p",          "div",    "li", "ul", "ol",   "dl",
                                                  "dd", "dt",         "table",  "tr", "hr", "h1",   "h2",
                                                  "h3", "blockquote", "center", "h4", "h5", "poem", "h6"};
constexpr std::string_view kInlineElements[] = {
    "abbr",    "b",         "bdi",       "bdo",       "big",   "caption", "cite",    "code",      "data",
    "del",     "dfn",       "em",        "font",      "i",     "ins",     "kbd",     "link",      "mark",
    "meta",    "q",         "rb",        "rp",        "rt",    "rtc",     "ruby",    "s",         "samp",
    "small",   "span",      "strike",    "strong",    "sub",   "sup",     "td",      "th",        "time",
    "tt",      "u",         "var",       "wbr",       "tfoot", "thead",   "tbody",   "noinclude", "onlyinclude",
    "section", "indicator", "languages", "translate", "tvar",  "tabber",  "tabview", "verse"};
// Those of them that have no attributes without a value: "a <b and c> d" is text.
constexpr std::string_view kFormattingElements[] = {
    "b",     "big",    "cite",   "code", "del", "dfn", "em", "i",   "ins", "kbd",  "q",    "s",  "samp",
    "small", "strike", "strong", "sub",  "sup", "tt",  "u",  "var", "p",   "mark", "data", "rt", "rp"};
constexpr std::string_view kSchemes[] = {"http://", "https://", "ftp://", "//", "mailto:", "news:", "irc://"};

constexpr std::array<bool, 256> kMarks = [] {
  std::array<bool, 256> marks{};
  for (const char c : std::string_view("\n'[]{}|<&_!")) marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a link without a label leads to the same page in another language: "de:Haus", "zh-min-nan:…".
bool is_of_a_language(std::string_view target) {
  const std::string_view prefix = target.substr(0, target.find(':'));
  if (prefix.size() == target.size() || prefix.size() < 2 || prefix.size() > 12) return false;
  const std::size_t letters = std::min(prefix.find('-'), prefix.size());
  return letters >= 2 && letters <= 3 &&
         std::ranges::all_of(prefix, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

class Wikitext {
 public:
  Wikitext(std::string_view text, const WikiSite& site) : rest_(text), site_(site) {}
  std::string to_text() {
    out_.reserve(rest_.size());
    line_begin();
    while (!rest_.empty()) {
      std::size_t plain = 0;
      while (plain < rest_.size() && !kMarks[static_cast<unsigned char>(rest_[plain])]) ++plain;
      out_.append(rest_.substr(0, plain));
      rest_.remove_prefix(plain);
      if (!rest_.empty()) mark();
    }
    end_heading();
    return folded_lines(out_);
  }

 private:
  enum class Kind { kTemplate, kLink, kExternal, kTable };
  static constexpr std::size_t kNone = ~std::size_t{0};
  // Something that is open. Places are those in out_.
  struct Open {
    Kind kind;
    std::size_t begin;
    std::size_t first_bar = kNone;  // of a link: behind its first '|'. Of a table: where the cell begins
    bool attributes = false;        // of a table: what is in the cell so far may be attributes
    bool header = false;            // of a table: the line begins with '!'
    bool row = false;               // of a table: the row has cells already
  };

  bool in(Kind kind) const { return !open_.empty() && open_.back().kind == kind; }
  bool skip(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  void push(Kind kind) {
    if (open_.size() < kMaxWikiDepth)
      open_.push_back({kind, out_.size()});
    else if (kind == Kind::kTemplate)
      ++deeper_templates_;
  }

  void mark() {
    switch (rest_.front()) {
      case '\n':
        end_heading();
        rest_.remove_prefix(1);
        out_.push_back('\n');
        return line_begin();
      case '\'':
        return quotes();
      case '[':
        return open_bracket();
      case ']':
        return close_bracket();
      case '{':
        if (skip("{{")) return push(Kind::kTemplate);
        break;
      case '}':
        if (skip("}}")) return close_template();
        break;
      case '|':
        return bar();
      case '!':
        if (in(Kind::kTable) && open_.back().header && skip("!!")) return begin_cell();
        break;
      case '<':
        return tag();
      case '&':
        return take_reference(rest_, ReferenceNames::kHtml, out_);
      case '_':
        if (magic_word()) return;
        break;
      default:
        break;
    }
    out_.push_back(rest_.front());
    rest_.remove_prefix(1);
  }

  // What counts at the beginning of a line only.
  void line_begin() {
    // A link ends with its paragraph.
    if (rest_.starts_with('\n'))
      while (in(Kind::kLink) || in(Kind::kExternal)) open_.pop_back();
    const std::string_view line = without_spaces_before(rest_);
    if (line.starts_with("{|")) {
      rest_ = line;
      end_line();  // attributes
      return push(Kind::kTable);
    }
    if (in(Kind::kTable) && table_line(line)) return;
    if (rest_.starts_with("----")) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of('-'), rest_.size()));
    } else if (rest_.starts_with('=')) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of('='), rest_.size()));
      heading_ = true;
    } else {
      rest_.remove_prefix(std::min(rest_.find_first_not_of("*#:;"), rest_.size()));
      // A table may be in a list.
      if (rest_.size() < line.size() && rest_.starts_with("{|")) {
        end_line();
        push(Kind::kTable);
      }
    }
  }
  static std::string_view without_spaces_before(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  }
  void end_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }
  void end_heading() {
    if (!std::exchange(heading_, false)) return;
    const std::size_t end = out_.find_last_not_of(" \t");
    if (end == out_.npos || out_[end] != '=') return;
    const std::size_t last = out_.find_last_not_of('=', end);
    out_.resize(last == out_.npos ? 0 : last + 1);
  }

  // A line inside a table, if it is one of the table's.
  bool table_line(std::string_view line) {
    Open& table = open_.back();
    if (line.starts_with("|}")) {
      rest_ = line.substr(2);
      out_.push_back('\n');
      open_.pop_back();
    } else if (line.starts_with("|-")) {
      rest_ = line;
      end_line();
      table.first_bar = kNone;
      table.row = false;
    } else if (line.starts_with("|+")) {
      rest_ = line.substr(2);
      table.row = false;
      begin_cell();
    } else if (line.starts_with('|') || line.starts_with('!')) {
      table.header = line.front() == '!';
      rest_ = line.substr(1);
      // Cells of a row are one line.
      if (std::exchange(table.row, true) && !out_.empty() && out_.back() == '\n') out_.back() = ' ';
      begin_cell();
    } else {
      return false;
    }
    return true;
  }
  void begin_cell() {
    out_.push_back(' ');
    open_.back().first_bar = out_.size();
    open_.back().attributes = true;
  }
  void bar() {
    if (in(Kind::kTable)) {
      if (skip("||")) return begin_cell();
      Open& table = open_.back();
      // The cell's attributes end here, if they began in this line.
      if (table.attributes && table.first_bar != kNone &&
          std::string_view(out_).substr(table.first_bar).find('\n') == std::string_view::npos) {
        out_.resize(table.first_bar);
        table.attributes = false;
        rest_.remove_prefix(1);
        return;
      }
      table.attributes = false;
    }
    out_.push_back('|');
    rest_.remove_prefix(1);
    if (in(Kind::kLink) && open_.back().first_bar == kNone) open_.back().first_bar = out_.size();
  }

  // Runs of apostrophes mark italic (2) and bold (3).
  void quotes() {
    const std::size_t run = std::min(rest_.find_first_not_of('\''), rest_.size());
    const std::size_t literal = run == 1 || run == 4 ? 1 : run > 5 ? run - 5 : 0;
    out_.append(literal, '\'');
    rest_.remove_prefix(run);
  }

  void open_bracket() {
    if (skip("[[")) return push(Kind::kLink);
    rest_.remove_prefix(1);
    const bool url = std::ranges::any_of(kSchemes, [&](std::string_view scheme) { return rest_.starts_with(scheme); });
    if (!url) return out_.push_back('[');
    rest_.remove_prefix(std::min(rest_.find_first_of(" \t\n]<["), rest_.size()));
    push(Kind::kExternal);
  }
  void close_bracket() {
    if (in(Kind::kExternal)) {
      rest_.remove_prefix(1);
      return open_.pop_back();
    }
    if (rest_.starts_with("]]") && in(Kind::kLink)) {
      rest_.remove_prefix(2);
      return close_link();
    }
    // An end without a beginning: that is too deep.
    const std::size_t run = rest_.starts_with("]]") ? 2 : 1;
    if (run == 1) out_.push_back(']');
    rest_.remove_prefix(run);
  }
  void close_link() {
    const Open link = open_.back();
    open_.pop_back();
    const bool labelled = link.first_bar != kNone;
    const std::size_t target_end = labelled ? link.first_bar - 1 : out_.size();
    std::string_view target = trimmed(std::string_view(out_).substr(link.begin, target_end - link.begin));
    const bool shown = target.starts_with(':');  // a link to a file or category, not the thing itself
    if (shown) target.remove_prefix(1);
    const int space = shown ? 0 : site_.namespace_of(target);
    if (space == kWikiFile || space == kWikiCategory || (!shown && !labelled && is_of_a_language(target))) {
      out_.resize(link.begin);
    } else if (labelled) {
      out_.erase(link.begin, link.first_bar - link.begin);
    } else if (shown) {
      out_.erase(link.begin, out_.find(':', link.begin) + 1 - link.begin);
    }
  }

  void close_template() {
    if (deeper_templates_ > 0) {
      --deeper_templates_;
      return;
    }
    const auto found =
        std::find_if(open_.rbegin(), open_.rend(), [](const Open& o) { return o.kind == Kind::kTemplate; });
    if (found == open_.rend()) return;
    const std::optional<std::string> text = text_of_template(std::string_view(out_).substr(found->begin));
    out_.resize(found->begin);
    if (text) out_.append(*text);
    open_.erase(std::prev(found.base()), open_.end());
  }

  bool magic_word() {
    if (!rest_.starts_with("__")) return false;
    constexpr std::size_t kMaxLetters = 24;
    const std::size_t end = rest_.substr(2, kMaxLetters).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (end == rest_.npos || end == 0 || !rest_.substr(2 + end).starts_with("__")) return false;
    rest_.remove_prefix(end + 4);
    return true;
  }

  void tag() {
    if (rest_.starts_with("<!--")) {
      const std::size_t end = rest_.find("-->", 4);
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 3);
      return;
    }
    const bool closes = rest_.starts_with("</");
    const std::size_t name_at = closes ? 2 : 1;
    const std::size_t end = tag_close();
    if (name_at >= rest_.size() || !is_tag_letter(rest_[name_at]) || end == rest_.npos) {
      out_.push_back('<');
      rest_.remove_prefix(1);
      return;
    }
    const TagName tag_name = tag_name_at(rest_, name_at);
    const std::string_view name = tag_name.view();
    if (!is_element(name, rest_.substr(0, end).substr(name_at + name.size()))) {
      out_.push_back('<');
      rest_.remove_prefix(1);
      return;
    }
    const bool alone = rest_[end - 1] == '/';
    rest_.remove_prefix(end + 1);
    if (is_among(name, kBreakingElements)) out_.push_back('\n');
    if (closes || alone) return;
    if (is_among(name, kDroppedElements)) return pass_content(tag_name, false);
    if (is_among(name, kVerbatimElements)) pass_content(tag_name, true);
  }
  // behind: what follows the name up to the '>'; only its beginning is looked at, so that many tags take linear time.
  static bool is_element(std::string_view name, std::string_view behind) {
    constexpr std::size_t kLooked = 256;
    const auto among = [&](const auto& names) { return is_among(name, names); };
    if (!among(kInlineElements) && !among(kBreakingElements) && !among(kDroppedElements) && !among(kVerbatimElements))
      return false;
    behind = trimmed(behind.substr(0, kLooked));
    if (behind.find('=') != behind.npos) return true;
    return behind.find('<') == behind.npos && (behind.empty() || behind == "/" || !among(kFormattingElements));
  }
  // The place of the next '>'. It is kept, so that tags that are never closed are not searched again and again.
  std::size_t tag_close() {
    if (close_from_end_ > rest_.size()) {
      const std::size_t at = std::min(rest_.find('>'), rest_.size());
      close_from_end_ = rest_.size() - at;
    }
    return close_from_end_ == 0 ? rest_.npos : rest_.size() - close_from_end_;
  }
  // Goes behind the end tag. An element that is never closed has no content.
  void pass_content(const TagName& name, bool keep) {
    if (std::ranges::find(never_closed_, name) != never_closed_.end()) return;
    const std::size_t at = find_end_tag(rest_, 0, name);
    if (at == rest_.npos) return never_closed_.push_back(name);
    const std::string_view content = rest_.substr(0, at);
    rest_.remove_prefix(at);
    rest_.remove_prefix(std::min(rest_.find('>'), rest_.size() - 1) + 1);
    if (keep) out_.append(without_references(content, ReferenceNames::kHtml));
  }

  std::string_view rest_;
  const WikiSite& site_;
  std::string out_;
  std::vector<Open> open_;
  std::size_t deeper_templates_ = 0;
  bool heading_ = false;
  std::vector<TagName> never_closed_;
  std::size_t close_from_end_ = ~std::size_t{0};  // of the next '>'; 0: there is none
};

}  // namespace

std::string wikitext_to_text(std::string_view wikitext, const WikiSite& site) {
  return Wikitext(wikitext, site).to_text();
}

}  // namespace frond::indexer::ingest
