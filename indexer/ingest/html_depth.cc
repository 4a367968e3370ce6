#include "indexer/ingest/html_depth.h"

#include <algorithm>
#include <array>
#include <vector>

#include "indexer/ingest/html_tags.h"

namespace frond::indexer::ingest {
namespace {

// Elements without content, and those whose end tag is usually left out: the next of their kind, or their parent's end,
// ends them.
constexpr std::array<std::string_view, 35> kNotNesting = {
    "area",   "base",     "body",  "br",       "col",     "dd",     "dt",    "embed",   "head",
    "hr",     "html",     "img",   "input",    "li",      "link",   "meta",  "p",       "param",
    "source", "tbody",    "td",    "tfoot",    "th",      "thead",  "tr",    "track",   "wbr",
    "option", "optgroup", "frame", "basefont", "bgsound", "keygen", "image", "colgroup"};
// An end tag does not close anything outside of these elements.
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

// Removes the elements that a parser has certainly closed at this end tag.
void close(std::vector<TagName>& open, const TagName& name) {
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
  std::vector<TagName> open;  // at most max_depth
  for (std::size_t at = html.find('<'); at < html.size(); at = html.find('<', at)) {
    if (html.substr(at).starts_with("<!--")) {
      const std::size_t end = html.find("-->", at + 4);
      if (end == html.npos) break;
      at = end + 3;
      continue;
    }
    const bool closing = at + 1 < html.size() && html[at + 1] == '/';
    const std::size_t letters = at + 1 + closing;
    if (letters >= html.size() || !is_tag_letter(html[letters])) {
      ++at;
      continue;
    }
    const TagName name = tag_name_at(html, letters);
    const std::size_t end = tag_end(html, letters);
    if (closing) {
      close(open, name);
    } else if (is_raw_element(name)) {
      at = raw_element_end(html, end, name);
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

}  // namespace frond::indexer::ingest
