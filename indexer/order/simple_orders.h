#pragma once
// Orders that need no postings, as order[place] = document of the input.
#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/base/result.h"

namespace frond::indexer::order {

// By the bytes of the URL, then by the input's order. Holds all URLs. kInvalid: they do not fit into max_bytes;
// kCorrupt: the spool is damaged or does not hold `documents` documents.
Result<std::vector<std::uint32_t>> url_order(const std::filesystem::path& spool, std::uint32_t documents,
                                             std::uint64_t max_bytes);

// Fisher and Yates's shuffle by splitmix64 from a fixed seed: the same on every machine.
std::vector<std::uint32_t> random_order(std::uint32_t documents);

}  // namespace frond::indexer::order
