#include "indexer/build_lock.h"

#include <algorithm>
#include <condition_variable>

#include "common/base/mutex.h"
#include "common/files/write.h"

namespace frond::indexer {
namespace {

bool is_held(const std::filesystem::path& lock) {
  const auto locked = files::try_lock_file(lock);
  return locked && !locked->has_value();
}

}  // namespace

Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(
    const std::filesystem::path& repository, const std::string& collection, const repository::ObjectWriting& objects,
    std::chrono::milliseconds patience, const std::stop_token& stop,
    const std::function<void(std::string_view)>& before_step) {
  constexpr std::chrono::milliseconds kPause{50}, kStorePause{1000};
  // A dead writer's lease ends by itself.
  constexpr std::chrono::seconds kBeyondLease{30};
  if (objects::is_object_place(repository.string()))
    patience = std::max(patience, std::chrono::milliseconds(objects.access.lease + kBeyondLease));
  const auto end = std::chrono::steady_clock::now() + patience;
  Mutex mutex;
  std::condition_variable_any wake;
  // The last turn begins after the end, so an error of another kind that comes once is not taken for a held lock.
  for (bool again = true;;) {
    auto writer = repository::RepositoryWriter::open(repository, collection, before_step, objects);
    if (writer || !again) return writer;
    const bool in_store = objects::is_object_place(repository.string());
    const Code why = writer.error().code();
    // LOCK that is held is kUnavailable, as a disk is that fails.
    if (why != Code::kOverloaded && (in_store || why != Code::kUnavailable)) return writer;
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    again = std::chrono::steady_clock::now() < end;
    if (why == Code::kUnavailable && !is_held(repository / collection / "LOCK")) {
      again = false;  // the disk, or it was released just now
      continue;
    }
    MutexLock lock(mutex);
    wake.wait_for(mutex, stop, in_store ? kStorePause : kPause, [] { return false; });
  }
}

}  // namespace frond::indexer
