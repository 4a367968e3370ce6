#pragma once
// What all formats have in common once a record is taken apart: the limits of fields, and ids made from the content.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/format.h"

namespace frond::indexer::ingest {

// kInvalid unless `id` is fit to be Document::id.
Result<void> check_id(std::string_view id);

// The id of a document that has none: 32 hexadecimal digits, XXH3-128 of URL, title and body. Equal documents have
// equal ids, wherever they stand.
std::string content_id(const Document& document);

// Makes `document`, as a parser of `format` gives it, what document.h promises. Without an id it gets its content_id(),
// where `make_ids` says so. The end of a long title goes to the front of the body: no word is cut or lost. A long URL
// goes. kInvalid: no id, one that check_id() refuses, or more than kMaxDocumentBytes in all.
Result<void> finish_document(Document& document, Format format, bool make_ids);

}  // namespace frond::indexer::ingest
