#pragma once
// Names, keys and limits of a partition's database (docs/formats/partition.md). Internal to this folder.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace frond::partition {

// Column families. RocksDB's own, `default`, stays empty.
enum class Family : std::uint8_t { kPostings, kTerms, kDocuments, kIds, kArrays };
inline constexpr std::array<std::string_view, 5> kFamilyNames = {"postings", "terms", "documents", "ids", "arrays"};
constexpr std::string_view name_of(Family family) { return kFamilyNames[static_cast<std::size_t>(family)]; }
// What the names of its files begin with.
inline std::string stem_of(Family family) { return std::string(name_of(family)) + "-"; }

inline constexpr std::uint32_t kFormatVersion = 1;
// Of a partition whose documents have priors; all else is as in version 1.
inline constexpr std::uint32_t kFormatVersionWithPriors = 2;
inline constexpr std::uint32_t kSummaryMagic = 0x54505246;  // "FRPT"
inline constexpr std::uint32_t kTotalsMagic = 0x53545246;   // "FRTS"

inline constexpr std::uint64_t kFileBytes = 256u << 20;    // a table is cut into files of about this size
inline constexpr std::size_t kInlineListBytes = 256;       // lists up to this size lie inside the term's record
inline constexpr std::size_t kNumbersPerValue = 1u << 20;  // of an array: 4 MiB of u32
inline constexpr std::size_t kDigestsPerValue = 1u << 19;  // of term digests: 4 MiB of u64

// Keys of `arrays`, in byte order. After `heads/` follows the chunk's first docID, after the other prefixes the place
// of the value's first number in the array, u32 big-endian.
inline constexpr std::string_view kPriorsPrefix = "document-priors/";
inline constexpr std::string_view kHeadsPrefix = "heads/";
inline constexpr std::string_view kLengthsPrefix = "lengths/";
inline constexpr std::string_view kStoredBlocksPrefix = "stored-blocks/";
inline constexpr std::string_view kStoredHeadsPrefix = "stored-heads/";
inline constexpr std::string_view kSummaryKey = "summary";
inline constexpr std::string_view kTermDigestsPrefix = "term-digests/";
inline constexpr std::string_view kDictionaryKey = "zstd-dictionary";

// Big-endian, so that byte order is number order.
inline void append_be32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}
inline std::uint32_t read_be32(std::string_view four) {
  std::uint32_t value = 0;
  for (const char c : four.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// Heads are in files of their own, since they are written while the lengths are. Leaves of earlier versions, which know
// no heads, take the files for the table `arrays`, by what is before the dash.
inline constexpr std::string_view kHeadFiles = "arrays-heads";

// Priors are in files of their own, too. They come before heads by their keys, so the files' ranges do not overlap.
// Only manifests of a format that earlier versions refuse name such files (manifest.h).
inline constexpr std::string_view kPriorFiles = "arrays-priors";

inline std::string head_chunk_key(std::uint32_t first) {
  std::string key(kHeadsPrefix);
  append_be32(key, first);
  return key;
}

// A term has no NUL, so term ‖ 0x00 ‖ segment sorts by term, then by segment.
inline std::string list_key(std::string_view term, std::uint32_t segment) {
  std::string key;
  key.reserve(term.size() + 3);
  key.append(term).push_back('\0');
  key.push_back(static_cast<char>(segment >> 8));
  key.push_back(static_cast<char>(segment));
  return key;
}

}  // namespace frond::partition
