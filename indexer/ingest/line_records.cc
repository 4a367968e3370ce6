#include "indexer/ingest/line_records.h"

#include "indexer/ingest/parse_cost.h"
#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

LineRecords::LineRecords(const RawRecord& lines)
    : lines_(lines),
      rest_(std::string_view(lines.bytes).substr(lines.front)),
      readable_end_(lines.bytes.data() + lines.bytes.capacity()),
      record_{.format = lines.format, .file = lines.file, .encoding = lines.encoding} {}

RawRecord* LineRecords::next() {
  while (!rest_.empty()) {
    place_ = next_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    const std::size_t bytes = line.size() + (end != rest_.npos);
    rest_.remove_prefix(bytes);
    next_ = {next_.line + 1, next_.begin + static_cast<std::uint32_t>(bytes)};
    const RecordPlace place = place_of(lines_, place_);
    if (place.number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank_line(line)) continue;
    record_.number = place.number;
    record_.offset = place.offset;
    record_.line = line;
    record_.line_slack = static_cast<std::size_t>(readable_end_ - (line.data() + line.size()));
    const ParseCost cost = parse_cost(record_);
    record_.parse_bytes = cost.bytes;
    record_.tree_bytes = cost.tree_bytes;
    return &record_;
  }
  return nullptr;
}

}  // namespace frond::indexer::ingest
