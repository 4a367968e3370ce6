#pragma once
// A folder of one measurement's own, among the system's temporary files; removed with everything in it when the
// object goes.
#include <filesystem>
#include <memory>

#include "common/base/result.h"

namespace frond::tools {

class ScratchFolder {
 public:
  // kUnavailable: none can be made there.
  static Result<std::unique_ptr<ScratchFolder>> create();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path);
  const std::filesystem::path path_;
};

}  // namespace frond::tools
