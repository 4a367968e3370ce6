#include "indexer/ingest/html_depth.h"

#include <algorithm>
#include <array>
#include <vector>

namespace frond::indexer {
namespace {

constexpr std::size_t kMaxName = 16;

bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Elements without content, or whose end tag is usually left out and which their like or their parent ends.
constexpr std::array<std::string_view, 35> kNotNesting = {
    "area",   "base",     "body",  "br",       "col",     "dd",     "dt",    "embed",   "head",
    "hr",     "html",     "img",   "input",    "li",      "link",   "meta",  "p",       "param",
    "source", "tbody",    "td",    "tfoot",    "th",      "thead",  "tr",    "track",   "wbr",
    "option", "optgroup", "frame", "basefont", "bgsound", "keygen", "image", "colgroup"};
// Elements whose content has no tags.
constexpr std::array<std::string_view, 8> kRaw = {"script",  "style",    "title", "textarea",
                                                  "noembed", "noframes", "xmp",   "iframe"};

// End tags of others don't reach past these.
constexpr std::array<std::string_view, 15> kScopes = {
    "applet", "caption", "marquee", "object", "table", "template",       "foreignobject", "desc",
    "mi",     "mo",      "mn",      "ms",     "mtext", "annotation-xml", "select"};
// The end tag of one of these leaves open what was opened inside it.
constexpr std::array<std::string_view, 14> kFormatting = {"a",    "b",     "big", "code",   "em",     "font", "i",
                                                          "nobr", "small", "s",   "strike", "strong", "tt",   "u"};

template <std::size_t kCount>
bool in(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct Name {
  std::array<char, kMaxName> letters{};
  friend bool operator==(const Name&, const Name&) = default;
  std::string_view view() const {
    return {letters.data(), std::min(std::string_view(letters.data(), kMaxName).find('\0'), kMaxName)};
  }
};

// The tag's name at html[at], in lower case, as far as it fits.
Name name_at(std::string_view html, std::size_t at) {
  Name name;
  for (std::size_t i = 0; i < kMaxName && at + i < html.size(); ++i) {
    const char c = html[at + i];
    if (is_space(c) || c == '>' || c == '/') break;
    name.letters[i] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return name;
}

// Past the '>' of the tag that starts at `at`; quoted attribute values may hold one.
std::size_t tag_end(std::string_view html, std::size_t at) {
  char quote = '\0';
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '>') {
      return at + 1;
    } else if ((c == '"' || c == '\'') && html[at - 1] == '=') {
      quote = c;
    }
  }
  return html.size();
}

// Where the end tag of a raw element starts, from `at`.
std::size_t raw_end(std::string_view html, std::size_t at, const Name& name) {
  for (at = html.find("</", at); at != html.npos; at = html.find("</", at + 2))
    if (name_at(html, at + 2) == name) return at;
  return html.size();
}

// What a parser is sure to have closed at an end tag.
void close(std::vector<Name>& open, const Name& name) {
  for (std::size_t i = open.size(); i-- > 0;) {
    const auto found = open.begin() + static_cast<std::ptrdiff_t>(i);
    if (*found == name) {
      open.erase(found, in(kFormatting, name.view()) ? found + 1 : open.end());
      return;
    }
    if (in(kScopes, found->view())) return;
  }
}

}  // namespace

std::string with_bounded_depth(std::string_view html, std::size_t max_depth) {
  std::string out(html);
  std::vector<Name> open;  // at most max_depth
  for (std::size_t at = html.find('<'); at < html.size(); at = html.find('<', at)) {
    if (html.substr(at).starts_with("<!--")) {
      const std::size_t end = html.find("-->", at + 4);
      if (end == html.npos) break;
      at = end + 3;
      continue;
    }
    const bool closing = at + 1 < html.size() && html[at + 1] == '/';
    const std::size_t letters = at + 1 + closing;
    if (letters >= html.size() || !is_letter(html[letters])) {
      ++at;
      continue;
    }
    const Name name = name_at(html, letters);
    const std::size_t end = tag_end(html, letters);
    if (closing) {
      close(open, name);
    } else if (in(kRaw, name.view())) {
      at = raw_end(html, end, name);
      continue;
    } else if (!in(kNotNesting, name.view())) {
      if (open.size() < max_depth) {
        open.push_back(name);
      } else {
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      }
    }
    at = end;
  }
  return out;
}

}  // namespace frond::indexer
