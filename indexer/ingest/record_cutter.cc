#include "indexer/ingest/record_cutter.h"

#include "indexer/ingest/input_limits.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kLongRecord = 1 << 20;

}  // namespace

Result<bool> RecordCutter::pass(ContentStream& stream, std::uint64_t cuts, std::uint64_t offset,
                                const std::stop_token& stop) {
  for (std::uint64_t done = 0; done < cuts; ++done) {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    if (!FROND_TRY(next(stream))) return false;
  }
  return stream.offset() == offset;
}

void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes) {
  if (record.size() + piece.size() > kLongRecord && record.capacity() < max_bytes)
    record.reserve(max_bytes + kParserSlack);
  record.append(piece);
}

PieceCollector::PieceCollector(std::size_t max_bytes) : max_bytes_(max_bytes), too_long_why_(too_long(max_bytes)) {}

void PieceCollector::append(std::string_view piece, Cut& cut) const {
  if (cut.bytes.size() + piece.size() > max_bytes_) {
    cut.problem = too_long_why_;
    cut.bytes = {};
  }
  if (cut.problem.empty()) append_piece(cut.bytes, piece, max_bytes_);
}

}  // namespace frond::indexer::ingest
