#include "tools/bench/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace frond::tools::bench {

namespace fs = std::filesystem;

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::create() {
  std::error_code failure;
  std::string name = (fs::temp_directory_path(failure) / "frond-bench-XXXXXX").string();
  if (failure) return Error(Code::kUnavailable, "no folder for temporary files: " + failure.message());
  if (::mkdtemp(name.data()) == nullptr)
    return Error(Code::kUnavailable, name + ": " + std::generic_category().message(errno));
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(name));
}

ScratchFolder::ScratchFolder(fs::path path) : path_(std::move(path)) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace frond::tools::bench
