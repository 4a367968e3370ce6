#include "common/partition/published_partition.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/iterator.h>

#include "common/partition/documents/document_reader.h"
#include "common/partition/files/database.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/partition/terms/term_files.h"
#include "common/partition/terms/term_lists.h"
#include "common/partition/values/value_reader.h"

namespace frond::partition {
namespace {

class Published final : public PublishedPartition {
 public:
  Published(std::shared_ptr<const Database> database, const PartitionSummary& summary, ByteView dictionary,
            std::span<const PartitionFile> files)
      : database_(std::move(database)),
        count_(static_cast<std::uint32_t>(summary.documents)),
        field_tokens_(summary.field_tokens),
        files_(files.begin(), files.end()),
        lists_(database_, count_),
        documents_(database_, count_, /*block_starts=*/{}, dictionary) {}

  std::uint32_t documents() const override { return count_; }

  Result<std::uint32_t> length(DocId docid) const override {
    const auto length = FROND_TRY(number_of<std::uint32_t>(kLengths, docid));
    if (length) return *length;
    return Error(Code::kCorrupt, folder().string() + ": no length of document " + std::to_string(docid));
  }

  Result<std::vector<std::uint32_t>> field_lengths(DocId docid) const override {
    std::vector<std::uint32_t> lengths(field_tokens_.size());
    for (std::uint32_t field = 0; field < lengths.size(); ++field) {
      if (field_tokens_[field] == 0) continue;
      const auto length = FROND_TRY(number_of<std::uint32_t>(lengths_in_field(field), docid));
      if (!length)
        return Error(Code::kCorrupt, folder().string() + ": no length of document " + std::to_string(docid) +
                                         " in field " + std::to_string(field));
      lengths[field] = *length;
    }
    return lengths;
  }

  Result<std::optional<std::uint64_t>> term_digest(DocId docid) const override {
    return number_of<std::uint64_t>(kTermDigests, docid);
  }

  Result<OwnedDocument> document(DocId docid) const override { return documents_.cursor()->document(docid); }
  void read_documents(std::span<const DocId> docids, const Partition::DocumentVisit& visit) const override {
    documents_.read(docids, DocumentReader::Extent::kWhole, visit);
  }
  Result<TermList> list(std::string_view term) const override { return lists_.list(term); }
  std::unique_ptr<TermCursor> terms() const override { return terms_of_files(folder(), files_); }
  Result<void> check_files() const override { return database_->check_files(); }
  const std::filesystem::path& folder() const override { return database_->folder(); }

 private:
  // The document's number in an array; nothing if the array does not have it.
  template <class Number>
  Result<std::optional<Number>> number_of(const Column& column, DocId docid) const {
    const auto first = static_cast<DocId>(docid / column.per_value() * column.per_value());
    const ByteView value = FROND_TRY(value_from(column.key(first)));
    const std::size_t at = (docid - first) * sizeof(Number);
    if (docid >= count_ || at + sizeof(Number) > value.size()) return std::optional<Number>();
    const auto number = ByteReader(value.subspan(at)).get<Number>();
    FROND_TRY(database_->intact());
    return std::optional<Number>(number);
  }

  // The value of a column with this key: where it is mapped, or a copy of a short one. Empty: there is none.
  Result<ByteView> value_from(std::string key) const {
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    return guarded(folder().string(), [&]() -> Result<ByteView> {
      auto value = FROND_TRY(database_->get_mapped(Family::kArrays, key));
      if (!value) {
        copies_.push_back(FROND_TRY(database_->get_if_there(Family::kArrays, key)));
        value = copies_.back().bytes();
      }
      return values_.emplace(std::move(key), *value).first->second;
    });
  }

