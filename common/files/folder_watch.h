#pragma once
// Tells when files of a folder are replaced: inotify(7). It sees what processes of this machine do, not what others do
// on a network file system, so whoever must not miss a change also looks now and then.
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::files {

class FolderWatch {
 public:
  // A file got this name, by a rename. Events may be lost when very many are waiting: then `overflow`.
  struct Event {
    int folder = 0;  // as add() gave it
    std::string name;
    bool overflow = false;
    bool gone = false;  // the folder is not watched any more: it was removed, or renamed
  };
  // kUnavailable: the system has no more watches to give.
  static Result<FolderWatch> open();
  // kNotFound: there is no such folder; kUnavailable. The number of a folder that is watched already is the same.
  Result<int> add(const std::filesystem::path& folder);
  void remove(int folder);
  // What has happened since the last call; does not wait. Readable when something has.
  std::vector<Event> events();
  int fd() const { return inotify_.get(); }

 private:
  explicit FolderWatch(Descriptor inotify) : inotify_(std::move(inotify)) {}
  Descriptor inotify_;
};

// Ends another thread's poll(2): a descriptor that becomes readable once, and stays so. Thread-safe.
class Interrupt {
 public:
  Interrupt();  // throws std::system_error if the process has no descriptor left
  void raise();
  bool raised() const;
  int fd() const { return event_.get(); }

 private:
  Descriptor event_;
};

}  // namespace frond::files
