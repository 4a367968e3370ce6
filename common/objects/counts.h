#pragma once
// What an ObjectStore has done since it was opened: for metrics. Any thread.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/metrics/registry.h"

namespace frond::objects {

enum class Kind { kGet, kHead, kPut, kPart, kUpload, kList, kDelete };
inline constexpr std::array<std::string_view, 7> kKindNames = {"get",    "head", "put",   "part",
                                                               "upload", "list", "delete"};

// Of one request: kRefused is a condition that did not hold; kDenied 401 and 403; kOverloaded 429 and 503; kBroken no
// connection, or one that was lost; kLate too slow; kOther anything else.
enum class Outcome { kOk, kNotFound, kRefused, kDenied, kOverloaded, kServerError, kBroken, kLate, kOther };
inline constexpr std::array<std::string_view, 9> kOutcomeNames = {
    "ok", "not_found", "refused", "denied", "overloaded", "server_error", "broken", "late", "other"};

struct Counts {
  std::array<std::array<std::atomic<std::uint64_t>, kOutcomeNames.size()>, kKindNames.size()> requests{};
  std::array<std::atomic<std::uint64_t>, kKindNames.size()> microseconds{};
  std::atomic<std::uint64_t> bytes_sent = 0, bytes_received = 0;  // of bodies
  std::atomic<std::uint64_t> retries = 0;

  void add(Kind kind, Outcome outcome, std::uint64_t spent_us) {
    ++requests[static_cast<std::size_t>(kind)][static_cast<std::size_t>(outcome)];
    microseconds[static_cast<std::size_t>(kind)] += spent_us;
  }
};

// Requests to an object store as metrics, the same in every process that makes them: a process's names for them.
struct RequestFamilies {
  metrics::Family requests;  // by kind and outcome
  metrics::Family seconds;   // by kind
  metrics::Family bytes;     // by direction
  metrics::Family retries;
};

// `counts` outlives the registry's last exposition.
void export_requests(metrics::Registry& registry, const RequestFamilies& families, const Counts& counts);

}  // namespace frond::objects
