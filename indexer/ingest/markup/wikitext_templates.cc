#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/wikitext.h"

namespace frond::indexer::ingest {
namespace {

enum class Shows {
  kFirst,  // the argument of this place; also if it is called "text"
  kSecond,
  kLast,     // the last argument without a name
  kAll,      // those without a name, separated by spaces
  kJoined,   // the same, not separated
  kDivided,  // the same, separated by '/'
  kMeasure,  // numbers, words as "to" between them, and the first unit
  kValue,    // the first argument and the one called "u"
  kDash,
  kSign,  // an apostrophe or a space, as the name says
};
struct TextTemplate {
  Shows shows;
  std::string_view names;  // in lower case, each between bars
};
constexpr TextTemplate kTemplates[] = {
    {Shows::kFirst,
     "|nowrap|nobr|nobreak|no wrap|nwr|nobold|noitalic|small|smaller|big|larger|large|sup|sub|em|strong|bold|b|i|"
     "italic|italics|underline|u|strikethrough|s|code|tt|mono|monospace|kbd|var|samp|math|mvar|abbr|abbreviation|"
     "tooltip|"
     "quote|blockquote|cquote|bquote|quotation|poemquote|\"|tq|gloss|lit|literal translation|smallcaps|sc|smcaps|"
     "allcaps|caps|center|centre|visible anchor|vanchor|ill|interlanguage link|chem2|highlight|ruby|tlit|"
     "formatnum|lc|uc|lcfirst|ucfirst|nb|date-|isbn|citation bloc|"},
    {Shows::kSecond, "|lang|langue|lang2|langx|color|colour|colored text|hover title|align|script|"},
    {Shows::kLast, "|transl|transliteration|translit|font color|resize|w|url|rtl-lang|"},
    {Shows::kAll,
     "|sic|linktext|nihongo|nihongo2|unité|unite|as of|plainlist|flatlist|unbulleted list|ubl|hlist|bulleted list|"
     "start date|end date|date|circa|c.|ca.|"},
    {Shows::kJoined, "|chem|"},
    {Shows::kDivided, "|frac|sfrac|fraction|"},
    {Shows::kMeasure, "|convert|cvt|"},
    {Shows::kValue, "|val|"},
    {Shows::kDash, "|ndash|mdash|spaced ndash|snd|spnd|spaced en dash|en dash|em dash|endash|emdash|–|—|"},
    {Shows::kSign, "|'|'s|nbsp|space|spaces|thinsp|thin space|hair space|"},
};

// Whether what stands before an equals sign is an argument's name.
bool is_argument_name(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
    const char small = small_letter(c);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '_' || c == '-';
  });
}

struct Arguments {
  std::vector<std::string_view> placed;
  std::vector<std::pair<std::string_view, std::string_view>> named;

  explicit Arguments(std::string_view list) {
    while (!list.empty()) {
      list.remove_prefix(1);  // the bar
      const std::string_view one = list.substr(0, list.find('|'));
      list.remove_prefix(one.size());
      const std::size_t equals = std::min(one.find('='), one.size());
      const std::string_view name = trimmed(one.substr(0, equals));
      if (equals < one.size() && is_argument_name(name))
        named.emplace_back(name, trimmed(one.substr(equals + 1)));
      else
        placed.push_back(trimmed(one));
    }
  }
  std::string_view value(std::string_view name) const {
    const auto found = std::ranges::find(named, name, [](const auto& pair) { return pair.first; });
    return found == named.end() ? std::string_view() : found->second;
  }
  // Counted from 1.
  std::string_view at(std::size_t place) const {
    const std::string_view by_number = value(std::string(1, static_cast<char>('0' + place)));
    if (!by_number.empty()) return by_number;
    if (place <= placed.size()) return placed[place - 1];
    return place == 1 ? value("text") : std::string_view();
  }
  std::string joined(std::string_view between) const {
    std::string out;
    for (const std::string_view one : placed) {
      if (!out.empty() && !one.empty()) out.append(between);
      out.append(one);
    }
    return out;
  }
};

