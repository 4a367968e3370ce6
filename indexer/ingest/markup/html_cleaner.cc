#include <algorithm>
#include <utility>
#include <vector>

#include "common/text/limits.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/html.h"
#include "indexer/ingest/markup/html_tags.h"

namespace frond::indexer::ingest {
namespace {

using text::kMaxTitleBytes;

class HtmlCleaner {
 public:
  HtmlCleaner(std::string_view html, bool xhtml, std::size_t max_depth)
      : html_(html), max_depth_(max_depth), xhtml_(xhtml || without_spaces(html.substr(0, 64)).starts_with("<?xml ")) {}

  std::string cleaned() {
    out_.reserve(html_.size());
    const std::size_t last = html_.empty() ? 0 : html_.size() - 1;
    for (std::size_t at = html_.find('<'); at < last; at = html_.find('<', at)) {
      const char next = html_[at + 1];
      if (is_tag_letter(next)) {
        at = start_tag(at);
      } else if (next == '!' || next == '?') {
        at = declaration(at);
      } else if (next == '/' && at + 2 < html_.size()) {
        at = end_tag(at);
      } else {
        ++at;
      }
    }
    copy_to(html_.size());
    return std::move(out_);
  }

 private:
  // Text and whole elements that stay as they are.
  void copy_to(std::size_t end) {
    if (end > copied_) out_.append(html_.substr(copied_, end - copied_));
    copied_ = std::max(copied_, end);
  }
  // Leaves out [begin, end). Gives the place to go on from.
  std::size_t leave_out(std::size_t begin, std::size_t end) {
    copy_to(begin);
    copied_ = end;
    return end;
  }
  std::size_t replace(std::size_t begin, std::size_t end, std::string_view open, std::string_view name,
                      std::string_view close) {
    leave_out(begin, end);
    out_.append(open).append(name).append(close);
    return end;
  }

  std::size_t declaration(std::size_t at) {
    constexpr std::string_view kSection = "<![CDATA[";
    if (html_.substr(at).starts_with("<!--")) return leave_out(at, comment_end(html_, at));
    if (html_.substr(at).starts_with(kSection) && (xhtml_ || in_foreign())) {
      const std::size_t end = std::min(html_.find("]]>", at), html_.size());
      leave_out(at, std::min(end + 3, html_.size()));
      for (const char c : html_.substr(at + kSection.size(), end - std::min(end, at + kSection.size()))) {
        if (c == '<' || c == '&')
          out_.append(c == '<' ? "&lt;" : "&amp;");
        else
          out_.push_back(c);
      }
      return copied_;
    }
    return leave_out(at, std::min(html_.find('>', at), html_.size() - 1) + 1);
  }

  std::size_t end_tag(std::size_t at) {
    if (!is_tag_letter(html_[at + 2])) return leave_out(at, std::min(html_.find('>', at), html_.size() - 1) + 1);
    const TagName name = tag_name_at(html_, at + 2);
    const ElementKinds kinds = kinds_of(name);
    const TagEnd end = tag_end(html_, at + 2);
    if (!end.there || (kinds & kWithoutTextKind)) return leave_out(at, end.at);
    if (kinds & kFramesKind) return replace(at, end.at, "<", "hr", ">");
    close(name, kinds);
    return replace(at, end.at, "</", name.view(), ">");
  }

  std::size_t start_tag(std::size_t at) {
    const TagName name = tag_name_at(html_, at + 1);
    const ElementKinds kinds = kinds_of(name);
    const TagEnd end = tag_end(html_, at + 1);
    if (!end.there) return leave_out(at, end.at);
    const std::string_view tag = name.view();
    if (tag == "html" && html_.substr(at, end.at - at).find("http://www.w3.org/1999/xhtml") != html_.npos)
      xhtml_ = true;
    const bool foreign = (kinds & kForeignRootKind) || in_foreign();
    const bool empty = end.closes_itself && (xhtml_ || foreign);
    if (empty && tag == "plaintext") return leave_out(at, end.at);
    if (kinds & kWithoutTextKind) return empty ? leave_out(at, end.at) : without_content(at, end, name);
    if (kinds & kFramesKind) return replace(at, end.at, "<", "hr", ">");
    if (empty) return (kinds & kVoidKind) ? replace(at, end.at, "<", tag, "/>") : empty_element(at, end.at, tag);
    if (!foreign && tag == "title") return title(at, end.at, name);
    if (!foreign && (kinds & kVerbatimKind)) return verbatim(at, end.at, name);
    if (!foreign && tag == "plaintext") {
      copy_to(html_.size());
      return html_.size();
    }
    if (!opens({name, kinds}, foreign)) return replace(at, end.at, " ", {}, {});
    return replace(at, end.at, "<", tag, ">");
  }
  std::size_t empty_element(std::size_t at, std::size_t end, std::string_view tag) {
    replace(at, end, "<", tag, "></");
    out_.append(tag).push_back('>');
    return end;
  }

