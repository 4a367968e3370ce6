#include "indexer/ingest/formats/wiki.h"

#include <algorithm>
#include <charconv>

#include "common/base/text.h"
#include "common/text/utf8.h"
#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/http/http_response.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup/wikitext.h"
#include "indexer/ingest/markup/xml.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kMaxWikiHead = std::size_t{1} << 20;  // before the first page, where the site's description is

// What stands between <name …> and </name>, not changed; the first of this name. Empty: there is none.
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

// What a page has, still with its references. Views of the page.
struct WikiPage {
  std::string_view title, space, id, model, text;
  bool redirect = false;
};
WikiPage wiki_page(std::string_view page) {
  const std::size_t first = std::min(page.find("<revision"), page.size());
  const std::string_view head = page.substr(0, first);
  const std::size_t last = page.rfind("<revision");
  const std::string_view revision = page.substr(std::min(last, page.size()));
  WikiPage found;
  found.title = trimmed(xml_element(head, "title"));
  found.space = trimmed(xml_element(head, "ns"));
  found.id = trimmed(xml_element(head, "id"));
  const std::size_t text = std::min(revision.find("<text"), revision.size());
  found.model = trimmed(xml_element(revision.substr(0, text), "model"));
  found.text = trimmed(xml_element(revision.substr(text), "text"));
  constexpr std::string_view kRedirect = "#redirect";
  found.redirect =
      head.find("<redirect") != head.npos ||
      (found.text.size() > kRedirect.size() && same_name(found.text.substr(0, kRedirect.size()), kRedirect));
  return found;
}

Result<Document> parse_wiki(const RawRecord& record, const NamedFields&) {
  static const WikiSite kUnknown;
  const WikiSite& site = record.site ? *record.site : kUnknown;
  std::string repaired;
  std::string_view bytes = record.bytes;
  if (!text::is_utf8(bytes)) bytes = repaired = FROND_TRY(to_utf8(bytes, "UTF-8"));
  const WikiPage page = wiki_page(bytes);
  Document document;
  document.id = page.id;
  document.title = without_references(page.title, ReferenceNames::kXml);
  document.url = site.url_of(document.title);
  document.body = wikitext_to_text(without_references(page.text, ReferenceNames::kXml), site);
  return document;
}

Sniffed sniff_wiki(const Beginning& head) {
  std::string_view text = head.text;
  if (text.starts_with("<?xml")) text = without_spaces(text.substr(std::min(text.find('>'), text.size() - 1) + 1));
  // Or a part of a dump: one of the streams that it consists of.
  const bool part = text.starts_with("<page>") && text.find("<title>") != text.npos;
  return {text.starts_with("<mediawiki") || part, {}};
}

// Tags of pages are unmistakable wherever they stand: those in texts are escaped.
constexpr DocumentTags kPageTags = {"<page>", "</page>", "<page>", "no </page> before the end of the file",
                                    "no </page> before the next <page>"};

std::optional<SkipReason> reason_to_skip(const WikiPage& page, const WikiSite& site) {
  // Exports of schema 0.3 name no namespace, but have it in the title.
  const bool article = page.space.empty() ? site.namespace_of(page.title) == 0 : page.space == "0";
  if (!article) return SkipReason::kNamespace;
  if (page.redirect) return SkipReason::kRedirect;
  if (!page.model.empty() && page.model != "wikitext") return SkipReason::kCode;
  if (page.text.empty()) return SkipReason::kEmpty;
  return std::nullopt;
}

// A record is what stands between <page> and </page>, with the site of the export.
class WikiCutter final : public RecordCutter {
 public:
  explicit WikiCutter(std::size_t max_bytes) : RecordCutter(max_bytes), pages_(tagged_cutter(kPageTags, max_bytes)) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!site_) FROND_TRY(read_head(stream));
    Result<std::optional<Cut>> cut = pages_->next(stream);
    if (!cut || !*cut || !(*cut)->problem.empty()) return cut;
    (*cut)->site = site_;
    (*cut)->skip_because = reason_to_skip(wiki_page((*cut)->bytes), *site_);
    return cut;
  }

 private:
  Result<void> read_head(ContentStream& stream) {
    std::string head;
    while (head.size() < kMaxWikiHead) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      // Leaves the first page's tag to the cutter of pages. No line of the head begins with it in part.
      const std::size_t line = std::min(window.find('\n'), window.size() - 1) + 1;
      const std::size_t page = window.substr(0, line).find(kPageTags.begin.substr(0, 5));
      head.append(window.substr(0, std::min(page, line)));
      stream.consume(std::min(page, line));
      if (page != window.npos) break;
    }
    site_ = std::make_shared<const WikiSite>(WikiSite::parse(head));
    return {};
  }

  std::unique_ptr<RecordCutter> pages_;
  std::shared_ptr<const WikiSite> site_;
};

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

constinit const SourceFormat kWiki = {
    .name = "wiki",
    .evidence = Evidence::kOpening,
    .sniff = sniff_wiki,
    .cut = RecordCutter::of<WikiCutter>,
    .parse = parse_wiki,
    .cost = [](const RawRecord& record) { return file_cost(record.bytes, false); },
    .no_id = "no <id> of the page",
};

WikiSite WikiSite::parse(std::string_view head) {
  WikiSite site;
  const std::string repaired = text::is_utf8(head) ? std::string() : text::repaired_utf8(head);
  if (!repaired.empty()) head = repaired;
  const std::string base = without_references(trimmed(xml_element(head, "base")), ReferenceNames::kXml);
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
    made.name =
        without_references(trimmed(rest.substr(0, std::min(rest.find(kClose), rest.find('<')))), ReferenceNames::kXml);
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
  std::string name(title);
  std::ranges::replace(name, ' ', '_');
  return page_url + percent_encoded(name, kPlain);
}

}  // namespace frond::indexer::ingest
