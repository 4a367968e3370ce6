#pragma once
// Where a command writes its result: standard output, or a file that gets its name, in place of an older one, when all
// of it is written. What is no regular file (a pipe, /dev/null) is written as it stands. One thread.
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "common/base/result.h"

namespace frond::tools {

class OutputFile {
 public:
  // "-" is standard output.
  explicit OutputFile(std::string output) : output_(std::move(output)) {}
  ~OutputFile();  // without finish() nothing stays of a regular file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // The first call opens the file. kInvalid, with its name, as of the others.
  Result<std::ostream*> stream();
  // What was written so far is with the system, so that a full disk is noticed.
  Result<void> flush();
  Result<void> finish();
  bool standard() const { return output_ == "-"; }

 private:
  Error cannot_write() const { return {Code::kInvalid, output_ + ": can't be written"}; }

  std::string output_;
  std::filesystem::path target_, draft_;  // draft_ empty: there is none to remove
  std::ofstream file_;
};

}  // namespace frond::tools
