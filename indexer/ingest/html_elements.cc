#include "indexer/ingest/html_elements.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace frond::indexer::ingest {
namespace {

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

ElementKinds kinds_of(const TagName& name) {
  const auto found = std::lower_bound(
      kElements.all.begin(), kElements.end(), name,
      [](const Element& element, const TagName& wanted) { return element.name.letters < wanted.letters; });
  return found != kElements.end() && found->name == name ? found->kinds : ElementKinds{0};
}

}  // namespace frond::indexer::ingest
