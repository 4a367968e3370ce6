#include "leaf/clauses/matchers/column_bits.h"

#include <algorithm>
#include <optional>

#include "leaf/clauses/resolve/wildcard.h"

namespace frond::leaf::clauses {
namespace {

DocumentBits no_bits(std::uint32_t documents) { return DocumentBits((std::size_t{documents} + 63) / 64); }

std::optional<partition::ValueColumn::Bound> bound_of(const std::optional<query::Bound>& bound) {
  if (!bound) return {};
  return partition::ValueColumn::Bound{bound->value, bound->inclusive};
}

}  // namespace

DocumentBits column_bits(const ColumnNode& node, const SearchedPartition& partition, std::uint32_t documents) {
  DocumentBits bits = no_bits(documents);
  const partition::ValueColumn* const column = partition.column(node.field);
  if (column == nullptr) return bits;
  if (const auto* terms = node.leaf.as<query::Terms>()) {
    column->match_any(terms->values, bits);
  } else if (const auto* range = node.leaf.as<query::Range>()) {
    column->match_range(bound_of(range->from), bound_of(range->to), bits);
  } else if (const auto* prefix = node.leaf.as<query::Prefix>()) {
    column->match_keywords([&](std::string_view value) { return value.starts_with(prefix->text); }, bits);
  } else if (const auto* wildcard = node.leaf.as<query::Wildcard>()) {
    const WildcardPattern pattern(wildcard->pattern);
    column->match_keywords([&](std::string_view value) { return pattern.matches(value); }, bits);
  } else {
    column->match_exists(bits);
  }
  return bits;
}

DocumentBits text_bits(const TextNode& node, const SearchedPartition& partition, std::uint32_t documents) {
  DocumentBits bits = no_bits(documents);
  const std::span<const std::uint32_t> lengths = partition.lengths_in(node.field);
  for (std::size_t i = 0; i < std::min<std::size_t>(documents, lengths.size()); ++i)
    bits[i / 64] |= std::uint64_t{lengths[i] != 0} << i % 64;
  return bits;
}

Result<DocumentBits> id_bits(const IdsNode& node, const SearchedPartition& partition, std::uint32_t documents) {
  DocumentBits bits = no_bits(documents);
  for (const std::string& id : node.ids) {
    const Result<DocId> docid = partition.docid_of(id);
    if (!docid && docid.error().code() != Code::kNotFound) return docid.error();
    if (docid && *docid < documents) bits[*docid / 64] |= std::uint64_t{1} << *docid % 64;
  }
  return bits;
}

}  // namespace frond::leaf::clauses
