#include "common/partition/arrays.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "common/partition/format.h"
#include "common/partition/rocks.h"

namespace frond::partition {
namespace {

// Reads an array from its values; their keys are `prefix` and the place of the first number. At most `size` numbers.
template <class Number = std::uint32_t>
Result<std::vector<Number>> read_array(const Database& database, std::string_view prefix, std::uint64_t size) {
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
    if (numbers.empty() && count == kNumbersPerValue) numbers.reserve(size);
    const std::size_t at = numbers.size();
    numbers.resize(at + count);
    if (count > 0) std::memcpy(numbers.data() + at, value.data(), value.size());
  }
  if (!iterator->status().ok()) return error_of(iterator->status(), name);
  return numbers;
}

bool ascend_from_zero(std::span<const DocId> starts, std::uint64_t documents) {
  const bool ascending = std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end();
  return starts.front() == 0 && ascending && starts.back() < documents;
}

}  // namespace

Result<std::vector<std::uint32_t>> read_lengths(const Database& database, const PartitionSummary& summary) {
  auto lengths = FROND_TRY(read_array(database, kLengthsPrefix, summary.documents));
  const std::string name = database.folder().string();
  if (lengths.size() != summary.documents)
    return Error(Code::kCorrupt, name + ": " + std::to_string(lengths.size()) + " lengths of " +
                                     std::to_string(summary.documents) + " documents");
  const std::uint64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  if (tokens != summary.tokens)
    return Error(Code::kCorrupt, name + ": lengths sum to " + std::to_string(tokens) + ", the summary says " +
                                     std::to_string(summary.tokens) + " tokens");
  return lengths;
}

Result<std::vector<DocId>> read_block_starts(const Database& database, const SummaryRecord& record) {
  auto starts = FROND_TRY(read_array(database, kStoredBlocksPrefix, record.entries.document_blocks));
  if (starts.empty()) return starts;
  if (starts.size() != record.entries.document_blocks || !ascend_from_zero(starts, record.summary.documents))
    return Error(Code::kCorrupt, database.folder().string() + ": arrays: " + std::string(kStoredBlocksPrefix) +
                                     " are not where " + std::to_string(record.entries.document_blocks) +
                                     " blocks begin");
  return starts;
}

Result<std::vector<DocId>> read_head_starts(const Database& database, const PartitionSummary& summary) {
  auto starts = FROND_TRY(read_array(database, kStoredHeadsPrefix, summary.documents));
  if (!starts.empty() && !ascend_from_zero(starts, summary.documents))
    return Error(Code::kCorrupt, database.folder().string() + ": arrays: " + std::string(kStoredHeadsPrefix) +
                                     " are not where chunks begin");
  return starts;
}

Result<std::vector<std::uint64_t>> read_term_digests(const Database& database, const PartitionSummary& summary) {
  auto digests = FROND_TRY(read_array<std::uint64_t>(database, kTermDigestsPrefix, summary.documents));
  if (digests.empty() || digests.size() == summary.documents) return digests;
  return Error(Code::kCorrupt, database.folder().string() + ": " + std::to_string(digests.size()) +
                                   " term digests of " + std::to_string(summary.documents) + " documents");
}

Result<std::vector<scoring::Prior>> read_priors(const Database& database, const SummaryRecord& record) {
  if (!record.priors) return std::vector<scoring::Prior>();
  auto priors = FROND_TRY(read_array(database, kPriorsPrefix, record.summary.documents));
  const std::string name = database.folder().string();
  if (priors.empty() || priors.size() != record.summary.documents)
    return Error(Code::kCorrupt, name + ": " + std::to_string(priors.size()) + " priors of " +
                                     std::to_string(record.summary.documents) + " documents");
  if (*std::max_element(priors.begin(), priors.end()) > scoring::kMaxPrior)
    return Error(Code::kCorrupt, name + ": a prior is out of range");
  return priors;
}

}  // namespace frond::partition
