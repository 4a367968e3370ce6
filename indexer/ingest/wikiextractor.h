#pragma once
// What stands between "<doc " and "</doc>" in the files that wikiextractor writes: id, URL and title as attributes,
// then text in any encoding.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kWikiextractor;

}  // namespace frond::indexer::ingest
