#pragma once
// How long the inputs may be, before they are read.
#include <cstdint>
#include <filesystem>
#include <span>

namespace frond::indexer::ingest {

// Whether the inputs may have more than `bytes`, decompressed. Reads sizes and first bytes of files: a compressed one
// is taken for 100 times its size; of a pipe, or of what cannot be read now, nothing is known. hidden: as InputWalk.
bool may_exceed(std::span<const std::filesystem::path> inputs, bool hidden, std::uint64_t bytes);

}  // namespace frond::indexer::ingest
