#include "common/partition/partition_writer.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>

#include "common/codec/list_codec.h"
#include "common/partition/document_table.h"
#include "common/partition/encoded_lists.h"
#include "common/partition/format.h"
#include "common/partition/head_table.h"
#include "common/partition/id_sorter.h"
#include "common/partition/records.h"
#include "common/partition/rocks.h"
#include "common/partition/sst_table.h"

namespace frond::partition {
namespace {

class Writer final : public PartitionWriter {
 public:
  Writer(std::filesystem::path folder, double built_average_length, std::size_t id_bytes, StoredCompression stored)
      : folder_(std::move(folder)),
        postings_(folder_, stem_of(Family::kPostings), kFileBytes),
        terms_(folder_, stem_of(Family::kTerms), kFileBytes),
        documents_(folder_, stored),
        heads_(folder_),
        priors_(folder_, std::string(kPriorFiles), kFileBytes),
        ids_(folder_ / "ids.scratch", id_bytes),
        arrays_(folder_, stem_of(Family::kArrays), kFileBytes) {
    summary_.built_average_length = built_average_length;
  }

  Result<void> add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                        std::span<const ByteBuffer> segments) override {
    return guarded("list", [&]() -> Result<void> {
      auto added = try_add_list(term, document_frequency, occurrences, segments);
      if (!added) return std::move(added).error().within("list of " + printable(term));
      return {};
    });
  }

  Result<void> add_lists(const EncodedLists& lists) override {
    return guarded("list", [&] { return try_add_lists(lists); });
  }

  Result<void> add_document(const StoredDocument& document, std::uint32_t length) override {
    FROND_TRY(validate(document));
    return guarded("documents", [&]() -> Result<void> {
      FROND_TRY(documents_.add(document));
      return note(document, length);
    });
  }

  Result<void> add_block(std::span<const StoredDocument> documents, std::span<const std::uint32_t> lengths,
                         ByteView block) override {
    for (const StoredDocument& document : documents) FROND_TRY(validate(document));
    return guarded("documents", [&]() -> Result<void> {
      FROND_TRY(documents_.add_block(block, static_cast<std::uint32_t>(documents.size())));
      for (std::size_t i = 0; i < documents.size(); ++i) FROND_TRY(note(documents[i], lengths[i]));
      return {};
    });
  }

  void set_dictionary(ByteBuffer dictionary) override { dictionary_ = std::move(dictionary); }
  void set_term_digests(std::vector<std::uint64_t> digests) override { digests_ = std::move(digests); }

  Result<void> end_documents() override {
    return guarded(folder_.string(), [&] { return try_end_documents(); });
  }

  Result<PartitionSummary> finish() override {
    return guarded(folder_.string(), [&]() -> Result<PartitionSummary> {
      append(FROND_TRY(postings_.finish()));
      append(FROND_TRY(terms_.finish()));
      if (!ids_written_) FROND_TRY(try_end_documents());
      append(std::move(document_files_));
      FROND_TRY(write_lengths());
      FROND_TRY(write_array(kStoredBlocksPrefix, documents_.starts()));
      FROND_TRY(write_array(kStoredHeadsPrefix, heads_.starts()));
      const SummaryRecord record{
          summary_, {terms_.entries(), postings_.entries(), documents_.starts().size(), *ids_written_}, any_prior_};
      ByteBuffer bytes;
      encode_summary(record, bytes);
      FROND_TRY(arrays_.put(kSummaryKey, bytes));
      FROND_TRY(write_digests());
      const ByteBuffer& dictionary = dictionary_.empty() ? documents_.dictionary() : dictionary_;
      if (!dictionary.empty()) FROND_TRY(arrays_.put(kDictionaryKey, dictionary));
      append(FROND_TRY(arrays_.finish()));
      return summary_;
    });
  }

 private:
  Result<void> validate(const StoredDocument& document) const {
    const auto where = [&] { return "document " + printable(document.id); };
    if (document.id.empty()) return Error(Code::kInvalid, "document " + std::to_string(summary_.documents) + ": no id");
    const std::size_t bytes = document.id.size() + document.url.size() + document.title.size() + document.body.size();
    if (bytes > kMaxDocumentBytes)
      return Error(Code::kInvalid, where() + ": " + std::to_string(bytes) + " bytes of stored fields, more than " +
                                       std::to_string(kMaxDocumentBytes));
    if (summary_.documents + 1 >= kNoDoc) return Error(Code::kInvalid, where() + ": the partition is full");
    return {};
  }

