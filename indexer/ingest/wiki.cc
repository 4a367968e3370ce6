#include "indexer/ingest/wiki.h"

#include "common/text/utf8.h"
#include "indexer/ingest/charset.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/markup.h"
#include "indexer/ingest/wiki_cutter.h"
#include "indexer/ingest/wiki_site.h"
#include "indexer/ingest/wikitext.h"

namespace frond::indexer::ingest {
namespace {

Result<Document> parse_wiki(const RawRecord& record) {
  static const WikiSite kUnknown;
  const WikiSite& site = record.site ? *record.site : kUnknown;
  std::string repaired;
  std::string_view bytes = record.bytes;
  if (!text::is_utf8(bytes)) bytes = repaired = FROND_TRY(to_utf8(bytes, "UTF-8"));
  const WikiPage page = wiki_page(bytes);
  Document document;
  document.id = page.id;
  document.title = without_xml_references(page.title);
  document.url = site.url_of(document.title);
  document.body = wikitext_to_text(without_xml_references(page.text), site);
  return document;
}

Sniffed sniff_wiki(const Head& head) {
  std::string_view text = head.text;
  if (text.starts_with("<?xml")) text = without_spaces(text.substr(std::min(text.find('>'), text.size() - 1) + 1));
  // Or a part of a dump: one of the streams that it consists of.
  const bool part = text.starts_with("<page>") && text.find("<title>") != text.npos;
  return {text.starts_with("<mediawiki") || part, {}};
}

}  // namespace

constinit const SourceFormat kWiki = {
    .name = "wiki",
    .evidence = Evidence::kOpening,
    .sniff = sniff_wiki,
    .cut = wiki_cutter,
    .parse = parse_wiki,
    .cost = [](const RawRecord& record) { return file_cost(record.bytes, false); },
    .no_id = [](const FieldNames&) { return std::string("no <id> of the page"); },
};

}  // namespace frond::indexer::ingest
