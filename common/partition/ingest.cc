// Makes a database of a partition's files.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "common/files/write.h"
#include "common/partition/files/database.h"
#include "common/partition/files/rocks.h"
#include "common/partition/partition.h"

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// The default file system, except that syncs of files and folders succeed without doing anything: RocksDB would sync
// some thirty times an ingestion. Whoever keeps the database syncs its files and folder after closing it.
class UnsyncedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
};

class UnsyncedFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus FsyncWithDirOptions(const IOOptions& /*options*/, IODebugContext* /*debug*/,
                               const rocksdb::DirFsyncOptions& /*how*/) override {
    return IOStatus::OK();
  }
};

class UnsyncedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "unsynced"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->NewWritableFile(name, options, file, debug), file);
  }
  IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->ReopenWritableFile(name, options, file, debug), file);
  }
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->ReuseWritableFile(name, old_name, options, file, debug), file);
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder, IODebugContext* debug) override {
    IOStatus opened = target()->NewDirectory(name, options, folder, debug);
    if (opened.ok()) *folder = std::make_unique<UnsyncedFolder>(std::move(*folder));
    return opened;
  }

 private:
  static IOStatus wrapped(IOStatus opened, std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (opened.ok()) *file = std::make_unique<UnsyncedFile>(std::move(*file));
    return opened;
  }
};

namespace fs = std::filesystem;

Result<Family> family_of(std::string_view file) {
  const auto dash = file.rfind('-');
  const auto at = std::find(kFamilyNames.begin(), kFamilyNames.end(), file.substr(0, dash));
  if (dash == std::string_view::npos || at == kFamilyNames.end() || !file.ends_with(".sst") ||
      file.find('/') != std::string_view::npos)
    return Error(Code::kCorrupt, "file " + printable(file) + " belongs to no table");
  return static_cast<Family>(at - kFamilyNames.begin());
}

using FilesByFamily = std::map<Family, std::vector<std::string>>;

Result<FilesByFamily> sort_files(const fs::path& folder, std::span<const PartitionFile> files) {
  FilesByFamily by_family;
  for (const auto& file : files) {
    const Family family = FROND_TRY(family_of(file.name));
    const fs::path path = folder / file.name;
    std::error_code failed;
    const auto bytes = fs::file_size(path, failed);
    if (failed) {
      const bool absent = failed == std::errc::no_such_file_or_directory;
      return Error(absent ? Code::kCorrupt : Code::kUnavailable, path.string() + ": " + failed.message());
    }
    if (bytes != file.bytes)
      return Error(Code::kCorrupt,
                   path.string() + ": " + std::to_string(bytes) + " bytes, expected " + std::to_string(file.bytes));
    by_family[family].push_back(path.string());
  }
  return by_family;
}

// Makes hard links in a folder of their own, for RocksDB to move, so that the originals stay. False if links fail.
bool link_all(FilesByFamily& files, const fs::path& folder) {
  FilesByFamily linked;
  std::error_code failed;
  fs::remove_all(folder, failed);
  fs::create_directories(folder, failed);
  for (const auto& [family, paths] : files) {
    for (const auto& path : paths) {
      const fs::path link = folder / fs::path(path).filename();
      fs::create_hard_link(path, link, failed);
      if (failed) return false;
      linked[family].push_back(link.string());
    }
  }
  files = std::move(linked);
  return true;
}

