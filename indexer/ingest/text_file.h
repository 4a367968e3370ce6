#pragma once
// One document a file: text, Markdown, HTML or a manual page, recognised by name and content, in any encoding. The id
// is the file's path below its folder; the title is the document's own, or else the file's last name.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kFiles;

}  // namespace frond::indexer::ingest
