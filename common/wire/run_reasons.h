#pragma once
// Why a leaf ran a search where it did: the only table of these reasons, with their names and what each means. Leaves
// send a reason as a number (leaf.capnp); the profile of the HTTP API shows its name. docs/http-api.md and openapi.json
// list the same rows; a test compares them. How the search ran is in SearchRun of messages.h.
#include <cstdint>
#include <iterator>
#include <string_view>

namespace frond::wire {

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
  kNoGpuRoom
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
     "The GPU has no room for a partition's static priors or removed documents, so the CPU ran it."},
};
inline constexpr RunReason kLastRunReason = kRunReasons[std::size(kRunReasons) - 1].reason;
constexpr std::string_view name_of(RunReason reason) { return kRunReasons[static_cast<std::size_t>(reason)].name; }

// In which queue it waited: that of a processor, or the third one.
enum class RunQueue : std::uint8_t { kNone, kCpu, kGpu, kEither };
inline constexpr std::string_view kRunQueues[] = {"none", "cpu", "gpu", "either"};

// Whether the GPU had all lists of the search when it was asked.
enum class Resident : std::uint8_t { kNotAsked, kNo, kYes };

}  // namespace frond::wire
