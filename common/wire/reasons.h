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
enum class UnsearchedReason : std::uint8_t {
  kDeadline,
  kOverloaded,
  kCorrupt,
  kUnavailable,
  kUnknownGeneration,
  kInvalidQuery
};

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
    {UnsearchedReason::kInvalidQuery, "invalid_query",
     "The leaf refuses the query: a prefix or wildcard stands for too many terms, for example. The whole answer is 400 "
     "then."},
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
    case Code::kInvalid:
      return UnsearchedReason::kInvalidQuery;
    default:
      return UnsearchedReason::kUnavailable;
  }
}

struct UnsearchedPartition {
  std::uint32_t partition = 0;  // its number in the generation
  UnsearchedReason reason = UnsearchedReason::kUnavailable;
};

// Why a leaf ran a search where it did: the only table of these reasons, with their names and what each means. Leaves
// send a reason as a number (leaf.capnp); the profile of the HTTP API shows its name. docs/http-api.md and openapi.json
// list the same rows; a test compares them. How the search ran is in SearchRun of messages.h.

// The numbers are those of the schema's enum. A reader takes numbers that it does not know as kUnknown.
enum class RunReason : std::uint8_t {
  kUnknown,
  kNoGpu,
  kGpuLost,
  kRequested,
  kFewPostings,
  kNoHits,
  kSuited,
  kFreeFirst,
  kStolen,
  kUrgent,
  kInTime,
  kSooner,
  kGpuLeft,
  kUnscheduled,
  kNothing,
  kPriors,
  kNoGpuRoom,
  kClause
};
struct RunReasonRow {
  RunReason reason;
  std::string_view name;     // in the HTTP API
  std::string_view meaning;  // one sentence
};
inline constexpr RunReasonRow kRunReasons[] = {
    {RunReason::kUnknown, "unknown", "The leaf is newer than the broker, which does not know its reason."},
    {RunReason::kNoGpu, "no_gpu", "The leaf has no GPU."},
    {RunReason::kGpuLost, "gpu_lost", "The leaf's GPU has failed."},
    {RunReason::kRequested, "requested", "The request names the processor."},
    {RunReason::kFewPostings, "few_postings", "The lists are shorter than `--gpu-least-postings`, so the CPU ran it."},
    {RunReason::kNoHits, "no_hits", "A ranked search for 0 hits, which no request of this API is; the CPU ran it."},
    {RunReason::kSuited, "suited", "It is predicted to take less time on this processor."},
    {RunReason::kFreeFirst, "free_first", "It suits both processors, and this one had time first."},
    {RunReason::kStolen, "stolen",
     "It waited for the other processor; this one had nothing of its own to do and ends it sooner."},
    {RunReason::kUrgent, "urgent", "Its deadline was near, or it had waited long; this processor had time first."},
    {RunReason::kInTime, "in_time", "It suits the other processor, which is predicted to end it too late."},
    {RunReason::kSooner, "sooner", "It suits the CPU, where so much waits that the GPU ends it in half of the time."},
    {RunReason::kGpuLeft, "gpu_left",
     "The GPU left some of its partitions to the CPU: their lists are not there, or it cannot run the search."},
    {RunReason::kUnscheduled, "unscheduled", "The scheduler took no more searches, so the CPU ran it at once."},
    {RunReason::kNothing, "nothing", "Nothing ran: no partition has what is searched for, or the time was over."},
    {RunReason::kPriors, "priors", "Documents have static priors, which the GPU of this older leaf does not add."},
    {RunReason::kNoGpuRoom, "no_gpu_room",
     "The GPU has no room for a partition's priors, removed documents, columns, lengths in a field or texts' "
     "sequences, so the CPU ran it."},
    {RunReason::kClause, "clause",
     "It is none of the clauses that a GPU takes, or the scheduler took no more searches; the CPU ran it."},
};
inline constexpr RunReason kLastRunReason = kRunReasons[std::size(kRunReasons) - 1].reason;
constexpr std::string_view name_of(RunReason reason) { return kRunReasons[static_cast<std::size_t>(reason)].name; }

// In which queue it waited: that of a processor, or the third one.
enum class RunQueue : std::uint8_t { kNone, kCpu, kGpu, kEither };
inline constexpr std::string_view kRunQueues[] = {"none", "cpu", "gpu", "either"};

// Whether the GPU had all lists of the search when it was asked.
enum class Resident : std::uint8_t { kNotAsked, kNo, kYes };

}  // namespace frond::wire
