#pragma once
// TREC's text and web collections: what stands between <DOC> and </DOC>. It has <DOCNO>, perhaps <DOCHDR>, whose first
// word is the URL, and then text or HTML in any encoding. The title is that of <TITLE>, <HEADLINE>, <TTL> or <HL>.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kTrec;

}  // namespace frond::indexer::ingest
