#include "common/partition/files/file_tables.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/sst_file_reader.h>

#include "common/partition/files/rocks.h"
#include "common/partition/published_partition.h"

namespace frond::partition {
namespace {

// An iterator pins the index of the file that it is in, so whoever reads in order needs no more. A generation's
// partitions may all be read at once.
constexpr std::size_t kSmallIndexCacheBytes = std::size_t{256} << 10;

rocksdb::ReadOptions read_options() {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

rocksdb::Options options_of(rocksdb::Env& env, FileReads reads) {
  rocksdb::Options options = table_options(reads, kSmallIndexCacheBytes);
  options.env = &env;
  return options;
}

}  // namespace

Result<void> expect_tables(std::span<const PartitionFile> files) {
  std::set<std::string_view> names;
  for (const auto& [name, bytes, xxh3] : files) {
    const std::size_t dash = name.rfind('-');
    if (std::ranges::find(kFamilyNames, std::string_view(name).substr(0, dash)) == kFamilyNames.end() ||
        dash == std::string::npos || !name.ends_with(".sst") || name.find_first_of("/ \n") != std::string::npos)
      return Error(Code::kCorrupt, "file " + printable(name) + " belongs to no table");
    if (!names.insert(name).second) return Error(Code::kCorrupt, "file " + printable(name) + " is listed twice");
  }
  return {};
}

struct FileTables::File {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::shared_ptr<rocksdb::SstFileReader> reader;  // null: not open
  std::optional<std::string> first;                // key; none: not read yet

  std::unique_ptr<rocksdb::Iterator> iterator() const {
    return std::unique_ptr<rocksdb::Iterator>(reader->NewIterator(read_options()));
  }
};

// Goes from file to file. At most one is iterated over at a time.
class FileTables::Over final : public rocksdb::Iterator {
 public:
  Over(FileTables& tables, const Files& files) : tables_(tables), files_(files) {}

  bool Valid() const override { return status_.ok() && here_ && here_->Valid(); }
  rocksdb::Slice key() const override { return here_->key(); }
  rocksdb::Slice value() const override { return here_->value(); }
  rocksdb::Status status() const override { return status_.ok() && here_ ? here_->status() : status_; }

  void SeekToFirst() override {
    if (enter(0)) here_->SeekToFirst();
    skip_forward();
  }
  void SeekToLast() override {
    if (enter(files_.size() - 1)) here_->SeekToLast();
    skip_backward();
  }
  void Seek(const rocksdb::Slice& key) override {
    if (enter_for(key)) here_->Seek(key);
    skip_forward();
  }
  void SeekForPrev(const rocksdb::Slice& key) override {
    if (enter_for(key)) here_->SeekForPrev(key);
    skip_backward();
  }
  void Next() override {
    here_->Next();
    skip_forward();
  }
  void Prev() override {
    here_->Prev();
    skip_backward();
  }

 private:
  bool enter_for(const rocksdb::Slice& key) {
    status_ = rocksdb::Status::OK();
    std::size_t found = 0;
    if (!files_.empty()) status_ = tables_.find(files_, text_of(key), found);
    return status_.ok() && enter(found);
  }
  bool enter(std::size_t number) {
    status_ = rocksdb::Status::OK();
    if (here_ && at_ == number) return true;  // it may hold the block that is wanted next
    here_.reset();
    reader_.reset();
    at_ = number;
    if (number >= files_.size()) return false;
    status_ = tables_.open(*files_[number]);
    if (!status_.ok()) return false;
    reader_ = files_[number]->reader;
    here_ = files_[number]->iterator();
    return true;
  }
  // What goes past a file has no more use for it.
  bool go_on(std::size_t number) {
    if (tables_.closes_passed_) files_[at_]->reader.reset();
    return enter(number);
  }
  void skip_forward() {
    while (here_ && !here_->Valid() && here_->status().ok() && at_ + 1 < files_.size())
      if (go_on(at_ + 1)) here_->SeekToFirst();
  }
  void skip_backward() {
    while (here_ && !here_->Valid() && here_->status().ok() && at_ > 0)
      if (go_on(at_ - 1)) here_->SeekToLast();
  }

