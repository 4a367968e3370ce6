#pragma once
// The scratch folder of a build: <collection>/builds/<name>/, which no other build touches as long as this one runs. It
// is below the repository, so that it outlives the process, and finished partitions reach their place without a copy.
//
// A build that is killed leaves its folder. The next build with the same identity goes on with it. Other builds remove
// it: at once if it holds nothing to go on with, otherwise when it is a day old or when two younger ones are left.
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "indexer/resume/journal.h"

namespace frond::indexer::resume {

inline constexpr const char* kBuildsFolder = "builds";
inline constexpr std::size_t kMaxRemains = 2;

// One thread. Locked as long as it exists; then removed, unless it is kept.
class BuildFolder {
 public:
  // Takes the folder that a build of this identity left in the collection's folder, and removes from it what its
  // journal does not name; or makes a new one, and removes the other if `resume` is not set. No identity: takes none.
  // The caller holds the collection's LOCK. kUnavailable: the disk.
  static Result<std::unique_ptr<BuildFolder>> claim(const std::filesystem::path& collection,
                                                    const std::optional<BuildIdentity>& identity, bool resume,
                                                    Logger& logger);
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // What the killed build had done. No value: this one begins.
  const std::optional<Journal>& journal() const { return journal_; }
  // Leaves the folder for the next build of the same identity.
  void keep() { kept_ = true; }

 private:
  BuildFolder(std::filesystem::path path, files::Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  files::Descriptor lock_;
  std::optional<Journal> journal_;
  bool kept_ = false;
};

// The program that runs: version and checksum. Two different builds of the program differ in it. No value: the program
// can't be read.
std::optional<std::string> this_program();

// No value: an input is not a file or folder that can be read a second time, such as a pipe.
std::optional<ingest::InputSummary> input_identity(std::span<const std::filesystem::path> inputs, bool hidden);

// For people, the first thing that is not the same: "--stemmer was porter, and is none now". Empty: all is the same.
std::string difference(const BuildIdentity& before, const BuildIdentity& now);

// Removes what builds that do not run any more have left. Returns how many there were. The caller holds LOCK.
std::size_t remove_remains(const std::filesystem::path& collection);

}  // namespace frond::indexer::resume
