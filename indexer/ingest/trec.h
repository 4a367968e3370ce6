#pragma once
// TREC's text and web collections: what stands between <DOC> and </DOC>. It has <DOCNO>, and then text or markup in any
// encoding. The title is that of <TITLE>, <HEADLINE>, <TTL> or <HL>. In web collections <DOCHDR> comes before the page:
// the first word of its first line is the URL, and what follows is the HTTP response's head, whose charset is used. A
// page that is neither called HTML nor begins like it, such as the text of a PDF, is taken as it is.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kTrec;

}  // namespace frond::indexer::ingest
