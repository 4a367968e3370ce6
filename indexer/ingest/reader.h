#pragma once
// Paths in, documents out, in one thread: RecordReader and parse_record() put together.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "indexer/ingest/record_reader.h"

namespace frond::indexer::ingest {

class DocumentReader {
 public:
  // As RecordReader::open().
  static Result<std::unique_ptr<DocumentReader>> open(std::vector<std::filesystem::path> inputs, Format format,
                                                      BadRecordSink sink, ReadOptions read = {},
                                                      ParseOptions parse = {});
  // The next document; nothing at the end. Malformed records go to the sink. Errors as RecordReader::next().
  Result<std::optional<Document>> next();
  const RecordReader& records() const { return *records_; }
  std::uint64_t bytes_read() const { return records_->bytes_read(); }

 private:
  DocumentReader(std::unique_ptr<RecordReader> records, BadRecordSink sink, ParseOptions parse)
      : records_(std::move(records)), sink_(std::move(sink)), parse_(parse) {}
  std::unique_ptr<RecordReader> records_;
  BadRecordSink sink_;
  ParseOptions parse_;
};

}  // namespace frond::indexer::ingest
