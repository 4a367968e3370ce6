#pragma once
// Documents that were accepted and can't be indexed, whatever is tried. They are the lines of a file in the
// collection's folder, "not-indexed.jsonl", until somebody has looked at them and removes it:
//   {"id":…,"sequence":…,"reason":…,"document":…}, the document as it was posted.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {

inline constexpr const char* kNotIndexedFile = "not-indexed.jsonl";

// Thread-safe. Errors are kUnavailable, naming the file.
class NotIndexed {
 public:
  static constexpr std::size_t kMaxListed = 100;
  struct Document {
    std::string id;
    Sequence sequence = 0;
    std::string reason;
  };
  struct Listed {
    std::uint64_t documents = 0;  // in the file
    std::vector<Document> first;  // of these, kMaxListed at most
  };

  // Reads what there is. A line that was cut off, by a death while it was written, is removed.
  static Result<std::unique_ptr<NotIndexed>> open(const std::filesystem::path& folder);
  // Synced when it returns. The same change again, after a death, is added once.
  Result<void> add(const Operation& document, Sequence sequence, std::string_view reason);
  // Empty once the file is removed.
  Listed listed() const;
  const std::filesystem::path& file() const { return file_; }

 private:
  explicit NotIndexed(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> load();
  void forget_removed() const FROND_REQUIRES(mutex_);
  void note(Document document) FROND_REQUIRES(mutex_);

  const std::filesystem::path file_;
  mutable Mutex mutex_;
  mutable Listed listed_ FROND_GUARDED_BY(mutex_);
  mutable Sequence last_ FROND_GUARDED_BY(mutex_) = 0;  // that was added
};

}  // namespace frond::indexer::write
