#include "indexer/ingest/reader.h"

namespace frond::indexer::ingest {

Result<std::unique_ptr<DocumentReader>> DocumentReader::open(std::vector<std::filesystem::path> inputs, Format format,
                                                             BadRecordSink sink, ReadOptions read, ParseOptions parse) {
  std::unique_ptr<RecordReader> records = FROND_TRY(RecordReader::open(std::move(inputs), format, sink, read));
  return std::unique_ptr<DocumentReader>(new DocumentReader(std::move(records), std::move(sink), parse));
}

Result<std::optional<Document>> DocumentReader::next() {
  for (;;) {
    const std::optional<RawRecord> record = FROND_TRY(records_->next());
    if (!record) return std::optional<Document>();
    Result<Document> document = parse_record(*record, parse_);
    if (document) return std::optional<Document>(std::move(*document));
    if (sink_) sink_(bad_record(*record, document.error()));
  }
}

}  // namespace frond::indexer::ingest
