#include "indexer/ingest/markup/html_tags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kTagSpaces = " \t\n\r\f";
bool is_space(char c) { return kTagSpaces.find(c) != kTagSpaces.npos; }

struct OfKind {
  ElementKinds kind;
  std::string_view names;  // separated by spaces
};
constexpr OfKind kKinds[] = {
    {kWithoutTextKind, "script style iframe noembed"},
    {kVerbatimKind, "textarea xmp"},
    {kFramesKind, "frameset frame noframes"},
    {kVoidKind, "area base br col embed hr img image input link meta param track wbr source basefont bgsound keygen"},
    {kImpliedKind, "body head html p tbody td tfoot th thead tr option colgroup"},
    {kItemKind, "li dd dt"},
    {kFormattingKind, "a b big code em font i nobr small s strike strong tt u form"},
    {kBlockKind,
     "address article aside blockquote button center details dir div dl fieldset figcaption figure footer header "
     "hgroup listing main menu nav ol pre section summary ul li dd dt h1 h2 h3 h4 h5 h6 applet marquee object table "
     "caption select template"},
    {kScopeKind,
     "applet caption marquee object table template foreignobject desc title mi mo mn ms mtext annotation-xml select"},
    {kSpecialKind,
     "address applet article aside blockquote button caption center dd details dir div dl dt fieldset figcaption "
     "figure footer form h1 h2 h3 h4 h5 h6 header hgroup li listing main marquee menu nav noscript object ol plaintext "
     "pre section select summary table template ul"},
    {kForeignRootKind, "svg math"},
    {kHtmlInForeignKind,
     "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
     "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var "
     "desc title foreignobject mi mo mn ms mtext"},
    {kPageTagKind,
     "html head body title meta link base script style noscript frameset p div span br hr table tr td ul ol li dl h1 "
     "h2 h3 h4 h5 h6 center font a img b form pre main nav header blockquote"},
};

struct Element {
  TagName name;
  ElementKinds kinds = 0;
};
constexpr std::size_t kMaxElements = 160;

struct Elements {
  std::array<Element, kMaxElements> all{};
  std::size_t count = 0;
  constexpr auto end() const { return all.begin() + count; }
};
constexpr Elements kElements = [] {
  Elements elements;
  for (const OfKind& of : kKinds) {
    for (std::string_view names = of.names; !names.empty();) {
      const std::string_view word = names.substr(0, names.find(' '));
      names.remove_prefix(std::min(word.size() + 1, names.size()));
      TagName name;
      std::ranges::copy(word, name.letters.begin());
      Element* element = std::find_if(elements.all.data(), elements.all.data() + elements.count,
                                      [&](const Element& other) { return other.name == name; });
      if (element == elements.all.data() + elements.count) ++elements.count;
      element->name = name;
      element->kinds = static_cast<ElementKinds>(element->kinds | of.kind);
    }
  }
  std::sort(elements.all.data(), elements.all.data() + elements.count,
            [](const Element& a, const Element& b) { return a.name.letters < b.name.letters; });
  return elements;
}();

}  // namespace

TagName tag_name_at(std::string_view html, std::size_t at) {
  TagName name;
  for (std::size_t i = 0; i < TagName::kMaxLetters && at + i < html.size(); ++i) {
    const char c = html[at + i];
    if (is_space(c) || c == '>' || c == '/') break;
    name.letters[i] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return name;
}

TagEnd tag_end(std::string_view html, std::size_t at) {
  enum class In { kNames, kBeforeValue, kValue } in = In::kNames;
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (c == '>') return {at + 1, true, in == In::kNames && html[at - 1] == '/'};
    if (in == In::kNames) {
      if (c == '=') in = In::kBeforeValue;
    } else if (is_space(c)) {
      if (in == In::kValue) in = In::kNames;
    } else if (in == In::kBeforeValue) {
      in = In::kValue;
      if (c != '"' && c != '\'') continue;
      at = std::min(html.find(c, at + 1), html.size());
      in = In::kNames;
    }
  }
  return {html.size()};
}

std::string_view attributes_of(std::string_view tag) {
  tag.remove_prefix(std::min(tag.find_first_of(" \t\n\r\f/", 1), tag.size()));
  return tag.substr(0, tag.empty() ? 0 : tag.size() - 1);
}

std::optional<Attribute> take_attribute(std::string_view& attributes) {
  attributes.remove_prefix(std::min(attributes.find_first_not_of(" \t\n\r\f/"), attributes.size()));
  if (attributes.empty()) return std::nullopt;
  const std::size_t name_end = std::min(attributes.find_first_of(" \t\n\r\f/=", 1), attributes.size());
  Attribute attribute{attributes.substr(0, name_end), {}};
  attributes.remove_prefix(name_end);
  const std::size_t equals = attributes.find_first_not_of(kTagSpaces);
  if (equals == attributes.npos || attributes[equals] != '=') return attribute;
  attributes.remove_prefix(std::min(attributes.find_first_not_of(kTagSpaces, equals + 1), attributes.size()));
  if (attributes.empty()) return attribute;
  const char quote = attributes.front();
  const bool quoted = quote == '"' || quote == '\'';
  if (quoted) attributes.remove_prefix(1);
  const std::size_t end =
      std::min(quoted ? attributes.find(quote) : attributes.find_first_of(kTagSpaces), attributes.size());
  attribute.value = attributes.substr(0, end);
  attributes.remove_prefix(std::min(end + quoted, attributes.size()));
  return attribute;
}

std::size_t comment_end(std::string_view html, std::size_t at) {
  // "<!-->" and "<!--->" are whole comments.
  for (at = html.find("--", at + 2); at != html.npos; at = html.find("--", at + 1)) {
    const std::string_view behind = html.substr(at + 2, 2);
    if (behind.starts_with('>')) return at + 3;
    if (behind == "!>") return at + 4;
  }
  return html.size();
}

std::size_t find_end_tag(std::string_view html, std::size_t at, const TagName& name) {
  for (at = html.find("</", at); at != html.npos; at = html.find("</", at + 2))
    if (tag_name_at(html, at + 2) == name) return at;
  return html.npos;
}

std::size_t find_script_end(std::string_view html, std::size_t at) {
  enum class In { kScript, kComment, kInnerScript } in = In::kScript;
  const TagName script = tag_name_at("script", 0);
  for (at = html.find('<', at); at < html.size(); ++at) {
    if (in == In::kScript) at = std::min(html.find('<', at), html.size());
    const std::string_view rest = html.substr(at);
    if (rest.starts_with('-')) {
      if (in != In::kScript && rest.starts_with("-->")) in = In::kScript;
    } else if (!rest.starts_with('<')) {
      continue;
    } else if (rest.starts_with("</")) {
      if (tag_name_at(html, at + 2) != script) continue;
      if (in != In::kInnerScript) return at;
      in = In::kComment;
    } else if (in == In::kScript) {
      if (rest.starts_with("<!--")) in = In::kComment, ++at;
    } else if (in == In::kComment && tag_name_at(html, at + 1) == script) {
      in = In::kInnerScript;
    }
  }
  return html.npos;
}

ElementKinds kinds_of(const TagName& name) {
  const auto found = std::lower_bound(
      kElements.all.begin(), kElements.end(), name,
      [](const Element& element, const TagName& wanted) { return element.name.letters < wanted.letters; });
  return found != kElements.end() && found->name == name ? found->kinds : ElementKinds{0};
}

}  // namespace frond::indexer::ingest
