#include "indexer/ingest/streams/input_limits.h"

#include <algorithm>

namespace frond::indexer::ingest {
namespace {

constexpr std::uint64_t kRecordShare = 16, kWindowShare = 8;

}  // namespace

InputLimits InputLimits::of(std::uint64_t memory_limit) {
  InputLimits limits;
  limits.memory_limit = memory_limit;
  limits.record_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kMaxRecordBytes, memory_limit / kRecordShare));
  limits.window_bytes = std::min(kMaxWindowBytes, memory_limit / kWindowShare);
  return limits;
}

std::string in_mebibytes(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

std::string too_long(std::size_t max_bytes) {
  std::string why = "longer than the limit of " + in_mebibytes(max_bytes);
  if (max_bytes < kMaxRecordBytes) why += ", a 16th of --memory-limit";
  return why;
}

std::string InputLimits::too_wide(std::string_view what, std::uint64_t window, std::uint64_t max) const {
  const std::string why = std::string(what) + " " + in_mebibytes(window);
  if (window > max) return why + "; at most " + in_mebibytes(max) + " are read";
  return why + ", more than an eighth of --memory-limit (" + in_mebibytes(memory_limit) + "); it takes a limit of " +
         in_mebibytes(window * kWindowShare);
}

}  // namespace frond::indexer::ingest
