#pragma once
// What the head of a MediaWiki export says of the wiki: docs of the format at mediawiki.org, "Help:Export", "Export
// format"; schema versions 0.3 to 0.11 are alike in what is used here.
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

struct WikiSite {
  static constexpr std::size_t kMaxNamespaces = 200;
  struct Namespace {
    int key = 0;
    std::string name;  // in the wiki's language
  };
  std::string page_url;  // of a page, but for its title: "https://en.wikipedia.org/wiki/". Empty: not known
  std::vector<Namespace> namespaces;

  // From the text before the first page. Accepts any bytes; what is missing stays empty. All texts are valid UTF-8.
  static WikiSite parse(std::string_view head);
  // The namespace that a link or title names before its colon, in any case of ASCII letters. The names of files and
  // categories are also known in English. 0: articles, which have none.
  int namespace_of(std::string_view title) const;
  // The address of a page. Empty: not known.
  std::string url_of(std::string_view title) const;
};
inline constexpr int kWikiMedia = -2, kWikiFile = 6, kWikiCategory = 14;

}  // namespace frond::indexer::ingest
