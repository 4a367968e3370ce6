#pragma once
// A segment of a list, or all of it, as a device codes it (docs/adr/0045-lists-are-coded-on-the-device.md). A plain
// struct, the same on both sides.
#include <cstdint>

namespace frond::indexer::runs {

struct EncodedPiece {
  std::uint32_t term;  // of the slice
  std::uint16_t partition;
  std::uint16_t last;   // 1: of its list
  std::uint32_t count;  // postings
  std::uint32_t begin;  // of its blob; before that is written: its first posting
  std::uint32_t bytes;  // of its blob
  std::uint32_t code;   // of a short blob: the deficit's byte, the Rice parameters of docIDs and of frequencies; of a
                        // long one: 16 bytes of its docID stream
  std::uint64_t occurrences;
};

}  // namespace frond::indexer::runs
