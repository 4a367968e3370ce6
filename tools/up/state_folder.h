#pragma once
// What `frond up` keeps, all in one folder, which only its user can read:
//   LOCK               locked while it, or a program that it started, runs
//   up.json            what the folder was made of
//   api.key, api.entry the key of scopes search, write and admin, and its line of a key file
//   repository/, leaf/ the collection, and the leaf's folder, whose files are links to the repository's
//   run/               local sockets of the programs
//   log/NAME.log       what each program writes; when it is long it becomes NAME.log.1, and a new one begins
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::tools::up {

class StateFolder {
 public:
  // What the folder was made of. Inputs are absolute paths, in the order in which they were given; none: documents come
  // over HTTP.
  struct Origin {
    std::string collection;
    std::vector<std::string> inputs;
  };

  // Makes the folder, or opens one that `frond up` made, and locks it. kInvalid: it is something else; kUnavailable: it
  // can't be made or written, or it is in use.
  // Where programs of one that was killed run still it waits for their end, which `say` is told.
  using Say = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<StateFolder>> open(
      const std::filesystem::path& root, const Say& say = [](const std::string&) {});

  std::filesystem::path path(const std::string& name) const { return root_ / name; }
  const std::filesystem::path& root() const { return root_; }  // absolute
  const std::string& key() const { return key_; }
  // The lock, which programs inherit, so that it outlives this process as long as one of them runs.
  int lock() const { return lock_.get(); }

  // Empty collection: nothing was remembered yet.
  Result<Origin> origin() const;
  Result<void> remember(const Origin& origin) const;
  // Whether a generation of the collection is published.
  bool has_generation(const std::string& collection) const;

 private:
  StateFolder(std::filesystem::path root, files::Descriptor lock) : root_(std::move(root)), lock_(std::move(lock)) {}
  Result<void> make_key();

  const std::filesystem::path root_;
  const files::Descriptor lock_;
  std::string key_;
};

}  // namespace frond::tools::up
