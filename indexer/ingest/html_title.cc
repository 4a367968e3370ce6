#include "indexer/ingest/html_title.h"

#include <algorithm>
#include <array>

#include "common/text/field_limits.h"
#include "indexer/ingest/html_tags.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

using text::kMaxTitleBytes;

// Tags that do not occur in a title, but in the page behind it.
constexpr std::array<std::string_view, 40> kPageTags = {
    "html",     "head", "body", "title", "meta", "link", "base",  "script", "style",  "noscript",
    "frameset", "p",    "div",  "span",  "br",   "hr",   "table", "tr",     "td",     "ul",
    "ol",       "li",   "dl",   "h1",    "h2",   "h3",   "h4",    "h5",     "h6",     "center",
    "font",     "a",    "img",  "b",     "form", "pre",  "main",  "nav",    "header", "blockquote"};

constexpr std::string_view kEndTag = "</title>";

// The place of the first of these tags, or of any end tag, comment or doctype, in [from, to); `to`: there is none.
std::size_t page_tag(std::string_view html, std::size_t from, std::size_t to) {
  for (std::size_t at = html.find('<', from); at < to; at = html.find('<', at + 1)) {
    if (html.substr(at).starts_with("<!") || html.substr(at).starts_with("</")) return at;
    if (std::ranges::find(kPageTags, tag_name_at(html, at + 1).view()) != kPageTags.end()) return at;
  }
  return to;
}

class TitleCloser {
 public:
  explicit TitleCloser(std::string_view html) : html_(html) {}

  std::optional<std::string> close() {
    for (std::size_t at = html_.find('<'); at < html_.size(); at = html_.find('<', at)) {
      if (html_.substr(at).starts_with("<!--")) {
        const std::size_t end = html_.find("-->", at + 4);
        if (end == html_.npos) break;
        at = end + 3;
        continue;
      }
      ++at;
      if (at >= html_.size() || !is_tag_letter(html_[at])) continue;
      const TagName name = tag_name_at(html_, at);
      const std::size_t content = tag_end(html_, at);
      if (name.view() == "title")
        at = title(at - 1, content, name);
      else
        at = is_raw_element(name) ? raw_element_end(html_, content, name) : content;
    }
    if (copied_ == 0) return std::nullopt;
    out_.append(html_.substr(copied_));
    return std::move(out_);
  }

 private:
  // Closes the title whose tag begins at `tag` and whose content begins at `content`. Gives the place to go on from.
  std::size_t title(std::size_t tag, std::size_t content, const TagName& name) {
    if (end_tag_ < content) end_tag_ = raw_element_end(html_, content, name);  // looked for once until it is passed
    const std::size_t page = page_tag(html_, content, end_tag_);
    if (end_tag_ < html_.size() && (end_tag_ - content <= kMaxTitleBytes || page == end_tag_)) {
      closed_ = true;
      return end_tag_;
    }
    if (closed_) {
      out_.append(html_.substr(copied_, tag - copied_)).append(content - tag, ' ');
      copied_ = content;
      return content;
    }
    closed_ = true;
    const std::size_t words = std::min(html_.find_first_not_of(kSpaces, content), html_.size());
    const std::size_t end = std::min(page, html_.find('\n', words));
    out_.append(html_.substr(copied_, end - copied_)).append(kEndTag);
    copied_ = end;
    return end;
  }

  std::string_view html_;
  std::string out_;
  std::size_t copied_ = 0;  // of html_, to out_
  std::size_t end_tag_ = 0;
  bool closed_ = false;  // there was a title
};

}  // namespace

std::optional<std::string> with_closed_titles(std::string_view html) { return TitleCloser(html).close(); }

}  // namespace frond::indexer::ingest
