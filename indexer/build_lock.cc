#include "indexer/build_lock.h"

#include <condition_variable>

#include "common/base/mutex.h"
#include "common/files/lock.h"

namespace frond::indexer {
namespace {

bool is_held(const std::filesystem::path& lock) {
  const auto locked = files::try_lock_file(lock);
  return locked && !locked->has_value();
}

}  // namespace

Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(const std::filesystem::path& repository,
                                                                  const std::string& collection,
                                                                  std::chrono::milliseconds patience,
                                                                  const std::stop_token& stop,
                                                                  std::function<void(std::string_view)> before_step) {
  constexpr std::chrono::milliseconds kPause{50};
  const auto end = std::chrono::steady_clock::now() + patience;
  Mutex mutex;
  std::condition_variable_any wake;
  // The last turn begins after the end, so an error of another kind that comes once is not taken for a held lock.
  for (bool again = true;;) {
    auto writer = repository::RepositoryWriter::open(repository, collection, before_step);
    if (writer || writer.error().code() != Code::kUnavailable || !again) return writer;
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    again = std::chrono::steady_clock::now() < end;
    if (!is_held(repository / collection / "LOCK")) {
      again = false;  // the disk, or it was released just now
      continue;
    }
    MutexLock lock(mutex);
    wake.wait_for(mutex, stop, kPause, [] { return false; });
  }
}

}  // namespace frond::indexer
