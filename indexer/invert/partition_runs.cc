#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert {

void PartitionRuns::begin_part(Part& part, std::uint32_t partition) {
  if (part.docids.empty()) {
    part.partition = partition;
    part.docids.resize(postings_ahead(static_cast<std::uint32_t>(parts_.size())));
    part.frequencies.resize(part.docids.size());
  }
  if (!part.is_open) open_.push_back(&part);
  part.is_open = true;
}

Result<void> PartitionRuns::end_term(std::string_view term) {
  if (failed_) return *std::move(failed_);
  for (Part* const part : open_) {
    part->is_open = false;
    if (part->postings > 0) FROND_TRY(write(term, *part));
  }
  open_.clear();
  return {};
}

Result<void> PartitionRuns::finish(std::vector<runs::RunFile>& to) {
  for (Part& part : parts_)
    if (part.run) to.push_back(FROND_TRY(part.run->finish()));
  return {};
}

Result<void> PartitionRuns::write(std::string_view term, Part& part) {
  if (!part.run) {
    const auto name = label_ + "-p" + std::to_string(part.partition) + ".run";
    part.run = FROND_TRY(runs::RunWriter::create(folder_ / name, part.partition, frame_bytes_));
  }
  const std::size_t postings = std::exchange(part.postings, 0);
  return part.run->add(term, std::span(part.docids).first(postings), std::span(part.frequencies).first(postings));
}

}  // namespace frond::indexer::invert
