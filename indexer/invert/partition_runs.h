#pragma once
// Writes what an inverter holds as runs, one a partition, terms in byte order.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/invert/inverter.h"
#include "indexer/runs/run_writer.h"

namespace frond::indexer::invert {

// One thread. Holds a frame for each partition, and the postings of one term that are not in it yet.
class PartitionRuns {
 public:
  // Postings of a term that are collected for a partition before they are added to its run.
  static constexpr std::size_t postings_ahead(std::uint32_t partitions) { return partitions < 16 ? 4096 : 256; }
  static constexpr std::uint64_t bytes(std::uint32_t partitions, std::size_t frame_bytes) {
    return std::uint64_t{partitions} * (frame_bytes + runs::RunWriter::kRecordBytes + 8 * postings_ahead(partitions));
  }

  // Runs are written to `folder` as "<label>-p<partition>.run", in frames of at most `frame_bytes`.
  PartitionRuns(std::filesystem::path folder, std::string label, std::uint32_t partitions, std::size_t frame_bytes)
      : folder_(std::move(folder)), label_(std::move(label)), frame_bytes_(frame_bytes), parts_(partitions) {}

  // A posting of the term at hand; documents ascend strictly. Errors are kept for end_term().
  void add(std::string_view term, DocumentNumber document, Frequency frequency) {
    if (parts_.size() == 1) return add(term, 0, document, frequency);
    add(term, static_cast<std::uint32_t>(document % parts_.size()), document / parts_.size(), frequency);
  }
  // kUnavailable: the disk; the message names the file.
  Result<void> end_term(std::string_view term);
  // Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  struct Part {
    std::optional<runs::RunWriter> run;
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
  };
  void add(std::string_view term, std::uint32_t partition, std::uint64_t docid, Frequency frequency) {
    Part& part = parts_[partition];
    part.docids.push_back(static_cast<DocId>(docid));
    part.frequencies.push_back(frequency);
    if (part.docids.size() < postings_ahead(static_cast<std::uint32_t>(parts_.size())) || failed_) return;
    if (auto written = write(term, partition); !written) failed_ = std::move(written).error();
  }
  Result<void> write(std::string_view term, std::uint32_t partition);

  std::filesystem::path folder_;
  std::string label_;
  std::size_t frame_bytes_;
  std::vector<Part> parts_;
  std::optional<Error> failed_;
};

}  // namespace frond::indexer::invert
