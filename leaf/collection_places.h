#pragma once
// Where the leaf's collections come from, and where their files are.
//
// One collection has the data folder itself, the others have folders of the same layout in it: collections/NAME. So a
// leaf that gets a second collection keeps what it fetched of the first. Which one has the folder itself: the one whose
// generation the folder remembers; if that is not served, the first one without a folder of its own.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/repository/repository.h"
#include "leaf/generation/data_folder.h"
#include "leaf/options.h"

namespace frond::leaf {

struct CollectionPlace {
  std::string name;
  std::unique_ptr<repository::RepositorySource> source;
  const generation::DataFolder* folder = nullptr;
  std::unique_ptr<generation::DataFolder> own_folder;  // what `folder` points to, unless that is the data folder itself
};
// One for each --collection, in order, without folders. A collection that a directory does not have yet is told in the
// log. kInvalid also: the directory does not exist. Errors: as RepositorySource::open().
Result<std::vector<CollectionPlace>> open_sources(const Options& options, Logger& log);
// Sets the folders. Deletes the folders of collections that the leaf no longer serves, and says so in the log.
// `root` is the open data folder at `path`; it outlives the places. Errors name the flag: kUnavailable, a folder cannot
// be made.
Result<void> open_folders(std::vector<CollectionPlace>& places, const std::filesystem::path& path,
                          const generation::DataFolder& root, Logger& log);

}  // namespace frond::leaf
