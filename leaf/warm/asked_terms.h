#pragma once
// What searches asked for, kept on the disk so that the next generation, and the next process, fill their caches with
// it first (warmer.h).
//
// The file:   "FRNDASK1" | number of terms | for each: how often it was asked for (float), its bytes | XXH3 of these
//
// A damaged file counts as none: the largest lists are read first then, and no answer changes.
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::leaf::warm {

struct AskedTerm {
  std::string term;
  float times = 0;  // how often; older times count less
  friend bool operator==(const AskedTerm&, const AskedTerm&) = default;
};

inline constexpr std::size_t kMaxAskedTerms = 20'000;
inline constexpr std::size_t kMaxAskedBytes = std::size_t{4} << 20;  // of the file

// The most often asked first, at most kMaxAskedTerms, of both; what was known counts half. Equal ones by their bytes.
std::vector<AskedTerm> merged(std::vector<AskedTerm> known, std::vector<AskedTerm> now);

ByteBuffer to_bytes(const std::vector<AskedTerm>& terms);
// kCorrupt.
Result<std::vector<AskedTerm>> from_bytes(ByteView bytes);

// kNotFound: there is no file. kCorrupt, kUnavailable: the message names it.
Result<std::vector<AskedTerm>> read_asked(const std::filesystem::path& file);
// Replaces the file as a whole. kUnavailable.
Result<void> write_asked(const std::filesystem::path& file, const std::vector<AskedTerm>& terms);

}  // namespace frond::leaf::warm
