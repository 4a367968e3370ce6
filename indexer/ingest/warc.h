#pragma once
// Web archives: WARC files, plain or compressed, also with each record compressed by itself. A response is the page
// that a server sent: HTML or text, in any encoding. A resource or a conversion is a page without an HTTP head: Common
// Crawl's WET files have such. Everything else is skipped and counted by reason. The id is the record's.
//
// Bodies are taken out of their chunks and decompressed by the cutter, so that a record's size is that of its page,
// which limits apply to, and its type can be told.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kWarc;
// ARC, the format before it: the same, but for the heads of records. The id is the date of the visit and the URL.
extern const SourceFormat kArc;

}  // namespace frond::indexer::ingest
