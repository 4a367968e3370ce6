#include "common/partition/partition.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "common/partition/documents/document_reader.h"
#include "common/partition/documents/heads.h"
#include "common/partition/files/database.h"
#include "common/partition/files/number_arrays.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/partition/terms/term_files.h"
#include "common/partition/terms/term_lists.h"
#include "common/partition/values/value_reader.h"

namespace frond::partition {
namespace {

bool ascend_from_zero(std::span<const DocId> starts, std::uint64_t documents) {
  const bool ascending = std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end();
  return starts.front() == 0 && ascending && starts.back() < documents;
}

Result<std::vector<std::uint32_t>> read_lengths(const Database& database, const PartitionSummary& summary) {
  auto lengths = FROND_TRY(read_by_document(database, kLengths, summary.documents, "lengths", /*needed=*/true));
  const std::uint64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  if (tokens != summary.tokens)
    return Error(Code::kCorrupt, database.folder().string() + ": lengths sum to " + std::to_string(tokens) +
                                     ", the summary says " + std::to_string(summary.tokens) + " tokens");
  return lengths;
}

// The first docID of each block or chunk; empty for partitions written before the column existed. `count`: how many;
// nothing: any number.
Result<std::vector<DocId>> read_starts(const Database& database, const Column& column, std::uint64_t documents,
                                       std::optional<std::uint64_t> count, const char* what) {
  auto starts = FROND_TRY(read_column(database, column, count.value_or(documents)));
  if (starts.empty() || (starts.size() == count.value_or(starts.size()) && ascend_from_zero(starts, documents)))
    return starts;
  return Error(Code::kCorrupt, database.folder().string() + ": arrays: " + std::string(column.prefix) +
                                   " are not where " + (count ? std::to_string(*count) + " " : "") + what + " begin");
}

// The static priors of all documents; empty, and nothing is read, for partitions without any.
Result<std::vector<scoring::Prior>> read_priors(const Database& database, const SummaryRecord& record) {
  if (!record.priors) return std::vector<scoring::Prior>();
  auto priors = FROND_TRY(read_by_document(database, kPriors, record.summary.documents, "priors", /*needed=*/true));
  if (priors.empty() || *std::max_element(priors.begin(), priors.end()) > scoring::kMaxPrior)
    return Error(Code::kCorrupt, database.folder().string() + ": a prior is out of range");
  return priors;
}

using DatabasePtr = std::shared_ptr<const Database>;

class RocksPartition final : public Partition {
 public:
  RocksPartition(DatabasePtr database, SummaryRecord record, std::vector<std::uint32_t> lengths,
                 std::vector<scoring::Prior> priors, std::vector<DocId> block_starts, std::vector<DocId> head_starts,
                 ByteView dictionary, std::unique_ptr<const ValueReader> values,
                 std::shared_ptr<DocumentBlockCache> cache)
      : database_(std::move(database)),
        record_(std::move(record)),
        lengths_(std::move(lengths)),
        lists_(database_, documents()),
        documents_(database_, documents(), std::move(block_starts), dictionary, std::move(cache)),
        heads_(database_, documents(), std::move(head_starts), documents_),
        values_(std::move(values)) {
    if (!priors.empty()) priors_.emplace(std::move(priors));
  }

  std::uint32_t documents() const override { return static_cast<std::uint32_t>(lengths_.size()); }
  std::uint64_t tokens() const override { return record_.summary.tokens; }
  double built_average_length() const override { return record_.summary.built_average_length; }
  std::span<const std::uint32_t> lengths() const override { return lengths_; }
  const DocumentPriors* priors() const override { return priors_ ? &*priors_ : nullptr; }
  const PartitionSummary& summary() const override { return record_.summary; }

  Result<TermStatistics> term(std::string_view term) const override { return lists_.term(term); }
  Result<TermList> list(std::string_view term) const override { return lists_.list(term); }

  Result<OwnedDocument> document(DocId docid) const override { return document_cursor()->document(docid); }
  std::unique_ptr<DocumentCursor> document_cursor() const override { return documents_.cursor(); }

  void read_documents(std::span<const DocId> docids, const DocumentVisit& visit) const override {
    documents_.read(docids, DocumentReader::Extent::kFront, visit);
  }

  void read_heads(std::span<const DocId> docids, const DocumentVisit& visit) const override {
    heads_.read(docids, visit);
  }

  const schema::Schema* schema() const override { return values_ ? &values_->schema() : nullptr; }
  const ValueColumn* column(std::uint32_t field) const override { return values_ ? values_->column(field) : nullptr; }
  std::shared_ptr<const std::vector<std::uint32_t>> lengths_in(std::uint32_t field) const override {
    return values_ ? values_->lengths_in(field) : nullptr;
  }
  const StoredSequences* sequences() const override { return values_ ? values_->sequences() : nullptr; }
  ByteView token_codes(DocId docid) const override { return values_ ? values_->token_codes(docid) : ByteView(); }
  Result<std::string> source(DocId docid) const override {
    if (!values_) return std::string();
    return guarded(database_->folder().string(), [&] { return values_->source(docid); });
  }
  Result<ByteBuffer> values_of(DocId docid) const override {
    if (!values_) return ByteBuffer();
    return guarded(database_->folder().string(), [&] { return values_->values_of(docid); });
  }

