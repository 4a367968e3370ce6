#pragma once
// What happens to the fields of a document whatever its format: limits, and ids made from the content.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

// kInvalid unless `id` may be a Document's.
Result<void> check_id(std::string_view id);

// An id for a document without one: XXH3-128 of URL, title and body as 32 hexadecimal digits. Equal documents get equal
// ids.
std::string content_id(const Document& document);

// Turns what a parser of `format` gave into what document.h promises. NULs are dropped. A document without an id gets
// its content_id() if `make_ids` is set. The end of a title that is too long moves to the front of the body, so no word
// is cut or lost. A URL that is too long is dropped. kInvalid: no id, one that check_id() refuses, or more than
// kMaxDocumentBytes in all.
Result<void> finish_document(Document& document, const SourceFormat& format, bool make_ids,
                             const FieldNames& names = usual_field_names());

// For SourceFormat::no_id: of formats whose records name their fields, and of others.
std::string no_id_field(const FieldNames& names);
std::string id_is_empty(const FieldNames&);

}  // namespace frond::indexer::ingest
