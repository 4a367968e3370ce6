#include "indexer/ingest/parse_record.h"

#include <exception>

#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

Result<Document> parse_record(const RawRecord& record, const ParseOptions& options) {
  try {
    const SourceFormat& format = *record.format;
    const FieldNames& names = names_or_usual(options.names.get());
    Document document =
        FROND_TRY(format.parse_fields != nullptr ? format.parse_fields(record, names, options.prior_field)
                                                 : format.parse(record));
    FROND_TRY(finish_document(document, format, options.make_ids, names));
    return document;
  } catch (const std::exception& error) {  // the allocator's, or a parser's
    return Error(Code::kInvalid, std::string("cannot be parsed: ") + error.what());
  }
}

}  // namespace frond::indexer::ingest
