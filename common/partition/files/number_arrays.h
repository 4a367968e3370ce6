#pragma once
// Reads arrays of numbers in table `arrays` (Column of format.h) as a whole. Internal: includes RocksDB.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/partition/files/database.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"

namespace frond::partition {

// Reads a column of at most `size` numbers; empty if the partition does not have it.
template <class Number = std::uint32_t>
Result<std::vector<Number>> read_column(const Database& database, const Column& column, std::uint64_t size) {
  const std::string_view prefix = column.prefix;
  const std::string name = database.folder().string() + ": arrays: " + std::string(prefix);
  std::vector<Number> numbers;
  const auto iterator = database.iterator(Family::kArrays);
  for (iterator->Seek(slice_of(prefix)); iterator->Valid(); iterator->Next()) {
    const std::string_view key = text_of(iterator->key());
    if (!key.starts_with(prefix)) break;
    const ByteView value = bytes_of(iterator->value());
    const std::size_t count = value.size() / sizeof(Number);
    if (key.size() != prefix.size() + 4 || read_be32(key.substr(prefix.size())) != numbers.size() ||
        value.size() % sizeof(Number) != 0 || numbers.size() + count > size)
      return Error(Code::kCorrupt, name + " values do not follow each other");
    if (numbers.empty() && count == column.per_value()) numbers.reserve(size);
    const std::size_t at = numbers.size();
    numbers.resize(at + count);
    if (count > 0) std::memcpy(numbers.data() + at, value.data(), value.size());
  }
  if (!iterator->status().ok()) return error_of(iterator->status(), name);
  return numbers;
}

// One number for each document, or none if the partition does not have them. what: as messages call them.
template <class Number = std::uint32_t>
Result<std::vector<Number>> read_by_document(const Database& database, const Column& column, std::uint64_t documents,
                                             const char* what, bool needed) {
  auto numbers = FROND_TRY(read_column<Number>(database, column, documents));
  if (numbers.size() == documents || (numbers.empty() && !needed)) return numbers;
  return Error(Code::kCorrupt, database.folder().string() + ": " + std::to_string(numbers.size()) + " " + what +
                                   " of " + std::to_string(documents) + " documents");
}

}  // namespace frond::partition
