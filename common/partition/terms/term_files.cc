#include "common/partition/terms/term_files.h"

#include <fcntl.h>

#include <utility>

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>

#include "common/files/descriptor.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"

namespace frond::partition {
namespace {

class FilesCursor final : public TermFilesCursor {
 public:
  FilesCursor(const std::filesystem::path& folder, std::span<const PartitionFile> files) {
    const std::string prefix = std::string(name_of(Family::kTerms)) + "-";
    for (const PartitionFile& file : files)
      if (file.name.starts_with(prefix)) files_.push_back(folder / file.name);
  }

  Result<bool> next() override {
    return guarded("terms", [&]() -> Result<bool> {
      if (iterator_ && !sought_) iterator_->Next();
      sought_ = false;
      while (!iterator_ || !iterator_->Valid()) {
        if (iterator_ && !iterator_->status().ok()) return error_of(iterator_->status(), name());
        if (opened_ == files_.size()) return false;
        FROND_TRY(open_next());
        iterator_->SeekToFirst();
      }
      auto record = decode_term(bytes_of(iterator_->value()));
      if (!record) return std::move(record).error().within(name() + ": " + printable(term()));
      statistics_ = record->statistics;
      inline_list_ = record->inline_list;
      return true;
    });
  }
  Result<void> seek(std::string_view first) override {
    return guarded("terms", [&]() -> Result<void> {
      if (!iterator_ && opened_ < files_.size()) FROND_TRY(open_next());
      for (sought_ = true; iterator_;) {
        iterator_->Seek(slice_of(first));
        if (!iterator_->status().ok()) return error_of(iterator_->status(), name());
        if (iterator_->Valid() || opened_ == files_.size()) return {};
        FROND_TRY(open_next());
      }
      return {};
    });
  }
  std::string_view term() const override { return text_of(iterator_->key()); }
  const TermStatistics& statistics() const override { return statistics_; }
  ByteView inline_list() const override { return inline_list_; }

 private:
  std::string name() const { return files_[opened_ - 1].string(); }

  Result<void> open_next() {
    iterator_.reset();
    FROND_TRY(files::open(files_[opened_], O_RDONLY));  // RocksDB would wait for a pipe
    reader_ = std::make_unique<rocksdb::SstFileReader>(table_options(FileReads::kBuffered));
    const auto status = reader_->Open(files_[opened_++].string());
    if (!status.ok()) return error_of(status, name());
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    iterator_.reset(reader_->NewIterator(options));
    return {};
  }

  std::vector<std::filesystem::path> files_;  // in the order of their terms
  std::size_t opened_ = 0;
  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::unique_ptr<rocksdb::Iterator> iterator_;  // destroyed before the reader
  TermStatistics statistics_;
  ByteView inline_list_;  // in the iterator's value
  bool sought_ = false;   // the iterator is where next() is to move to
};

}  // namespace

std::unique_ptr<TermFilesCursor> terms_of_files(const std::filesystem::path& folder,
                                                std::span<const PartitionFile> files) {
  return std::make_unique<FilesCursor>(folder, files);
}

}  // namespace frond::partition
