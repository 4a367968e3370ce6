#include "common/partition/terms/term_files.h"

#include <utility>

#include <rocksdb/iterator.h>

#include "common/partition/files/database.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"

namespace frond::partition {
namespace {

class Cursor final : public TermCursor {
 public:
  explicit Cursor(std::shared_ptr<const Database> database)
      : database_(std::move(database)), iterator_(database_->iterator(Family::kTerms)) {}

  Result<bool> next() override {
    return guarded(database_->folder().string(), [&]() -> Result<bool> {
      if (std::exchange(started_, true))
        iterator_->Next();
      else
        iterator_->SeekToFirst();
      if (!iterator_->Valid()) {
        const auto status = iterator_->status();
        const std::string where = database_->folder().string() + ": terms";
        if (status.IsPathNotFound()) return Error(Code::kNotFound, where + ": " + status.ToString());
        if (!status.ok()) return error_of(status, where);
        return false;
      }
      auto record = decode_term(bytes_of(iterator_->value()));
      if (!record) return std::move(record).error().within(database_->where(Family::kTerms, term()));
      statistics_ = record->statistics;
      inline_list_ = record->inline_list;
      return true;
    });
  }
  std::string_view term() const override { return text_of(iterator_->key()); }
  const TermStatistics& statistics() const override { return statistics_; }
  ByteView inline_list() const override { return inline_list_; }

 private:
  const std::shared_ptr<const Database> database_;
  const std::unique_ptr<rocksdb::Iterator> iterator_;  // destroyed before the database
  TermStatistics statistics_;
  ByteView inline_list_;  // in the iterator's value
  bool started_ = false;
};

}  // namespace

std::unique_ptr<TermCursor> terms_of(std::shared_ptr<const Database> database) {
  return std::make_unique<Cursor>(std::move(database));
}

std::unique_ptr<TermCursor> terms_of_files(const std::filesystem::path& folder, std::span<const PartitionFile> files) {
  return terms_of(Database::of_files(folder, files, FileReads::kBuffered));
}

}  // namespace frond::partition