  // Everything about a document but its block.
  Result<void> note(const StoredDocument& document, std::uint32_t length) {
    FROND_TRY(ids_.add(document.id, static_cast<DocId>(summary_.documents)));
    FROND_TRY(heads_.add(document));
    FROND_TRY(note_prior(document.prior));
    lengths_.push_back(length);
    ++summary_.documents;
    summary_.tokens += length;
    return lengths_.size() == kNumbersPerValue ? write_lengths() : Result<void>();
  }

  Result<void> try_add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                            std::span<const ByteBuffer> segments) {
    FROND_TRY(check_term(term));
    FROND_TRY(check_order(term));
    if (segments.empty() || segments.size() > kMaxSegments)
      return Error(Code::kInvalid, std::to_string(segments.size()) + " segments");
    FROND_TRY(measure(document_frequency, segments));
    const auto count = static_cast<std::uint32_t>(segments.size());
    TermRecord record{{document_frequency, occurrences, count}, {}};
    if (count == 1 && segments[0].size() <= kInlineListBytes)
      record.inline_list = segments[0];
    else
      for (std::uint32_t i = 0; i < count; ++i) FROND_TRY(postings_.put(list_key(term, i), segments[i]));
    record_.clear();
    encode_term(record, record_);
    FROND_TRY(terms_.put(term, record_));
    last_term_ = term;
    ++summary_.terms;
    summary_.postings += document_frequency;
    return {};
  }

  Result<void> check_order(std::string_view term) const {
    if (summary_.terms == 0 || term > last_term_) return {};
    return Error(Code::kInvalid, "out of order after " + printable(last_term_));
  }

  // Opens every segment, which validates it, and adds its bytes by part to the summary.
  Result<void> measure(std::uint64_t document_frequency, std::span<const ByteBuffer> segments) {
    std::uint64_t postings = 0;
    ListBytes bytes;
    for (const auto& segment : segments) {
      // Views need readable bytes after the blob, which the builder's buffers lack.
      slack_.assign(segment.begin(), segment.end());
      slack_.resize(segment.size() + codec::kReadSlack);
      postings += FROND_TRY(measure_segment(ByteView(slack_).first(segment.size()), bytes));
    }
    note(bytes);
    if (postings != document_frequency)
      return Error(Code::kInvalid, "document frequency " + std::to_string(document_frequency) + ", but segments of " +
                                       std::to_string(postings) + " postings");
    return {};
  }
  void note(const ListBytes& bytes) {
    summary_.header_bytes += bytes.header;
    summary_.index_bytes += bytes.index;
    summary_.bound_bytes += bytes.bounds;
    summary_.docid_bytes += bytes.docids;
    summary_.frequency_bytes += bytes.frequencies;
  }

