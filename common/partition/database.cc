#include "common/partition/database.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "common/codec/list_codec.h"
#include "common/partition/rocks.h"

namespace frond::partition {

// What a PinnedBytes holds on to: RocksDB's pin, or a copy with slack. The database is released last.
class PinnedBytes::Pin {
 public:
  std::shared_ptr<const Database> database;
  rocksdb::PinnableSlice slice;
  ByteBuffer copy;
};

MappedFiles MappedFiles::of(const std::filesystem::path& folder) {
  MappedFiles files;
  std::error_code failed;
  const std::string prefix = std::filesystem::canonical(folder, failed).string() + "/";
  if (failed) return files;
  // Lines: "begin-end perms offset device inode    path"
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find('/');
    if (path == std::string::npos || line.compare(path, prefix.size(), prefix) != 0 || !line.ends_with(".sst"))
      continue;
    Range range{};
    const char* const end = line.data() + line.size();
    const auto first = std::from_chars(line.data(), end, range.begin, 16);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') continue;
    if (std::from_chars(first.ptr + 1, end, range.end, 16).ec == std::errc()) files.ranges_.push_back(range);
  }
  std::sort(files.ranges_.begin(), files.ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return files;
}

bool MappedFiles::holds(ByteView bytes, std::size_t slack) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                      [](std::uintptr_t at, const Range& range) { return at < range.begin; });
  return after != ranges_.begin() && begin + bytes.size() + slack <= std::prev(after)->end;
}

std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors() {
  const rocksdb::ColumnFamilyOptions options(table_options());
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors{{rocksdb::kDefaultColumnFamilyName, options}};
  for (const auto name : kFamilyNames) descriptors.emplace_back(std::string(name), options);
  return descriptors;
}

std::filesystem::path completion_mark(const std::filesystem::path& database) { return database / "COMPLETE"; }

Result<std::shared_ptr<const Database>> Database::open(const std::filesystem::path& folder) {
  return guarded(folder.string(), [&]() -> Result<std::shared_ptr<const Database>> {
    std::shared_ptr<Database> database(new Database);
    database->folder_ = folder;
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::OpenForReadOnly(rocksdb::DBOptions(table_options()), folder.string(),
                                                     family_descriptors(), &database->handles_, &db);
    if (!status.ok()) return error_of(status, folder.string());
    database->db_.reset(db);
    std::copy(database->handles_.begin() + 1, database->handles_.end(), database->families_.begin());
    database->mapped_ = MappedFiles::of(folder);
    return std::shared_ptr<const Database>(std::move(database));
  });
}

Database::~Database() {
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
}

std::string Database::where(Family family, std::string_view key) const {
  return folder_.string() + ": " + std::string(name_of(family)) + " " + printable(key);
}

Result<PinnedBytes> Database::get(Family family, std::string_view key, Checks checks) const {
  try {
    rocksdb::ReadOptions options;
    options.verify_checksums = checks == Checks::kVerify;
    options.fill_cache = false;
    auto pin = std::make_shared<PinnedBytes::Pin>();
    const auto status = db_->Get(options, families_[static_cast<std::size_t>(family)], slice_of(key), &pin->slice);
    if (!status.ok()) return error_of(status, where(family, key));
    pin->database = shared_from_this();
    ByteView bytes = bytes_of(pin->slice);
    // After a value in a mapped file come at least its block's trailer, the file's properties and footer. A value that
    // RocksDB holds on the heap has nothing after it, so it is copied.
    if (!mapped_.holds(bytes, codec::kReadSlack)) {
      pin->copy.reserve(bytes.size() + codec::kReadSlack);
      pin->copy.assign(bytes.begin(), bytes.end());
      pin->copy.resize(bytes.size() + codec::kReadSlack);
      const std::size_t size = bytes.size();
      pin->slice.Reset();
      bytes = ByteView(pin->copy).first(size);
    }
    return PinnedBytes(bytes, std::move(pin));
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where(family, key) + ": " + thrown.what());
  }
}

std::unique_ptr<rocksdb::Iterator> Database::iterator(Family family) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, families_[static_cast<std::size_t>(family)]));
}

Result<void> Database::verify_checksums() const {
  return guarded(folder_.string(), [&]() -> Result<void> {
    const auto status = db_->VerifyChecksum(rocksdb::ReadOptions());
    if (!status.ok()) return error_of(status, folder_.string());
    return {};
  });
}

}  // namespace frond::partition
