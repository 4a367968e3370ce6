#include "indexer/check/scratch.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/files/write.h"
#include "common/repository/repository.h"

namespace frond::indexer::check {
namespace fs = std::filesystem;

Result<std::unique_ptr<Scratch>> Scratch::make(const fs::path& collection) {
  for (const fs::path& parent : {collection, fs::temp_directory_path()}) {
    std::string name = (parent / (std::string(repository::kCheckFolderPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) continue;
    auto locked = files::try_lock_folder(name);
    return std::make_unique<Scratch>(name, locked ? *std::move(locked) : std::nullopt);
  }
  return Error(Code::kUnavailable, collection.string() + ": no scratch folder: " + std::strerror(errno));
}

Scratch::Scratch(fs::path path, std::optional<files::Descriptor> lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}
Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace frond::indexer::check
