#pragma once
// The terms of each document, from the postings of runs. The input of graph bisection.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::indexer::order {

// Terms with fewer documents are left out: they have few postings, and no order brings many of these together.
inline constexpr std::uint32_t kMinDocuments = 32;

struct ForwardIndex {
  std::uint32_t terms = 0;  // numbered from 0, those of more documents first
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> term_numbers;  // those of document d are [begins[d], begins[d + 1])

  std::uint32_t documents() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  std::span<const std::uint32_t> of(std::uint32_t document) const {
    return std::span(term_numbers).subspan(begins[document], begins[document + 1] - begins[document]);
  }
};

// Calls visit(term, docids, frequencies) for each term of at most kMaxFanIn runs of partition 0, in byte order, with
// all its postings. kCorrupt: the message names the run, or a docID is not below `documents`; kUnavailable: the disk,
// or stopped; and errors of visit.
using VisitList = std::function<Result<void>(std::string_view, std::span<const DocId>, std::span<const Frequency>)>;
Result<void> for_each_list(std::span<const std::filesystem::path> runs, std::uint32_t documents,
                           const std::stop_token& stop, const VisitList& visit);

// Reads, twice, at most kMaxFanIn runs of partition 0, whose docIDs are below `documents`. kInvalid: the index and its
// bisection by `threads` do not fit into max_bytes; kCorrupt: the message names the run; kUnavailable: the disk, or
// stopped.
Result<ForwardIndex> read_forward_index(std::span<const std::filesystem::path> runs, std::uint32_t documents,
                                        std::uint32_t threads, std::uint64_t max_bytes, std::stop_token stop);

}  // namespace frond::indexer::order
