#pragma once
// The values of many documents of a chunk, in loops over codes of one width.
#include <array>
#include <cstdint>
#include <span>

#include "common/partition/values/chunk_bits.h"
#include "common/partition/values/value_column.h"
#include "leaf/clauses/matchers/matcher.h"

namespace frond::leaf::collect {

using Chunk = partition::ValueColumn::Chunk;
using clauses::Bits;
using clauses::kWindow;
static_assert(kWindow == partition::ColumnChunkWriter::kChunkDocuments, "a window is a chunk");

template <class Number, class Visit>
void for_each_code_of(const Chunk& chunk, const Bits& documents, const Visit& visit) {
  const auto code = [&](std::uint32_t place) -> std::uint64_t {
    return load_le<Number>(chunk.codes + std::size_t{place} * sizeof(Number));
  };
  if (chunk.offsets == nullptr) {
    if constexpr (sizeof(Number) < sizeof(std::uint64_t)) {
      std::array<std::uint32_t, kWindow + partition::kTakeSlack> codes;  // not cleared
      const std::uint32_t count = partition::take_codes(chunk, documents.data(), codes.data());
      for (std::uint32_t i = 0; i < count; ++i) visit(std::uint64_t{codes[i]}, true);
      return;
    }
    return clauses::for_each(documents, [&](std::uint32_t document) { visit(code(document), true); });
  }
  clauses::for_each(documents, [&](std::uint32_t document) {
    const auto [begin, end] = chunk.places(document);
    for (std::uint32_t place = begin; place < end; ++place) visit(code(place), place == begin);
  });
}

// One value, so at most one a document.
template <class Visit>
void for_each_without_codes(const Bits& documents, const Visit& visit) {
  clauses::for_each(documents, [&](std::uint32_t) { visit(std::uint64_t{0}, true); });
}

// A document in a bucket of the facet around, which has a number, its slot.
struct Row {
  std::uint32_t document = 0, slot = 0;
};

template <class Number, class Visit>
void for_each_code_of(const Chunk& chunk, std::span<const Row> rows, const Visit& visit) {
  for (const Row& row : rows) {
    const auto [begin, end] = chunk.places(row.document);
    for (std::uint32_t place = begin; place < end; ++place)
      visit(std::uint64_t{load_le<Number>(chunk.codes + std::size_t{place} * sizeof(Number))}, place == begin, row);
  }
}

template <class Visit>
void for_each_without_codes(std::span<const Row> rows, const Visit& visit) {
  for (const Row& row : rows) visit(std::uint64_t{0}, true, row);
}

// Calls visit(code, is_first) for each value of documents (Bits), or visit(code, is_first, row) of rows. All of them
// have some: of a document ascending, the first one told.
template <class Documents, class Visit>
void for_each_code(const Chunk& chunk, const Documents& documents, const Visit& visit) {
  switch (chunk.width) {
    case 1:
      return for_each_code_of<std::uint8_t>(chunk, documents, visit);
    case 2:
      return for_each_code_of<std::uint16_t>(chunk, documents, visit);
    case 4:
      return for_each_code_of<std::uint32_t>(chunk, documents, visit);
    case 8:
      return for_each_code_of<std::uint64_t>(chunk, documents, visit);
    default:
      return for_each_without_codes(documents, visit);
  }
}

}  // namespace frond::leaf::collect
