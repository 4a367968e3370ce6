#pragma once
// TSV: a document a line. The columns are id, tab, text, in which further tabs are text; or, as in MS MARCO, id, URL,
// title and text, if there are four columns and the second is an http or https URL. UTF-8.
#include <string_view>

#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kTsv;

// Whether this beginning of a file looks like TSV: nearly all lines have an id without spaces, and a tab behind it.
bool looks_like_tsv(std::string_view beginning);

}  // namespace frond::indexer::ingest
