#include "indexer/ingest/warc_cutter.h"

#include <algorithm>
#include <utility>

#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/warc_record.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kKeptOfLine = 8 << 10;  // enough for the head of an ARC record

bool is_warc_record(std::string_view text) {
  if (!is_warc_version(take_line(text))) return false;
  const std::string_view field = text.substr(0, text.find_first_of("-:"));
  return text.empty() || same_name(field, "WARC") || same_name(field, "Content");
}

bool is_arc_record(std::string_view text) { return arc_head(take_line(text)).has_value(); }

class ArchiveCutter final : public RecordCutter {
 public:
  ArchiveCutter(bool arc, std::size_t max_bytes)
      : arc_(arc),
        blocks_(arc ? ArchiveBlocks::Beginning{"\nhttp", 1, is_arc_record}
                    : ArchiveBlocks::Beginning{"WARC/", 0, is_warc_record},
                max_bytes) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    Cut cut;
    if (!FROND_TRY(find_begin(stream, cut))) return std::optional<Cut>();
    cut.number = ++records_;
    if (cut.problem.empty()) FROND_TRY(read_record(stream, cut));
    if (!cut.problem.empty() || cut.skip_because) cut.bytes = {};
    return std::optional<Cut>(std::move(cut));
  }

 private:
  // Leaves the stream behind the first line of the next record. What stands before it other than empty lines is a bad
  // record. False: the end.
  Result<bool> find_begin(ContentStream& stream, Cut& cut) {
    if (!found_) FROND_TRY(find_first_line(stream));
    if (junk_) {
      cut.problem = arc_ ? "what is here is no ARC record" : "what is here is no WARC record";
      cut.offset = *junk_;
      junk_.reset();
      return true;
    }
    cut.offset = begin_;
    return std::exchange(found_, false);
  }
  Result<void> find_first_line(ContentStream& stream) {
    for (;;) {
      const std::uint64_t offset = stream.offset();
      if (!FROND_TRY(read_line(stream, line_))) return {};
      if (arc_ ? arc_head(line_).has_value() : is_warc_version(line_)) {
        begin_ = offset;
        found_ = true;
        return {};
      }
      if (!junk_ && !trimmed(line_).empty()) junk_ = offset;
    }
  }
  // Reads a line, of which it keeps the beginning. False: the end.
  static Result<bool> read_line(ContentStream& stream, std::string& line) {
    line.clear();
    for (bool any = false;; any = true) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) return any;
      const std::size_t end = window.find('\n');
      const std::string_view part = window.substr(0, end);
      line.append(part.substr(0, kKeptOfLine - line.size()));
      stream.consume(part.size() + (end != window.npos));
      if (end != window.npos) return true;
    }
  }

  Result<void> read_record(ContentStream& stream, Cut& cut) {
    if (arc_) return blocks_.read(stream, *arc_head(line_), cut);
    std::uint64_t left = kMaxWarcHead;
    std::string head;
    const std::size_t end = FROND_TRY(blocks_.read_head(stream, left, head));
    if (end == head.npos) {
      cut.problem = left == 0 ? "a WARC head longer than 64 KiB" : "the file ends inside the head of the record";
      return {};
    }
    const std::optional<WarcHead> warc = warc_head(head);
    if (warc) return blocks_.read(stream, *warc, cut);
    cut.problem = "a WARC record whose Content-Length is missing or no number";
    return {};
  }

  const bool arc_;
  ArchiveBlocks blocks_;
  std::string line_;  // the first of the record
  std::uint64_t records_ = 0, begin_ = 0;
  bool found_ = false;                 // the stream is behind line_
  std::optional<std::uint64_t> junk_;  // where something else began before it
};

}  // namespace

std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes) {
  return std::make_unique<ArchiveCutter>(/*arc=*/false, max_bytes);
}
std::unique_ptr<RecordCutter> arc_cutter(std::size_t max_bytes) {
  return std::make_unique<ArchiveCutter>(/*arc=*/true, max_bytes);
}

}  // namespace frond::indexer::ingest
