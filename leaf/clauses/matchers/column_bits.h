#pragma once
// Documents by their values.
#include "common/base/result.h"
#include "leaf/clauses/matchers/bits_matcher.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// Of `documents` documents, those that match.
DocumentBits column_bits(const ColumnNode& node, const SearchedPartition& partition, std::uint32_t documents);
DocumentBits text_bits(const TextNode& node, const SearchedPartition& partition, std::uint32_t documents);
// Errors: kCorrupt, kUnavailable.
Result<DocumentBits> id_bits(const IdsNode& node, const SearchedPartition& partition, std::uint32_t documents);

}  // namespace frond::leaf::clauses
