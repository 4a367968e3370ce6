#pragma once
// Writes what an inverter holds as runs, one a partition, terms in byte order.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/invert/inverter.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::invert {

// Documents go to partitions in turn: document n is docID n / P of partition n mod P.
class RoundRobin {
 public:
  explicit RoundRobin(std::uint32_t partitions)
      : partitions_(partitions), reciprocal_(~std::uint64_t{0} / partitions + 1) {}
  struct Place {
    std::uint32_t partition = 0;
    DocId docid = 0;
  };
  Place place_of(std::uint64_t document) const {
    const std::uint64_t docid = quotient(document);
    return {static_cast<std::uint32_t>(document - docid * partitions_), static_cast<DocId>(docid)};
  }

 private:
  // A division, which each posting needs, takes long where a multiplication is exact.
  std::uint64_t quotient(std::uint64_t document) const {
    if (partitions_ == 1) return document;
    if (document >> 32 != 0) return document / partitions_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(reciprocal_) * document >> 64);
  }
  std::uint64_t partitions_;
  std::uint64_t reciprocal_;  // 2^64 by the number of partitions, rounded up
};

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
      : folder_(std::move(folder)),
        label_(std::move(label)),
        frame_bytes_(frame_bytes),
        round_robin_(partitions),
        parts_(partitions) {}

  // A posting of the term at hand; documents ascend strictly. Errors are kept for end_term().
  void add(std::string_view term, DocumentNumber document, Frequency frequency) {
    const RoundRobin::Place place = round_robin_.place_of(document);
    Part& part = parts_[place.partition];
    if (part.postings == 0) begin_part(part, place.partition);
    part.docids[part.postings] = place.docid;
    part.frequencies[part.postings] = frequency;
    if (++part.postings < part.docids.size()) return;
    if (!failed_)
      if (auto written = write(term, part); !written) failed_ = std::move(written).error();
    part.postings = 0;  // also after an error, so that what comes until end_term() has room
  }
  // kUnavailable: the disk; the message names the file.
  Result<void> end_term(std::string_view term);
  // Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  struct Part {
    std::uint32_t partition = 0;
    std::optional<runs::RunWriter> run;
    std::size_t postings = 0;  // of the term at hand, that its run does not have
    bool is_open = false;      // it is in open_
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
  };
  void begin_part(Part& part, std::uint32_t partition);
  Result<void> write(std::string_view term, Part& part);

  std::filesystem::path folder_;
  std::string label_;
  std::size_t frame_bytes_;
  RoundRobin round_robin_;
  std::vector<Part> parts_;
  std::vector<Part*> open_;  // those that have postings of the term at hand
  std::optional<Error> failed_;
};

}  // namespace frond::indexer::invert
