#include "indexer/ingest/wiki_site.h"

#include <algorithm>
#include <charconv>

#include "common/text/utf8.h"
#include "indexer/ingest/character_reference.h"
#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

struct EnglishName {
  int key;
  std::string_view name;
};
constexpr EnglishName kEnglishNames[] = {
    {kWikiMedia, "Media"}, {kWikiFile, "File"}, {kWikiFile, "Image"}, {kWikiCategory, "Category"}};

// Underscores are spaces in names.
bool same_title(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto plain = [](char c) { return c == '_' ? ' ' : small_letter(c); };
    return plain(x) == plain(y);
  });
}

}  // namespace

std::string_view xml_element(std::string_view xml, std::string_view name) {
  const std::string open = "<" + std::string(name), close = "</" + std::string(name) + ">";
  for (std::size_t at = xml.find(open); at != xml.npos; at = xml.find(open, at + 1)) {
    const std::string_view rest = xml.substr(at + open.size());
    if (rest.empty() || std::string_view("> \t\r\n/").find(rest.front()) == std::string_view::npos) continue;
    const std::size_t end = rest.find('>');
    if (end == rest.npos || (end > 0 && rest[end - 1] == '/')) return {};
    const std::string_view content = rest.substr(end + 1);
    return content.substr(0, std::min(content.find(close), content.size()));
  }
  return {};
}

std::string without_xml_references(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out.append(text.substr(0, at));
    text.remove_prefix(at);
    if (!text.empty()) take_reference(text, ReferenceNames::kXml, out);
  }
  return out;
}

WikiSite WikiSite::parse(std::string_view head) {
  WikiSite site;
  const std::string repaired = text::is_utf8(head) ? std::string() : text::repaired_utf8(head);
  if (!repaired.empty()) head = repaired;
  const std::string base = without_xml_references(trimmed(xml_element(head, "base")));
  if (const std::size_t slash = base.rfind('/'); slash != base.npos && base.find("://") < slash)
    site.page_url = base.substr(0, slash + 1);
  constexpr std::string_view kOpen = "<namespace ", kClose = "</namespace>";
  for (std::size_t at = head.find(kOpen); at != head.npos && site.namespaces.size() < kMaxNamespaces;
       at = head.find(kOpen, at + 1)) {
    std::string_view rest = head.substr(at + kOpen.size());
    const std::size_t end = rest.find('>'), key = rest.find("key=\"");
    if (end == rest.npos || key > end || rest[end - 1] == '/') continue;  // that of articles has no name
    Namespace made;
    std::from_chars(rest.data() + key + 5, rest.data() + end, made.key);
    rest.remove_prefix(end + 1);
    made.name = without_xml_references(trimmed(rest.substr(0, std::min(rest.find(kClose), rest.find('<')))));
    if (made.key != 0 && !made.name.empty() && made.name.size() <= 200) site.namespaces.push_back(std::move(made));
  }
  return site;
}

int WikiSite::namespace_of(std::string_view title) const {
  const std::size_t colon = title.find(':');
  if (colon == title.npos) return 0;
  const std::string_view name = trimmed(title.substr(0, colon));
  for (const Namespace& known : namespaces)
    if (same_title(known.name, name)) return known.key;
  for (const EnglishName& known : kEnglishNames)
    if (same_title(known.name, name)) return known.key;
  return 0;
}

std::string WikiSite::url_of(std::string_view title) const {
  if (page_url.empty() || title.empty()) return {};
  constexpr std::string_view kPlain = "-_.;@$!*(),/~:";  // beside letters and digits, as MediaWiki has them
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string url = page_url;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (small_letter(c) >= 'a' && small_letter(c) <= 'z') || (c >= '0' && c <= '9');
    if (c == ' ')
      url.push_back('_');
    else if (letter || kPlain.find(c) != kPlain.npos)
      url.push_back(c);
    else
      url.append({'%', kHex[byte >> 4], kHex[byte & 15]});
  }
  return url;
}

}  // namespace frond::indexer::ingest
