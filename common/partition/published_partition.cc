#include "common/partition/published_partition.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/partition/arrays.h"
#include "common/partition/database.h"
#include "common/partition/document_reader.h"
#include "common/partition/records.h"
#include "common/partition/rocks.h"
#include "common/partition/term_files.h"
#include "common/partition/term_lists.h"

namespace frond::partition {
namespace {

class Published final : public PublishedPartition {
 public:
  Published(std::shared_ptr<const Database> database, std::uint32_t documents, ByteView dictionary,
            std::span<const PartitionFile> files)
      : database_(std::move(database)),
        count_(documents),
        files_(files.begin(), files.end()),
        lists_(database_, documents),
        documents_(database_, documents, /*block_starts=*/{}, dictionary) {}

  std::uint32_t documents() const override { return count_; }

  Result<std::uint32_t> length(DocId docid) const override {
    const auto length = FROND_TRY(number_of<std::uint32_t>(kLengthsPrefix, kNumbersPerValue, docid));
    if (length) return *length;
    return Error(Code::kCorrupt, folder().string() + ": no length of document " + std::to_string(docid));
  }

  Result<std::optional<std::uint64_t>> term_digest(DocId docid) const override {
    return number_of<std::uint64_t>(kTermDigestsPrefix, kDigestsPerValue, docid);
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
  Result<std::optional<Number>> number_of(std::string_view prefix, std::size_t numbers_per_value, DocId docid) const {
    const auto first = static_cast<DocId>(docid / numbers_per_value * numbers_per_value);
    const ByteView value = FROND_TRY(array_from(prefix, first));
    const std::size_t at = (docid - first) * sizeof(Number);
    if (docid >= count_ || at + sizeof(Number) > value.size()) return std::optional<Number>();
    const auto number = ByteReader(value.subspan(at)).get<Number>();
    FROND_TRY(database_->intact());
    return std::optional<Number>(number);
  }

  // The value of an array that begins with document `first`: where it is mapped, or a copy of a short one. Empty: there
  // is none.
  Result<ByteView> array_from(std::string_view prefix, DocId first) const {
    const auto place = std::pair(prefix, first);
    if (const auto known = arrays_.find(place); known != arrays_.end()) return known->second;
    std::string key(prefix);
    append_be32(key, first);
    return guarded(folder().string(), [&]() -> Result<ByteView> {
      const auto mapped = FROND_TRY(database_->get_mapped(Family::kArrays, key));
      if (mapped) return arrays_.emplace(place, *mapped).first->second;
      auto copied = database_->get(Family::kArrays, key);
      if (!copied && copied.error().code() == Code::kNotFound) return arrays_.emplace(place, ByteView()).first->second;
      if (!copied) return std::move(copied).error();
      copies_.push_back(*std::move(copied));
      return arrays_.emplace(place, copies_.back().bytes()).first->second;
    });
  }

  const std::shared_ptr<const Database> database_;
  const std::uint32_t count_;
  const std::vector<PartitionFile> files_;
  const TermLists lists_;
  const DocumentReader documents_;
  mutable std::map<std::pair<std::string_view, DocId>, ByteView> arrays_;  // by prefix and first document
  mutable std::vector<PinnedBytes> copies_;                                // which some of them are in
};

Result<std::unique_ptr<const PublishedPartition>> open_on(const std::shared_ptr<const Database>& database,
                                                          std::span<const PartitionFile> files) {
  const std::string name = database->folder().string();
  return guarded(name, [&]() -> Result<std::unique_ptr<const PublishedPartition>> {
    const auto value = database->get(Family::kArrays, kSummaryKey);
    if (!value && value.error().code() == Code::kNotFound) return Error(Code::kCorrupt, value.error().message());
    if (!value) return value.error();
    const auto record = decode_summary(value->bytes());
    if (!record) return Error(record.error()).within(name);
    const auto dictionary = database->get(Family::kArrays, kDictionaryKey);
    if (!dictionary && dictionary.error().code() != Code::kNotFound) return dictionary.error();
    return std::unique_ptr<const PublishedPartition>(
        std::make_unique<Published>(database, static_cast<std::uint32_t>(record->summary.documents),
                                    dictionary ? dictionary->bytes() : ByteView(), files));
  });
}

}  // namespace

Result<std::unique_ptr<const PublishedPartition>> PublishedPartition::open(const std::filesystem::path& folder,
                                                                           std::span<const PartitionFile> files) {
  return guarded(folder.string(), [&] { return open_on(Database::of_files(folder, files), files); });
}

}  // namespace frond::partition
