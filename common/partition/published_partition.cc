#include "common/partition/published_partition.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

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
    const auto first = static_cast<DocId>(docid / kNumbersPerValue * kNumbersPerValue);
    const ByteView lengths = FROND_TRY(lengths_from(first));
    const std::size_t at = (docid - first) * sizeof(std::uint32_t);
    if (docid >= count_ || at + sizeof(std::uint32_t) > lengths.size())
      return Error(Code::kCorrupt, folder().string() + ": no length of document " + std::to_string(docid));
    const std::uint32_t length = ByteReader(lengths.subspan(at)).get<std::uint32_t>();
    FROND_TRY(database_->intact());
    return length;
  }

  Result<OwnedDocument> document(DocId docid) const override { return documents_.whole(docid); }
  Result<TermList> list(std::string_view term) const override { return lists_.list(term); }
  std::unique_ptr<TermCursor> terms() const override { return terms_of_files(folder(), files_); }
  Result<void> check_files() const override { return database_->check_files(); }
  const std::filesystem::path& folder() const override { return database_->folder(); }

 private:
  // The value that begins with document `first`: where it is mapped, or a copy of a short one.
  Result<ByteView> lengths_from(DocId first) const {
    if (const auto known = lengths_.find(first); known != lengths_.end()) return known->second;
    std::string key(kLengthsPrefix);
    append_be32(key, first);
    return guarded(folder().string(), [&]() -> Result<ByteView> {
      const auto mapped = FROND_TRY(database_->get_mapped(Family::kArrays, key));
      if (mapped) return lengths_.emplace(first, *mapped).first->second;
      auto copied = database_->get(Family::kArrays, key);
      if (!copied && copied.error().code() == Code::kNotFound) return Error(Code::kCorrupt, copied.error().message());
      if (!copied) return std::move(copied).error();
      copies_.push_back(*std::move(copied));
      return lengths_.emplace(first, copies_.back().bytes()).first->second;
    });
  }

  const std::shared_ptr<const Database> database_;
  const std::uint32_t count_;
  const std::vector<PartitionFile> files_;
  const TermLists lists_;
  const DocumentReader documents_;
  mutable std::map<DocId, ByteView> lengths_;  // by the first document
  mutable std::vector<PinnedBytes> copies_;    // which some of them are in
};

}  // namespace

Result<std::unique_ptr<const PublishedPartition>> PublishedPartition::open(const std::filesystem::path& folder,
                                                                           std::span<const PartitionFile> files) {
  const std::string name = folder.string();
  return guarded(name, [&]() -> Result<std::unique_ptr<const PublishedPartition>> {
    const auto database = Database::of_files(folder, files);
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

}  // namespace frond::partition
