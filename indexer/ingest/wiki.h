#pragma once
// MediaWiki's XML export, as Special:Export and Wikipedia's dumps have it: pages of articles with their markup. The id
// is the page's number; of several revisions the last one counts. Redirects, pages of other namespaces, and pages that
// are no wikitext are skipped and counted by reason.
//
// Not a reader of any XML: MediaWiki writes each element's start tag without a break, escapes all markup in texts, and
// has neither comments, CDATA nor declarations of entities between its elements. So pages are found by their tags,
// hostile declarations mean nothing, and pages are taken apart by all parser threads.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kWiki;

}  // namespace frond::indexer::ingest
