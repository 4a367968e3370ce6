#include "indexer/ingest/parse_record.h"

#include <exception>

#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

Result<Document> parse_record(const RawRecord& record, const ParseOptions& options) {
  try {
    const bool prior = !options.prior_field.empty() && record.format->parse_with_prior != nullptr;
    Document document =
        FROND_TRY(prior ? record.format->parse_with_prior(record, options.prior_field) : record.format->parse(record));
    FROND_TRY(finish_document(document, *record.format, options.make_ids));
    return document;
  } catch (const std::exception& error) {  // the allocator's, or a parser's
    return Error(Code::kInvalid, std::string("cannot be parsed: ") + error.what());
  }
}

}  // namespace frond::indexer::ingest
