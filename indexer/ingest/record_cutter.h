#pragma once
// Bytes to records: finds where each ends, and no more.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/byte_source.h"
#include "indexer/ingest/format.h"
#include "indexer/ingest/input_limits.h"

namespace frond::indexer::ingest {

struct CsvColumns;

// The content of a file with a place in it.
class ContentStream {
 public:
  explicit ContentStream(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  // What is not yet consumed of the present piece, reading the next piece when that is nothing; empty at the end.
  Result<std::string_view> window();
  void consume(std::size_t bytes) {
    window_.remove_prefix(bytes);
    offset_ += bytes;
  }
  // Puts the first pieces together, until `bytes` are there or the end comes; before anything is consumed.
  Result<std::string_view> peek(std::size_t bytes);
  std::uint64_t offset() const { return offset_; }  // of what comes next
  const ByteSource& source() const { return *source_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // what peek() put together
  std::string_view window_;
  std::uint64_t offset_ = 0;
};

struct Cut {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::string bytes;
  std::string_view problem;  // not empty: the record is malformed, `bytes` is of no use; valid as long as the cutter
  std::shared_ptr<const CsvColumns> columns;  // kCsv
};
// Appends a piece of a record. One that grows long gets room for the longest at once: pages that nothing is written to
// take no memory, while a string that doubles is there twice.
void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes);

class RecordCutter {
 public:
  virtual ~RecordCutter() = default;
  // The next record of the stream, which is the same one at every call; nothing at its end. Errors as ByteSource's.
  virtual Result<std::optional<Cut>> next(ContentStream& stream) = 0;
  // `format` is not kAuto; a record of more than `max_bytes` is a problem.
  static std::unique_ptr<RecordCutter> create(Format format, std::size_t max_bytes);
};

}  // namespace frond::indexer::ingest