  // The end tag of a raw element, from a place on that never goes back; npos: there is none.
  std::size_t raw_end(std::size_t at, const TagName& name) {
    if (std::ranges::find(never_closed_, name) != never_closed_.end()) return html_.npos;
    if (name.view() == "script" && !script_comments_fail_) {
      if (const std::size_t end = find_script_end(html_, at); end != html_.npos) return end;
      script_comments_fail_ = true;
    }
    const std::size_t end = find_end_tag(html_, at, name);
    if (end == html_.npos) never_closed_.push_back(name);
    return end;
  }
  std::size_t without_content(std::size_t at, const TagEnd& tag, const TagName& name) {
    const std::size_t end = raw_end(tag.at, name);
    if (end != html_.npos) return leave_out(at, tag_end(html_, end + 2).at);
    const bool code = name.view() == "script" || name.view() == "style";
    return leave_out(at, code && !tag.closes_itself ? page_tag(tag.at, html_.size()) : tag.at);
  }
  std::size_t verbatim(std::size_t at, std::size_t content, const TagName& name) {
    const std::size_t end = raw_end(content, name);
    if (end == html_.npos) return leave_out(at, content);
    replace(at, content, "<", name.view(), ">");
    return end;
  }

  std::size_t title(std::size_t at, std::size_t content, const TagName& name) {
    // Looked for once until it is passed.
    if (title_end_ < content) title_end_ = std::min(find_end_tag(html_, content, name), html_.size());
    const std::size_t page = page_tag(content, title_end_);
    if (title_end_ < html_.size() && (title_end_ - content <= kMaxTitleBytes || page == title_end_)) {
      titled_ = true;
      replace(at, content, "<", "title", ">");
      return title_end_;
    }
    if (std::exchange(titled_, true)) return replace(at, content, " ", {}, {});
    replace(at, content, "<", "title", ">");
    const std::size_t words = std::min(html_.find_first_not_of(kSpaces, content), html_.size());
    const std::size_t end = std::min(page, html_.find('\n', words));
    return replace(end, end, "</", "title", ">");
  }
  // The place of the first tag that belongs to a page, or of any end tag, comment or doctype, in [from, to); `to`:
  // there is none.
  std::size_t page_tag(std::size_t from, std::size_t to) const {
    for (std::size_t at = html_.find('<', from); at < to; at = html_.find('<', at + 1)) {
      if (html_.substr(at).starts_with("<!") || html_.substr(at).starts_with("</")) return at;
      if (kinds_of(tag_name_at(html_, at + 1)) & kPageTagKind) return at;
    }
    return to;
  }

  struct Open {
    TagName name;
    ElementKinds kinds = 0;
  };
  // Whether the innermost element is one of SVG or MathML.
  bool in_foreign() const {
    for (std::size_t i = foreign_roots_ > 0 ? open_.size() : 0; i-- > 0;)
      if (open_[i].kinds & (kForeignRootKind | kHtmlInForeignKind)) return (open_[i].kinds & kForeignRootKind) != 0;
    return false;
  }
  void shrink(std::size_t size) {
    for (; open_.size() > size; open_.pop_back()) foreign_roots_ -= (open_.back().kinds & kForeignRootKind) != 0;
  }
  // Takes note of a start tag. False: it is too deep.
  bool opens(const Open& element, bool foreign) {
    if ((element.kinds & (kVoidKind | kImpliedKind)) && !(foreign && !(element.kinds & kHtmlInForeignKind)))
      return true;
    if (element.kinds & kItemKind) close_item(element.name);
    if (element.name.view() == "a" || element.name.view() == "nobr") close(element.name, element.kinds);
    if (open_.size() >= max_depth_) return false;
    open_.push_back(element);
    foreign_roots_ += (element.kinds & kForeignRootKind) != 0;
    return true;
  }
  // An item ends the one before it, unless it may be inside of another element in between.
  void close_item(const TagName& name) {
    const bool item = name.view() == "li";
    for (std::size_t i = open_.size(); i-- > 0;) {
      const std::string_view open = open_[i].name.view();
      if (item ? open == "li" : open == "dd" || open == "dt") return shrink(i);
      if ((open_[i].kinds & (kSpecialKind | kScopeKind)) && open != "div" && open != "address") return;
    }
  }
  // Removes the elements that a tree builder has certainly closed at this end tag.
  void close(const TagName& name, ElementKinds kinds) {
    const bool item = name.view() == "li";
    const ElementKinds bounds = (kinds & (kFormattingKind | kBlockKind)) ? kScopeKind : kScopeKind | kSpecialKind;
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].name == name) {
        if (!(kinds & kFormattingKind)) return shrink(i);
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
      if ((open_[i].kinds & bounds) || (item && (open_[i].name.view() == "ul" || open_[i].name.view() == "ol"))) return;
    }
  }

  std::string_view html_;
  std::size_t max_depth_;
  bool xhtml_;
  std::string out_;
  std::size_t copied_ = 0;             // of html_, to out_
  std::vector<Open> open_;             // at most max_depth_
  std::size_t foreign_roots_ = 0;      // of them
  std::vector<TagName> never_closed_;  // raw elements without an end tag in the rest of the page
  bool script_comments_fail_ = false;  // "<!--" in a script is never closed
  std::size_t title_end_ = 0;
  bool titled_ = false;
};

}  // namespace

std::string cleaned_html(std::string_view html, bool xhtml, std::size_t max_depth) {
  return HtmlCleaner(html, xhtml, max_depth).cleaned();
}

}  // namespace frond::indexer::ingest
