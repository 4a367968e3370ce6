#pragma once
// A folder for the databases of a generation that is read as a whole, by a check or an export.
#include <filesystem>
#include <memory>
#include <optional>

#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::indexer::check {

// "<collection>/.check-XXXXXX", or where that cannot be made, in the system's folder for temporary files. It is locked,
// so that a writer does not remove it as a dead check's. Removed with this object.
class Scratch {
 public:
  // kUnavailable.
  static Result<std::unique_ptr<Scratch>> make(const std::filesystem::path& collection);
  Scratch(std::filesystem::path path, std::optional<files::Descriptor> lock);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<files::Descriptor> lock_;
};

}  // namespace frond::indexer::check
