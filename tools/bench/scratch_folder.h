#pragma once
// A temporary folder, removed with its contents when the object is destroyed.
#include <filesystem>
#include <memory>

#include "common/base/result.h"

namespace frond::tools::bench {

class ScratchFolder {
 public:
  // Creates the folder in the system's temporary directory. kUnavailable: it cannot be created.
  static Result<std::unique_ptr<ScratchFolder>> create();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path);
  const std::filesystem::path path_;
};

}  // namespace frond::tools::bench
