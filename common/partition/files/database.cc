#include "common/partition/files/database.h"

#include <algorithm>

#include "common/codec/list_codec.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/sst_layout.h"
#include "common/partition/published_partition.h"

namespace frond::partition {

// What a PinnedBytes keeps: RocksDB's pin, a copy with slack, or (neither) the database's mapping. The database is
// released last.
class PinnedBytes::Pin {
 public:
  std::shared_ptr<const Database> database;
  rocksdb::PinnableSlice slice;
  ByteBuffer copy;
  const MappedFile* file = nullptr;  // whose mapping it is in
};

Result<void> PinnedBytes::intact() const {
  if (!pin_ || pin_->file == nullptr || pin_->file->check()) return {};
  return pin_->database->intact();  // whose message names the file
}

std::shared_ptr<const Database> Database::of_files(const std::filesystem::path& folder,
                                                   std::span<const PartitionFile> files, FileReads reads,
                                                   OfFamily of_family) {
  std::shared_ptr<Database> database(new Database);
  database->folder_ = folder;
  database->reads_ = reads;
  rocksdb::Env& env = reads == FileReads::kBuffered ? *rocksdb::Env::Default() : *database->env_;
  database->tables_ = std::make_unique<FileTables>(folder, files, env, reads, of_family);
  return database;
}

Result<std::shared_ptr<const Database>> Database::open(const std::filesystem::path& folder,
                                                       std::span<const PartitionFile> files, FileReads reads) {
  if (auto named = expect_tables(files); !named) return std::move(named).error().within(folder.string());
  auto database = of_files(folder, files, reads, is_of_table);
  const auto opened = database->tables_->open_all();
  if (opened.IsPathNotFound()) return Error(Code::kCorrupt, folder.string() + ": " + opened.ToString());
  if (!opened.ok()) return error_of(opened, folder.string());
  return database;
}

std::string Database::where(Family family, std::string_view key) const {
  return folder_.string() + ": " + std::string(name_of(family)) + " " + printable(key);
}

Result<std::optional<Database::MappedValue>> Database::look_up_mapped(Family family, std::string_view key,
                                                                      rocksdb::PinnableSlice& value,
                                                                      rocksdb::Status& status) const {
  using Outcome = std::optional<MappedValue>;
  const MappedFile* file = nullptr;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  status = tables_->prepare(family, key);  // files are opened without a BlockPlace
  if (!status.ok()) return Outcome();
  {
    const BlockPlace place;
    status = tables_->get(family, key, value);
    if (!place.found()) return Outcome();
    file = &place.file();
    offset = place.offset();
    bytes = place.bytes();
  }
  std::array<char, kBlockHeadBytes> head;
  char compression = 0;
  const std::size_t had = FROND_TRY(file->copy(offset, head));
  FROND_TRY(file->copy(offset + bytes - kBlockTrailerBytes, {&compression, 1}));
  const BlockAnswer answer = find_in_block(as_bytes({head.data(), std::min(had, bytes)}), bytes, key);
  const ValuePlace at = answer.value.value_or(ValuePlace());
  const bool is_long = at.bytes >= kLongBlockBytes && offset + at.offset + at.bytes + codec::kReadSlack <= file->size();
  if (compression != rocksdb::kNoCompression || !answer.told || (answer.value && !is_long)) {
    status = tables_->get(family, key, value);  // the whole block, as usual
    return Outcome();
  }
  FROND_TRY(file->check());
  if (!answer.value) {
    status = rocksdb::Status::NotFound();
    return Outcome();
  }
  return Outcome(MappedValue{file, file->view(offset + at.offset, at.bytes)});
}

Result<std::optional<ByteView>> Database::get_mapped(Family family, std::string_view key) const {
  if (!is_mapped()) return std::optional<ByteView>();
  rocksdb::PinnableSlice value;
  rocksdb::Status status;
  auto mapped = look_up_mapped(family, key, value, status);
  if (!mapped) return std::move(mapped).error().within(where(family, key));
  return *mapped ? std::optional((*mapped)->bytes) : std::nullopt;
}

Result<PinnedBytes> Database::get(Family family, std::string_view key) const {
  auto found = read(family, key);
  if (found || found.error().code() == Code::kNotFound) return found;
  auto whole = intact();  // its error names the file that was lost
  return whole ? std::move(found).error() : std::move(whole).error().within(where(family, key));
}

Result<PinnedBytes> Database::get_if_there(Family family, std::string_view key) const {
  auto found = get(family, key);
  return found || found.error().code() != Code::kNotFound ? std::move(found) : PinnedBytes();
}

Result<SummaryRecord> Database::summary() const {
  const auto value = get(Family::kArrays, kSummaryKey);
  if (!value && value.error().code() == Code::kNotFound) return Error(Code::kCorrupt, value.error().message());
  if (!value) return value.error();
  auto record = decode_summary(value->bytes());
  if (!record) return std::move(record).error().within(folder_.string());
  return record;
}

Result<PinnedBytes> Database::read(Family family, std::string_view key) const {
  try {
    auto pin = std::make_shared<PinnedBytes::Pin>();
    rocksdb::Status status;
    if (family == Family::kPostings && is_mapped()) {
      const auto mapped = look_up_mapped(family, key, pin->slice, status);
      if (!mapped) return Error(mapped.error()).within(where(family, key));
      if (*mapped) {
        pin->database = shared_from_this();
        pin->file = (*mapped)->file;
        return PinnedBytes((*mapped)->bytes, std::move(pin));
      }
    } else {
      status = tables_->get(family, key, pin->slice);
    }
    if (!status.ok()) return error_of(status, where(family, key));
    pin->database = shared_from_this();
    const ByteView bytes = bytes_of(pin->slice);
    if (family != Family::kPostings && family != Family::kTerms) return PinnedBytes(bytes, std::move(pin));
    // Decoders read past a list's end; RocksDB's own value has no readable bytes behind it.
    const std::size_t size = bytes.size();
    pin->copy.reserve(size + codec::kReadSlack);
    pin->copy.assign(bytes.begin(), bytes.end());
    pin->copy.resize(size + codec::kReadSlack);
    pin->slice.Reset();
    const ByteView copied = ByteView(pin->copy).first(size);
    return PinnedBytes(copied, std::move(pin));
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where(family, key) + ": " + thrown.what());
  }
}

std::unique_ptr<rocksdb::Iterator> Database::iterator(Family family) const { return tables_->iterator(family); }

Result<void> Database::verify_checksums() const {
  return guarded(folder_.string(), [&]() -> Result<void> {
    const auto status = tables_->verify_checksums();
    if (!status.ok()) return error_of(status, folder_.string());
    return {};
  });
}

}  // namespace frond::partition
