#include "tools/commands/output_file.h"

#include <iostream>
#include <system_error>

#include "common/files/write.h"

namespace frond::tools {

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!draft_.empty()) std::filesystem::remove(draft_, ignored);
}

Result<std::ostream*> OutputFile::stream() {
  if (standard()) return &std::cout;
  if (file_.is_open()) return &file_;
  std::error_code none;
  const auto status = std::filesystem::status(output_, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_.open(output_);
  } else {
    target_ =
        std::filesystem::exists(status) ? std::filesystem::canonical(output_, none) : std::filesystem::path(output_);
    draft_ = target_.string() + std::string(files::kDraftSuffix);
    file_.open(draft_);
  }
  if (!file_) return cannot_write();
  return &file_;
}

Result<void> OutputFile::flush() {
  std::ostream& out = *FROND_TRY(stream());
  if (!out.flush()) return cannot_write();
  return {};
}

Result<void> OutputFile::finish() {
  FROND_TRY(flush());
  if (draft_.empty()) return {};
  file_.close();
  if (!file_) return cannot_write();
  FROND_TRY(files::rename(draft_, target_));
  draft_.clear();
  return {};
}

}  // namespace frond::tools