  Result<DocId> docid_of(std::string_view external_id) const override {
    const PinnedBytes value = FROND_TRY(database_->get(Family::kIds, external_id));
    const auto docid = decode_docid(value.bytes());
    if (!docid || *docid >= documents())
      return Error(Code::kCorrupt, database_->where(Family::kIds, external_id) + ": not a document");
    return *docid;
  }

  std::unique_ptr<TermCursor> terms() const override { return terms_of(database_); }

  Result<void> for_each_term(const std::function<bool(std::string_view, const TermStatistics&)>& visit) const override {
    const auto cursor = terms_of(database_);
    while (FROND_TRY(cursor->next()))
      if (!visit(cursor->term(), cursor->statistics())) return {};
    return {};
  }

  Result<void> for_each_document(const std::function<bool(DocId, const StoredDocument&)>& visit) const override {
    return documents_.for_each(visit);
  }

  Result<EntryCounts> count_entries() const override {
    EntryCounts counts;
    counts.terms = FROND_TRY(count(Family::kTerms));
    counts.segments = FROND_TRY(count(Family::kPostings));
    counts.document_blocks = FROND_TRY(count(Family::kDocuments));
    counts.ids = FROND_TRY(count(Family::kIds));
    for (std::size_t kind = 0; kind < kValueKinds; ++kind)
      counts.values[kind] = FROND_TRY(count(Family::kArrays, kValueFiles[kind].prefix));
    const auto& expected = record_.entries;
    if (counts == expected) return counts;
    const auto pair = [](std::uint64_t is, std::uint64_t should) {
      return std::to_string(is) + " of " + std::to_string(should);
    };
    std::string values;
    for (std::size_t kind = 0; kind < kValueKinds; ++kind)
      if (counts.values[kind] != expected.values[kind])
        values += ", " + pair(counts.values[kind], expected.values[kind]) + " " + std::string(kValueFiles[kind].name);
    return Error(Code::kCorrupt, database_->folder().string() + ": stored are " + pair(counts.terms, expected.terms) +
                                     " terms, " + pair(counts.segments, expected.segments) + " list segments, " +
                                     pair(counts.document_blocks, expected.document_blocks) + " document blocks, " +
                                     pair(counts.ids, expected.ids) + " ids" + values);
  }

  Result<std::vector<std::uint64_t>> term_digests() const override {
    return guarded(database_->folder().string(), [&] {
      return read_by_document<std::uint64_t>(*database_, kTermDigests, documents(), "term digests", /*needed=*/false);
    });
  }
  Result<void> check_heads() const override {
    return guarded(database_->folder().string(), [&] { return heads_.check(); });
  }
  Result<void> verify_checksums() const override { return database_->verify_checksums(); }
  Result<void> intact() const override { return database_->intact(); }
  Result<void> check_files() const override { return database_->check_files(); }
  const std::filesystem::path& folder() const override { return database_->folder(); }

 private:
  // Of those whose keys begin with `prefix`.
  Result<std::uint64_t> count(Family family, std::string_view prefix = {}) const {
    return guarded(database_->folder().string(), [&]() -> Result<std::uint64_t> {
      std::uint64_t entries = 0;
      const auto iterator = database_->iterator(family);
      for (iterator->Seek(slice_of(prefix)); iterator->Valid(); iterator->Next()) {
        if (!text_of(iterator->key()).starts_with(prefix)) break;
        ++entries;
      }
      if (!iterator->status().ok())
        return error_of(iterator->status(), database_->folder().string() + ": " + std::string(name_of(family)));
      return entries;
    });
  }

  DatabasePtr database_;
  SummaryRecord record_;
  std::vector<std::uint32_t> lengths_;
  std::optional<DocumentPriors> priors_;
  TermLists lists_;
  DocumentReader documents_;
  HeadReader heads_;
  const std::unique_ptr<const ValueReader> values_;  // null: no schema
};

}  // namespace

Result<std::shared_ptr<const Partition>> Partition::open(const std::filesystem::path& folder,
                                                         std::span<const PartitionFile> files, FileReads reads,
                                                         std::shared_ptr<DocumentBlockCache> cache) {
  return guarded(folder.string(), [&]() -> Result<std::shared_ptr<const Partition>> {
    const DatabasePtr database = FROND_TRY(Database::open(folder, files, reads));
    auto record = FROND_TRY(database->summary());
    const std::uint64_t documents = record.summary.documents;
    auto lengths = FROND_TRY(read_lengths(*database, record.summary));
    auto priors = FROND_TRY(read_priors(*database, record));
    auto block_starts =
        FROND_TRY(read_starts(*database, kStoredBlocks, documents, record.entries.document_blocks, "blocks"));
    auto head_starts = FROND_TRY(read_starts(*database, kStoredHeads, documents, std::nullopt, "chunks"));
    const auto dictionary = FROND_TRY(database->get_if_there(Family::kArrays, kDictionaryKey));
    auto values = FROND_TRY(ValueReader::open(database, record));
    return std::shared_ptr<const Partition>(std::make_shared<RocksPartition>(
        database, std::move(record), std::move(lengths), std::move(priors), std::move(block_starts),
        std::move(head_starts), dictionary.bytes(), std::move(values), std::move(cache)));
  });
}

}  // namespace frond::partition