// "5|km|mi" is "5 km", "5|to|7|km" is "5 to 7 km".
std::string measure(const Arguments& arguments) {
  constexpr std::array<std::string_view, 14> kBetween = {"to", "and", "or", "by",     "x",     "×", "-",
                                                         "–",  "+",   "&",  "and(-)", "to(-)", "±", "+/-"};
  std::string out;
  for (std::size_t i = 0; i < arguments.placed.size(); ++i) {
    if (i > 0) out.push_back(' ');
    out.append(arguments.placed[i]);
    if (i % 2 == 1 && std::ranges::find(kBetween, arguments.placed[i]) == kBetween.end()) break;
  }
  return out;
}

std::string text_shown(const TextTemplate& known, std::string_view name, const Arguments& arguments) {
  switch (known.shows) {
    case Shows::kFirst:
      return std::string(arguments.at(1));
    case Shows::kSecond:
      return std::string(arguments.at(2));
    case Shows::kLast:
      return std::string(arguments.placed.empty() ? arguments.at(1) : arguments.placed.back());
    case Shows::kAll:
      return arguments.joined(" ");
    case Shows::kJoined:
      return arguments.joined("");
    case Shows::kDivided:
      return arguments.joined("/");
    case Shows::kMeasure:
      return measure(arguments);
    case Shows::kValue: {
      const std::string_view unit = arguments.value("u");
      return std::string(arguments.at(1)) + (unit.empty() ? "" : " ") + std::string(unit);
    }
    case Shows::kDash:
      return name.starts_with('s') ? " – " : name.starts_with("em") || name.starts_with('m') ? "—" : "–";
    case Shows::kSign:
      return name.starts_with('\'') ? std::string(name) : std::string(" ");
  }
  return {};
}

constexpr std::string_view kNoBreakSpace = "\xc2\xa0";

// The end of a pair of brackets at text[0] that hold nothing but separators; 0: they hold something.
std::size_t empty_brackets(std::string_view text) {
  constexpr std::size_t kMaxSeparators = 32;
  const std::size_t end = text.substr(1, kMaxSeparators).find_first_not_of(" \t,;:/");
  return end != text.npos && text[1 + end] == ')' ? end + 2 : 0;
}

bool says_something(std::string_view line) {
  return std::ranges::any_of(line, [](char c) {
    const char small = small_letter(c);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

std::optional<std::string> text_of_template(std::string_view inside) {
  constexpr std::size_t kMaxTemplateName = 32;
  const std::size_t bar = std::min(inside.find('|'), inside.size());
  std::string_view title = trimmed(inside.substr(0, bar)), list = inside.substr(bar);
  // "formatnum:1234" is a function: its argument follows a colon. "lang-fr" has the language in its name.
  std::string called(title.substr(0, kMaxTemplateName));
  std::ranges::transform(called, called.begin(), [](char c) { return c == '_' ? ' ' : small_letter(c); });
  for (const std::string_view function : {"formatnum:", "lc:", "uc:", "lcfirst:", "ucfirst:"})
    if (called.starts_with(function)) return std::string(trimmed(title.substr(function.size())));
  if (title.size() > kMaxTemplateName) return std::nullopt;
  const std::string_view name = called.starts_with("lang-") ? std::string_view("nowrap") : called;
  const std::string between = "|" + std::string(name) + "|";
  for (const TextTemplate& known : kTemplates)
    if (!name.empty() && known.names.find(between) != known.names.npos) return text_shown(known, name, Arguments(list));
  return std::nullopt;
}

std::string folded_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::size_t begin = out.size();
    bool space = false;
    while (!line.empty()) {
      if (line.starts_with(kNoBreakSpace) || static_cast<unsigned char>(line.front()) <= ' ' || line.front() == 0x7f) {
        line.remove_prefix(line.starts_with(kNoBreakSpace) ? kNoBreakSpace.size() : 1);
        space = true;
        continue;
      }
      if (line.front() == '(') {
        if (const std::size_t end = empty_brackets(line); end > 0) {
          line.remove_prefix(end);
          continue;
        }
      }
      if (space && out.size() > begin) out.push_back(' ');
      space = false;
      out.push_back(line.front());
      line.remove_prefix(1);
    }
    if (says_something(std::string_view(out).substr(begin)))
      out.push_back('\n');
    else
      out.resize(begin);
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace frond::indexer::ingest