  const std::shared_ptr<const Database> database_;
  const std::uint32_t count_;
  const FieldTokens field_tokens_;
  const std::vector<PartitionFile> files_;
  const TermLists lists_;
  const DocumentReader documents_;
  mutable std::map<std::string, ByteView> values_;  // of columns, by key
  mutable std::vector<PinnedBytes> copies_;         // which some of them are in
};

}  // namespace

Result<std::unique_ptr<const PublishedPartition>> PublishedPartition::open(const std::filesystem::path& folder,
                                                                           std::span<const PartitionFile> files) {
  return guarded(folder.string(), [&]() -> Result<std::unique_ptr<const PublishedPartition>> {
    const auto database = Database::of_files(folder, files, FileReads::kMapped);
    const SummaryRecord record = FROND_TRY(database->summary());
    const PinnedBytes dictionary = FROND_TRY(database->get_if_there(Family::kArrays, kDictionaryKey));
    return std::unique_ptr<const PublishedPartition>(
        std::make_unique<Published>(database, record.summary, dictionary.bytes(), files));
  });
}

namespace {

class Sources final : public PublishedSources {
 public:
  Sources(std::string name, std::unique_ptr<const ValueReader> values)
      : name_(std::move(name)), values_(std::move(values)) {}
  Result<std::string> source(DocId docid) const override {
    if (values_ == nullptr) return std::string();
    return guarded(name_, [&] { return values_->source(docid); });
  }

 private:
  const std::string name_;
  const std::unique_ptr<const ValueReader> values_;  // null: no schema
};

}  // namespace

Result<std::unique_ptr<const PublishedSources>> PublishedSources::open(const std::filesystem::path& folder,
                                                                       std::span<const PartitionFile> files) {
  return guarded(folder.string(), [&]() -> Result<std::unique_ptr<const PublishedSources>> {
    auto database = Database::of_files(folder, files, FileReads::kCopied);
    const SummaryRecord record = FROND_TRY(database->summary());
    auto sources = Database::of_files(folder, files, FileReads::kCopied, [](Family family, std::string_view file) {
      return family == Family::kArrays && file.starts_with(files_of(ValueKind::kSources).stem);
    });
    auto values = FROND_TRY(ValueReader::open(std::move(database), record, std::move(sources)));
    return std::unique_ptr<const PublishedSources>(std::make_unique<Sources>(folder.string(), std::move(values)));
  });
}

bool has_ids(const PartitionFile& file) { return is_file_of(Family::kIds, file.name); }

IdFiles::IdFiles(const std::filesystem::path& folder, std::span<const PartitionFile> files)
    : database_(Database::of_files(folder, files, FileReads::kBuffered)), at_(database_->iterator(Family::kIds)) {}
IdFiles::~IdFiles() = default;

Result<DocId> IdFiles::docid() const {
  auto docid = decode_docid(bytes_of(at_->value()));
  if (!docid) return std::move(docid).error().within(database_->where(Family::kIds, text_of(at_->key())));
  return docid;
}

Result<std::optional<DocId>> IdFiles::find(std::string_view id) {
  const std::string name = database_->folder().string();
  return guarded(name, [&]() -> Result<std::optional<DocId>> {
    // Ids of one batch often stand in the same gap, or one behind the other.
    const bool here = sought_ && *sought_ <= id && (!at_->Valid() || id <= text_of(at_->key()));
    sought_.reset();
    if (!here) at_->Seek(slice_of(id));
    if (!at_->status().ok()) return error_of(at_->status(), name);
    sought_ = id;
    if (!at_->Valid() || text_of(at_->key()) != id) return std::optional<DocId>();
    return std::optional<DocId>(FROND_TRY(docid()));
  });
}

Result<void> IdFiles::for_each(const std::function<Result<void>(std::string_view, DocId)>& visit) {
  const std::string name = database_->folder().string();
  sought_.reset();
  return guarded(name, [&]() -> Result<void> {
    for (at_->SeekToFirst(); at_->Valid(); at_->Next()) {
      const DocId found = FROND_TRY(docid());
      FROND_TRY(visit(text_of(at_->key()), found));
    }
    if (!at_->status().ok()) return error_of(at_->status(), name);
    return {};
  });
}

}  // namespace frond::partition
