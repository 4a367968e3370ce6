#include "common/partition/id_files.h"

#include <fcntl.h>

#include <utility>
#include <vector>

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>

#include "common/files/descriptor.h"
#include "common/partition/format.h"
#include "common/partition/records.h"
#include "common/partition/rocks.h"

namespace frond::partition {
namespace {

class SstIds final : public IdFiles {
 public:
  Result<void> load(const std::filesystem::path& folder, std::span<const PartitionFile> files) {
    return guarded(folder.string(), [&]() -> Result<void> {
      for (const PartitionFile& file : files) {
        if (!has_ids(file)) continue;
        OpenFile opened{(folder / file.name).string(),
                        std::make_unique<rocksdb::SstFileReader>(table_options(FileReads::kBuffered)), nullptr};
        FROND_TRY(files::open(opened.name, O_RDONLY));  // RocksDB would wait for a pipe
        const auto status = opened.reader->Open(opened.name);
        if (!status.ok()) return error_of(status, opened.name);
        rocksdb::ReadOptions options;
        options.fill_cache = false;
        opened.iterator.reset(opened.reader->NewIterator(options));
        files_.push_back(std::move(opened));
      }
      return {};
    });
  }

  Result<std::optional<DocId>> find(std::string_view id) override {
    return guarded("ids", [&]() -> Result<std::optional<DocId>> {
      for (const OpenFile& file : files_) {
        file.iterator->Seek(slice_of(id));
        if (!file.iterator->status().ok()) return error_of(file.iterator->status(), file.name);
        if (file.iterator->Valid() && text_of(file.iterator->key()) == id)
          return std::optional<DocId>(FROND_TRY(docid_at(file)));
      }
      return std::optional<DocId>();
    });
  }

  Result<void> for_each(const std::function<Result<void>(std::string_view, DocId)>& visit) override {
    return guarded("ids", [&]() -> Result<void> {
      for (const OpenFile& file : files_) {
        for (file.iterator->SeekToFirst(); file.iterator->Valid(); file.iterator->Next()) {
          const DocId docid = FROND_TRY(docid_at(file));
          FROND_TRY(visit(text_of(file.iterator->key()), docid));
        }
        if (!file.iterator->status().ok()) return error_of(file.iterator->status(), file.name);
      }
      return {};
    });
  }

 private:
  struct OpenFile {
    std::string name;
    std::unique_ptr<rocksdb::SstFileReader> reader;
    std::unique_ptr<rocksdb::Iterator> iterator;  // destroyed before the reader
  };
  static Result<DocId> docid_at(const OpenFile& file) {
    auto docid = decode_docid(bytes_of(file.iterator->value()));
    if (!docid) return std::move(docid).error().within(file.name + ": " + printable(text_of(file.iterator->key())));
    return docid;
  }
  std::vector<OpenFile> files_;  // in the order of their ids
};

}  // namespace

bool has_ids(const PartitionFile& file) { return file.name.starts_with(stem_of(Family::kIds)); }

Result<std::unique_ptr<IdFiles>> IdFiles::open(const std::filesystem::path& folder,
                                               std::span<const PartitionFile> files) {
  auto ids = std::make_unique<SstIds>();
  FROND_TRY(ids->load(folder, files));
  return std::unique_ptr<IdFiles>(std::move(ids));
}

}  // namespace frond::partition
