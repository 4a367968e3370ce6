#pragma once
// Bytes to records: finds where each record ends.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/content_stream.h"
#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

struct CsvColumns;
struct WikiSite;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

struct Cut {
  std::uint64_t number = 0;  // as RawRecord::number
  std::uint64_t offset = 0;
  std::string bytes;
  std::string_view problem;  // not empty: a bad record, whose bytes have no meaning; valid as long as the cutter
  std::shared_ptr<const CsvColumns> columns;  // CSV only
  std::shared_ptr<const WikiSite> site;       // MediaWiki only
  std::optional<SkipReason> skip_because;     // set: the record holds no document; its bytes have no meaning
};

// One thread.
class RecordCutter {
 public:
  virtual ~RecordCutter() = default;
  // The next record of `stream`, which is the same one in every call; no value at its end. Errors as ByteSource's.
  virtual Result<std::optional<Cut>> next(ContentStream& stream) = 0;
};

// simdjson reads so many bytes past a record. A string with this much spare capacity need not be copied for it.
inline constexpr std::size_t kParserSlack = 64;

// Appends a piece of a record. A record that has grown long gets capacity for `max_bytes` at once: untouched pages take
// no memory, whereas a string that doubles exists twice while it is copied.
void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes);

// Puts records of at most `max_bytes` together from pieces.
class PieceCollector {
 public:
  explicit PieceCollector(std::size_t max_bytes);
  // Sets cut.problem if the record becomes too long; its further pieces are dropped.
  void append(std::string_view piece, Cut& cut) const;

 private:
  std::size_t max_bytes_;
  std::string too_long_why_;
};

}  // namespace frond::indexer::ingest
