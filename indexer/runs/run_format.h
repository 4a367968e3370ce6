#pragma once
// Constants of the run file: docs/formats/run-file.md.
#include <cstddef>
#include <cstdint>

namespace frond::indexer::runs {

inline constexpr std::uint32_t kRunMagic = 0x4e555246;  // "FRUN"
inline constexpr std::uint32_t kRunVersion = 1;
inline constexpr std::size_t kRunHeaderBytes = 16;    // magic, version, partition, 0
inline constexpr std::size_t kFrameHeaderBytes = 16;  // payload bytes, records, XXH3-64 of the payload
inline constexpr std::size_t kFramePayloadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxRecordPostings = 1024;  // bounds what a reader holds of a record
inline constexpr std::size_t kRunTrailerBytes = 16;      // records, postings: the payload of the last frame
inline constexpr std::size_t kMaxRunTermBytes = 1024;

}  // namespace frond::indexer::runs