  FileTables& tables_;
  const Files& files_;
  std::size_t at_ = 0;
  std::shared_ptr<const rocksdb::SstFileReader> reader_;  // outlives here_
  std::unique_ptr<rocksdb::Iterator> here_;
  rocksdb::Status status_;  // of opening a file
};

FileTables::FileTables(const std::filesystem::path& folder, std::span<const PartitionFile> files, rocksdb::Env& env,
                       FileReads reads, OfFamily of_family)
    : options_(options_of(env, reads)), closes_passed_(reads == FileReads::kBuffered) {
  for (const PartitionFile& file : files)
    for (std::size_t family = 0; family < kFamilyNames.size(); ++family)
      if (of_family(static_cast<Family>(family), file.name))
        files_[family].push_back(std::make_unique<File>(File{folder / file.name, file.bytes, nullptr, std::nullopt}));
}
FileTables::~FileTables() = default;

rocksdb::Status FileTables::open(File& file) const {
  if (file.reader) return rocksdb::Status::OK();
  std::uint64_t bytes = 0;
  if (const auto found = options_.env->GetFileSize(file.path.string(), &bytes); !found.ok())
    return found.IsPathNotFound() ? rocksdb::Status::PathNotFound(file.path.string())
                                  : rocksdb::Status::IOError(file.path.string(), found.ToString());
  if (bytes != file.bytes)
    return rocksdb::Status::Corruption(file.path.string(),
                                       std::to_string(bytes) + " bytes, expected " + std::to_string(file.bytes));
  auto reader = std::make_shared<rocksdb::SstFileReader>(options_);
  auto opened = reader->Open(file.path.string());
  if (!opened.ok()) return opened;
  file.reader = std::move(reader);
  return rocksdb::Status::OK();
}

rocksdb::Status FileTables::learn_first(File& file) const {
  if (file.first) return rocksdb::Status::OK();
  if (auto opened = open(file); !opened.ok()) return opened;
  const auto iterator = file.iterator();
  iterator->SeekToFirst();
  if (!iterator->status().ok()) return iterator->status();
  file.first = iterator->Valid() ? iterator->key().ToString() : std::string();
  return rocksdb::Status::OK();
}

rocksdb::Status FileTables::find(const Files& files, std::string_view key, std::size_t& found) const {
  std::size_t begin = 0, end = files.size();
  while (end - begin > 1) {
    const std::size_t middle = (begin + end) / 2;
    if (auto learnt = learn_first(*files[middle]); !learnt.ok()) return learnt;
    (*files[middle]->first <= key ? begin : end) = middle;
  }
  found = begin;
  return open(*files[found]);
}

rocksdb::Status FileTables::open_all() {
  closes_passed_ = false;
  for (Files& files : files_) {
    for (const auto& file : files)
      if (auto opened = files.size() == 1 ? open(*file) : learn_first(*file); !opened.ok()) return opened;
    if (files.size() < 2) continue;
    std::ranges::sort(files, {}, [](const auto& file) -> const std::string& { return *file->first; });
  }
  return rocksdb::Status::OK();
}

rocksdb::Status FileTables::verify_checksums() {
  for (const Files& files : files_)
    for (const auto& file : files)
      if (file->reader)
        if (auto verified = file->reader->VerifyChecksum(); !verified.ok()) return verified;
  return rocksdb::Status::OK();
}

rocksdb::Status FileTables::prepare(Family family, std::string_view key) {
  const Files& files = files_[static_cast<std::size_t>(family)];
  std::size_t found = 0;
  return files.empty() ? rocksdb::Status::NotFound() : find(files, key, found);
}

rocksdb::Status FileTables::get(Family family, std::string_view key, rocksdb::PinnableSlice& value) {
  const Files& files = files_[static_cast<std::size_t>(family)];
  std::size_t found = 0;
  if (files.empty()) return rocksdb::Status::NotFound();
  if (auto opened = find(files, key, found); !opened.ok()) return opened;
  const auto iterator = files[found]->iterator();
  iterator->Seek(slice_of(key));
  if (!iterator->status().ok()) return iterator->status();
  if (!iterator->Valid() || text_of(iterator->key()) != key) return rocksdb::Status::NotFound();
  value.PinSelf(iterator->value());
  return rocksdb::Status::OK();
}

std::unique_ptr<rocksdb::Iterator> FileTables::iterator(Family family) {
  return std::make_unique<Over>(*this, files_[static_cast<std::size_t>(family)]);
}

}  // namespace frond::partition
