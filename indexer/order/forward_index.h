#pragma once
// Which terms each document has: runs, turned round. What graph bisection works on.
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/result.h"

namespace frond::indexer::order {

// Terms of fewer documents are left out: their postings are few, and hardly any two of them can come nearer.
inline constexpr std::uint32_t kLeastDocuments = 32;

struct ForwardIndex {
  std::uint32_t terms = 0;  // numbered from 0, those of more documents first
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> term_numbers;  // of document d: begins[d] .. begins[d + 1]

  std::uint32_t documents() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  std::span<const std::uint32_t> of(std::uint32_t document) const {
    return std::span(term_numbers).subspan(begins[document], begins[document + 1] - begins[document]);
  }
};

// At most kMaxFanIn runs of partition 0, whose docIDs are below `documents`; read twice. kInvalid: the index, and its
// bisection by `threads`, do not fit into max_bytes; kCorrupt names a run; kUnavailable: the disk, or stopped.
Result<ForwardIndex> read_forward_index(std::span<const std::filesystem::path> runs, std::uint32_t documents,
                                        std::uint32_t threads, std::uint64_t max_bytes, std::stop_token stop);

}  // namespace frond::indexer::order
