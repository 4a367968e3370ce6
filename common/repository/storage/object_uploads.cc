// Many files to a bucket, several at a time.
#include <algorithm>
#include <vector>

#include "common/base/threads/parallel.h"
#include "common/files/read.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

// How many are uploaded at once. A large one has up to Access::connections parts in memory. Small ones mostly wait for
// the store's answer.
constexpr std::size_t kLargeAtOnce = 4, kSmallAtOnce = 16;
constexpr std::uint64_t kSmall = 512 << 10;  // bytes; less than a part

using Put = std::function<Result<void>(const Upload&, const std::function<bool()>&)>;

Result<void> upload_some(std::span<const Upload> uploads, std::size_t at_once, const Put& put,
                         const std::function<bool()>& stopping) {
  FirstError failure;
  const auto stop = [&, token = failure.token()] { return token.stop_requested() || (stopping && stopping()); };
  return in_parallel(failure, uploads.size(), at_once, [&](std::size_t i) { return put(uploads[i], stop); });
}

}  // namespace

Result<void> upload_all(std::vector<Upload> uploads, std::uint64_t part_bytes, const Put& put,
                        const std::function<bool()>& stopping) {
  // The largest first, so that the last ones to end are short.
  std::sort(uploads.begin(), uploads.end(), [](const Upload& a, const Upload& b) { return a.bytes > b.bytes; });
  const auto small =
      std::ranges::find_if(uploads, [&](const Upload& one) { return one.bytes <= std::min(kSmall, part_bytes); });
  FROND_TRY(upload_some({uploads.begin(), small}, kLargeAtOnce, put, stopping));
  return upload_some({small, uploads.end()}, kSmallAtOnce, put, stopping);
}

Result<std::vector<Upload>> uploads_of(const fs::path& local, const std::string& key) {
  std::vector<Upload> uploads;
  for (const fs::path& file : FROND_TRY(files::entries_of(local))) {
    std::error_code failed;
    uploads.push_back({file, key + "/" + file.filename().string(), fs::file_size(file, failed)});
    if (failed) return Error(Code::kUnavailable, file.string() + ": " + failed.message());
  }
  return uploads;
}

}  // namespace frond::repository