// Ends before its database, which asserts that: also where only some families could be made.
struct FamilyHandles {
  explicit FamilyHandles(rocksdb::DB& of) : db(of) {}
  ~FamilyHandles() {
    for (auto* handle : handles) db.DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  FamilyHandles(const FamilyHandles&) = delete;
  FamilyHandles& operator=(const FamilyHandles&) = delete;

  rocksdb::DB& db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
};

Result<void> ingest_into(const fs::path& folder, const FilesByFamily& files, bool move, bool verify_blocks,
                         FileReads reads) {
  // Outlives the database. Files that are kept are synced once, after all are written.
  const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<UnsyncedFileSystem>(rocksdb::FileSystem::Default()));
  rocksdb::Options options = table_options(reads);
  options.create_if_missing = true;
  options.env = env.get();
  rocksdb::DB* raw = nullptr;
  auto status = rocksdb::DB::Open(options, folder.string(), &raw);
  if (!status.ok()) return error_of(status, folder.string());
  const std::unique_ptr<rocksdb::DB> db(raw);
  // All in one call: otherwise each would write and sync the options again.
  auto descriptors = family_descriptors(reads);
  descriptors.erase(descriptors.begin());
  {
    FamilyHandles families(*db);
    status = db->CreateColumnFamilies(descriptors, &families.handles);
    if (!status.ok()) return error_of(status, folder.string());
    std::vector<rocksdb::IngestExternalFileArg> arguments;
    for (const auto& [family, paths] : files) {
      rocksdb::IngestExternalFileArg argument;
      argument.column_family = families.handles[static_cast<std::size_t>(family)];
      argument.external_files = paths;
      argument.options.move_files = move;
      argument.options.snapshot_consistency = false;
      argument.options.write_global_seqno = false;  // never write into a file that may be a link
      argument.options.verify_file_checksum = false;
      // Debian's RocksDB is built with assertions, and ingesting a damaged file trips one. Costs 0.3 s a GB.
      argument.options.verify_checksums_before_ingest = verify_blocks;
      arguments.push_back(std::move(argument));
    }
    status = db->IngestExternalFiles(arguments);
  }
  if (!status.ok()) return error_of(status, folder.string());
  const auto closed = db->Close();
  if (!closed.ok()) return error_of(closed, folder.string());
  return {};
}

// Syncs every file of the database, then its folder.
Result<void> sync_database(const fs::path& database) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(database, failed))
    if (entry.is_regular_file()) FROND_TRY(files::sync(entry.path()));
  if (failed) return Error(Code::kUnavailable, database.string() + ": " + failed.message());
  return files::sync(database);
}

Result<void> mark_complete(const fs::path& database) {
  return files::write_file(completion_mark(database),
                           "frond partition, format " + std::to_string(kFormatVersion) + "\n");
}

Result<void> sync_mark(const fs::path& database) {
  FROND_TRY(files::sync(completion_mark(database)));
  FROND_TRY(files::sync(database));
  return files::sync_parent(database);
}

}  // namespace

Result<void> Partition::ingest(const fs::path& files_folder, std::span<const PartitionFile> files,
                               const fs::path& database, bool move, bool verify_blocks) {
  return guarded(database.string(), [&]() -> Result<void> {
    if (complete(database)) return Error(Code::kInvalid, database.string() + ": a complete partition is there already");
    FilesByFamily by_family = FROND_TRY(sort_files(files_folder, files));
    if (by_family[Family::kArrays].empty())
      return Error(Code::kCorrupt, files_folder.string() + ": no file of the table 'arrays'");
    std::error_code failed;
    fs::remove_all(database, failed);
    if (!failed) fs::create_directories(database, failed);
    if (failed) return Error(Code::kUnavailable, database.string() + ": " + failed.message());
    const fs::path links = database / "links";
    const bool linked = !move && link_all(by_family, links);
    FROND_TRY(ingest_into(database, by_family, move || linked, verify_blocks,
                          move ? FileReads::kCopied : FileReads::kBuffered));
    fs::remove_all(links, failed);
    // The mark says that everything else is there, so it is written after everything else was synced.
    if (move) FROND_TRY(sync_database(database));
    FROND_TRY(mark_complete(database));
    return move ? sync_mark(database) : Result<void>();
  });
}

bool Partition::complete(const fs::path& database) {
  std::error_code failed;
  return fs::is_regular_file(completion_mark(database), failed);
}

}  // namespace frond::partition