  Result<void> try_add_lists(const EncodedLists& lists) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const EncodedLists::List list = lists.list(i);
      FROND_TRY(check_order(list.term));
      if (!list.blob.empty()) FROND_TRY(postings_.put(list_key(list.term, 0), list.blob));
      FROND_TRY(terms_.put(list.term, list.record));
      last_term_ = list.term;
      ++summary_.terms;
    }
    summary_.postings += lists.postings();
    note(lists.list_bytes());
    return {};
  }

  Result<void> write_lengths() {
    if (lengths_.empty()) return {};
    FROND_TRY(put_numbers<std::uint32_t>(kLengthsPrefix, summary_.documents - lengths_.size(), lengths_));
    lengths_.clear();
    return {};
  }

  // Nothing is kept until a document has a prior. Called before the document is counted.
  Result<void> note_prior(scoring::Prior prior) {
    if (prior == 0 && !any_prior_) return {};
    if (!any_prior_) {
      any_prior_ = true;
      open_priors_.assign(std::min<std::uint64_t>(summary_.documents, kNumbersPerValue), 0);
      for (; priors_before_ + kNumbersPerValue <= summary_.documents; priors_before_ += kNumbersPerValue)
        FROND_TRY(put_priors());
      open_priors_.resize(summary_.documents - priors_before_);
    }
    open_priors_.push_back(prior);
    return open_priors_.size() == kNumbersPerValue ? write_priors() : Result<void>();
  }
  Result<void> write_priors() {
    if (open_priors_.empty()) return {};
    FROND_TRY(put_priors());
    priors_before_ += open_priors_.size();
    open_priors_.clear();
    return {};
  }
  Result<void> put_priors() {
    std::string key(kPriorsPrefix);
    append_be32(key, static_cast<std::uint32_t>(priors_before_));
    return priors_.put(key, std::as_bytes(std::span(open_priors_)));
  }

  Result<void> write_array(std::string_view prefix, std::span<const std::uint32_t> numbers) {
    std::span<const std::uint32_t> left = numbers;
    while (!left.empty()) {
      const auto some = left.first(std::min(left.size(), kNumbersPerValue));
      FROND_TRY(put_numbers(prefix, numbers.size() - left.size(), some));
      left = left.subspan(some.size());
    }
    return {};
  }

  Result<void> write_digests() {
    if (digests_.empty()) return {};
    if (digests_.size() != summary_.documents)
      return Error(Code::kInvalid, std::to_string(digests_.size()) + " term digests of " +
                                       std::to_string(summary_.documents) + " documents");
    for (std::size_t place = 0; place < digests_.size(); place += kDigestsPerValue) {
      const std::span<const std::uint64_t> left = std::span(digests_).subspan(place);
      FROND_TRY(put_numbers(kTermDigestsPrefix, place, left.first(std::min(left.size(), kDigestsPerValue))));
    }
    return {};
  }

  // Stores a piece of an array that begins with its number `place`.
  template <class Number>
  Result<void> put_numbers(std::string_view prefix, std::uint64_t place, std::span<const Number> numbers) {
    std::string key(prefix);
    append_be32(key, static_cast<std::uint32_t>(place));
    return arrays_.put(key, std::as_bytes(numbers));
  }

  Result<void> try_end_documents() {
    const auto add = [this](std::vector<PartitionFile> files) {
      for (auto& file : files) document_files_.push_back(std::move(file));
    };
    add(FROND_TRY(documents_.finish()));
    add(FROND_TRY(heads_.finish()));
    FROND_TRY(write_priors());
    add(FROND_TRY(priors_.finish()));
    SstTable table(folder_, stem_of(Family::kIds), kFileBytes);
    ByteBuffer record;
    FROND_TRY(ids_.finish([&](std::string_view id, DocId docid) -> Result<void> {
      record.clear();
      ByteWriter(record).put_varint(docid);
      return table.put(id, record);
    }));
    add(FROND_TRY(table.finish()));
    ids_written_ = table.entries();
    return {};
  }

  void append(std::vector<PartitionFile> files) {
    for (auto& file : files) summary_.files.push_back(std::move(file));
  }

  std::filesystem::path folder_;
  SstTable postings_, terms_;
  DocumentTable documents_;
  HeadTable heads_;
  SstTable priors_;
  IdSorter ids_;
  std::optional<std::uint64_t> ids_written_;   // when documents have ended
  std::vector<PartitionFile> document_files_;  // then
  SstTable arrays_;
  PartitionSummary summary_;
  std::string last_term_;
  ByteBuffer record_;
  ByteBuffer slack_;
  std::vector<std::uint32_t> lengths_;  // of the last documents, fewer than kNumbersPerValue
  ByteBuffer dictionary_;
  std::vector<std::uint64_t> digests_;  // of all documents, or none
  bool any_prior_ = false;
  std::vector<scoring::Prior> open_priors_;  // of the last documents, at most kNumbersPerValue
  std::uint64_t priors_before_ = 0;          // documents before these
};

}  // namespace

bool PartitionSummary::has_priors() const {
  return std::any_of(files.begin(), files.end(),
                     [](const PartitionFile& file) { return file.name.starts_with(kPriorFiles); });
}

Result<std::unique_ptr<PartitionWriter>> PartitionWriter::create(const std::filesystem::path& folder,
                                                                 double built_average_length, std::size_t id_bytes,
                                                                 StoredCompression stored) {
  return guarded(folder.string(), [&]() -> Result<std::unique_ptr<PartitionWriter>> {
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (!failed) std::filesystem::create_directories(folder, failed);
    if (failed) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
    return std::unique_ptr<PartitionWriter>(std::make_unique<Writer>(folder, built_average_length, id_bytes, stored));
  });
}

}  // namespace frond::partition
