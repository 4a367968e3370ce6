#pragma once
// Documents as clients of the Elasticsearch API give them, made into the records that are logged, by the mapping that
// is kept with their collection. One thread, for one request.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/elasticsearch/document.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {

// Whether checked_id() would take the record, if the schema has the mapping's columns: nothing is too large or unusual.
bool needs_no_check(const elasticsearch::PreparedDocument& made, std::string_view id);

class MappedRecords {
 public:
  // `writer` outlives this. `room`: bytes of all records together, unless the first one has more. Errors as
  // CollectionWriter::mapping().
  static Result<MappedRecords> open(CollectionWriter& writer, std::size_t room);
  // Empty: the document waits, as waits() says. 400, 501: what is wrong with it.
  elasticsearch::Expected<std::string> record_of(const std::string& id, std::string_view source);
  // Whether a document brought fields that the mapping lacks, or there was no room for its record: then it and all that
  // follow wait, so that the order of changes holds.
  bool waits() const { return waits_; }
  // {"properties":…} of all fields, with those that documents brought, by now; null: they brought none.
  elasticsearch::Json brought() const;

 private:
  MappedRecords(CollectionWriter& writer, CollectionWriter::StoredMapping kept, std::size_t room)
      : writer_(writer), kept_(std::move(kept)), room_(room) {}

  CollectionWriter& writer_;
  CollectionWriter::StoredMapping kept_;  // with what documents brought
  std::size_t room_, used_ = 0;
  bool waits_ = false, brought_ = false;
};

}  // namespace frond::indexer::write
