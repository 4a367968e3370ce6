#pragma once
// MediaWiki's XML export to pages.
#include <memory>
#include <optional>
#include <string_view>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// A record is what stands between <page> and </page>, with the site of the export. Looks for the site's description in
// the first kMaxWikiHead bytes before the first page.
inline constexpr std::size_t kMaxWikiHead = std::size_t{1} << 20;
std::unique_ptr<RecordCutter> wiki_cutter(std::size_t max_bytes);

// What a page has, still with its references. Views of the page.
struct WikiPage {
  std::string_view title, space, id, model, text;
  bool redirect = false;
};
WikiPage wiki_page(std::string_view page);

}  // namespace frond::indexer::ingest
