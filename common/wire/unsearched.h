#pragma once
// Why a partition has no part in an answer: the only table of reasons, with their names and what each means. Leaves
// send a reason as a number (leaf.capnp); metrics, logs and the HTTP API show its name. docs/http-api.md,
// docs/operations.md and openapi.json list the same rows; a test compares them.
//
// The HTTP API calls the unsearched partitions of an answer `coverage.degraded`, and frond_broker_searches_total calls
// the outcome of such a search `degraded`: these names are older than the word, and clients and dashboards rely on
// them.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "common/base/result.h"

namespace frond::wire {

// The numbers are those of the schema's enum.
enum class UnsearchedReason : std::uint8_t { kDeadline, kOverloaded, kCorrupt, kUnavailable, kUnknownGeneration };

struct UnsearchedReasonRow {
  UnsearchedReason reason;
  std::string_view name;     // in metrics, logs and the HTTP API
  std::string_view meaning;  // one sentence
};
inline constexpr UnsearchedReasonRow kUnsearchedReasons[] = {
    {UnsearchedReason::kDeadline, "deadline",
     "The time of the request was over before the partition was searched, or before its fields were read."},
    {UnsearchedReason::kOverloaded, "overloaded",
     "The leaf's queue was full, or too long for the time of the request, or the broker had as many requests open at "
     "the leaf as it may have."},
    {UnsearchedReason::kCorrupt, "corrupt",
     "The leaf found a list, a document or a file damaged, or the broker could not read the leaf's reply."},
    {UnsearchedReason::kUnavailable, "unavailable",
     "No leaf that is up has the partition, the connection was lost, or the leaf could not read its disk."},
    {UnsearchedReason::kUnknownGeneration, "unknown_generation",
     "The leaf does not serve the generation that the broker asked for, or has other content under its number."},
};
inline constexpr UnsearchedReason kLastUnsearchedReason = kUnsearchedReasons[std::size(kUnsearchedReasons) - 1].reason;
constexpr std::string_view name_of(UnsearchedReason reason) {
  return kUnsearchedReasons[static_cast<std::size_t>(reason)].name;
}

// The reason that a failure inside a leaf gives. A code without a reason of its own is kUnavailable; so is kNotFound: a
// leaf answers for an unknown generation before it searches, so kNotFound is then a partition that is no longer open.
// In broker::scatter::reason_of() it is kUnknownGeneration.
constexpr UnsearchedReason reason_of(Code code) {
  switch (code) {
    case Code::kDeadline:
      return UnsearchedReason::kDeadline;
    case Code::kOverloaded:
      return UnsearchedReason::kOverloaded;
    case Code::kCorrupt:
      return UnsearchedReason::kCorrupt;
    default:
      return UnsearchedReason::kUnavailable;
  }
}

struct UnsearchedPartition {
  std::uint32_t partition = 0;  // its number in the generation
  UnsearchedReason reason = UnsearchedReason::kUnavailable;
};

}  // namespace frond::wire
