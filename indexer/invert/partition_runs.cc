#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert {

Result<void> PartitionRuns::end_term(std::string_view term) {
  if (failed_) return *std::move(failed_);
  for (std::uint32_t p = 0; p < parts_.size(); ++p)
    if (!parts_[p].docids.empty()) FROND_TRY(write(term, p));
  return {};
}

Result<void> PartitionRuns::finish(std::vector<runs::RunFile>& to) {
  for (Part& part : parts_)
    if (part.run) to.push_back(FROND_TRY(part.run->finish()));
  return {};
}

Result<void> PartitionRuns::write(std::string_view term, std::uint32_t partition) {
  Part& part = parts_[partition];
  if (!part.run) {
    const auto name = label_ + "-p" + std::to_string(partition) + ".run";
    part.run = FROND_TRY(runs::RunWriter::create(folder_ / name, partition, frame_bytes_));
  }
  FROND_TRY(part.run->add(term, part.docids, part.frequencies));
  part.docids.clear();
  part.frequencies.clear();
  return {};
}

}  // namespace frond::indexer::invert
