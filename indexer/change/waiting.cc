#include "indexer/change/waiting.h"

#include <algorithm>
#include <vector>

#include "common/base/threads/pause.h"
#include "common/files/read.h"
#include "common/files/write.h"

namespace frond::indexer::change {
namespace {

bool is_held(const std::filesystem::path& lock) {
  const auto locked = files::try_lock_file(lock);
  return locked && !locked->has_value();
}

}  // namespace

void empty_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : files::some_entries_of(folder)) std::filesystem::remove_all(entry, ignored);
}

Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(const ChangeOptions& options,
                                                                  const std::stop_token& stop,
                                                                  std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause{50}, kStorePause{1000};
  // A dead writer's lease ends by itself.
  constexpr std::chrono::seconds kBeyondLease{30};
  const bool in_store = objects::is_object_place(options.repository.string());
  if (in_store) patience = std::max(patience, std::chrono::milliseconds(options.objects.access.lease + kBeyondLease));
  const auto end = std::chrono::steady_clock::now() + patience;
  // The last turn begins after the end, so an error of another kind that comes once is not taken for a held lock.
  for (bool again = true;;) {
    auto writer = repository::RepositoryWriter::open(options.repository, options.collection, options.before_step,
                                                     options.objects);
    if (writer || !again) return writer;
    const Code why = writer.error().code();
    // LOCK that is held is kUnavailable, as a disk is that fails.
    if (why != Code::kOverloaded && (in_store || why != Code::kUnavailable)) return writer;
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    again = std::chrono::steady_clock::now() < end;
    if (why == Code::kUnavailable && !is_held(options.repository / options.collection / "LOCK"))
      again = false;  // the disk, or it was released just now
    else
      pause_for(in_store ? kStorePause : kPause, stop);
  }
}

Pace::Clock::duration Pace::owed(std::uint64_t bytes, Clock::time_point now) {
  constexpr std::chrono::milliseconds kShortest{20};
  if (rate_ == 0) return {};
  due_ = std::max(due_, now - kShortest);
  due_ += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_)));
  return due_ - now < kShortest ? Clock::duration{} : due_ - now;
}

Result<void> Pace::spend(std::uint64_t bytes, const std::stop_token& stop) {
  if (const auto wait = owed(bytes, Clock::now()); wait > Clock::duration{}) pause_for(wait, stop);
  if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  return {};
}

}  // namespace frond::indexer::change
