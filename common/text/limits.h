#pragma once
// Limits of the fields that answers carry, which bound an answer's size: 1,000 hits with the longest fields are 3.5
// MiB. The indexer enforces them when it reads a document. Partitions built before these limits existed may hold longer
// fields, so leaves cut what they read.
#include <cstddef>

namespace frond::text {

// Documents with longer ids are refused, since a cut id could equal another document's.
inline constexpr std::size_t kMaxIdBytes = 512;
// Longer titles are cut between characters.
inline constexpr std::size_t kMaxTitleBytes = 1024;
// Longer URLs are left out, since a cut URL leads elsewhere.
inline constexpr std::size_t kMaxUrlBytes = 2048;

// Bytes of a term, which has at least one and no NUL. Partitions store no longer terms, and requests to leaves carry
// none.
inline constexpr std::size_t kMaxTermBytes = 1024;

}  // namespace frond::text
