#include "common/partition/partition_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include "common/codec/list_codec.h"
#include "common/partition/documents/document_table.h"
#include "common/partition/documents/id_sorter.h"
#include "common/partition/files/rocks.h"
#include "common/partition/files/sst_table.h"
#include "common/partition/format/format.h"
#include "common/partition/values/value_table.h"
#include "common/postings/posting_list.h"
#include "common/schema/schema_json.h"
#include "common/text/limits.h"

namespace frond::partition {

namespace {

// Opens a segment, which validates it, adds its bytes to `bytes` and gives its postings. codec::kReadSlack bytes behind
// it are readable. Errors: kInvalid.
Result<std::uint64_t> measure_segment(ByteView segment, ListBytes& bytes) {
  if (segment.empty() || segment.size() > kMaxSegmentBytes)
    return Error(Code::kInvalid, "a segment of " + std::to_string(segment.size()) + " bytes");
  const auto view = postings::ListView::open(segment);
  if (!view) return Error(Code::kInvalid, view.error().message());
  const auto sizes = view->sizes();
  bytes.header += sizes.header;
  bytes.index += sizes.index;
  bytes.bounds += sizes.bounds;
  bytes.docids += sizes.docids;
  bytes.frequencies += sizes.frequencies;
  return view->count();
}

// kInvalid: a term is empty, too long or has a NUL.
Result<void> check_term(std::string_view term) {
  if (!term.empty() && term.size() <= text::kMaxTermBytes && term.find('\0') == std::string_view::npos) return {};
  return Error(Code::kInvalid, "a term has 1 .. " + std::to_string(text::kMaxTermBytes) + " bytes and no NUL");
}

}  // namespace

Result<void> EncodedLists::add(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                               ByteView blob) {
  const auto within = [&](Error error) { return std::move(error).within("list of " + printable(term)); };
  if (auto checked = check_term(term); !checked) return within(std::move(checked).error());
  const auto postings = measure_segment(blob, list_bytes_);
  if (!postings) return within(postings.error());
  if (*postings != document_frequency)
    return within(Error(Code::kInvalid, "document frequency " + std::to_string(document_frequency) +
                                            ", but a segment of " + std::to_string(*postings) + " postings"));
  postings_ += *postings;
  const bool is_inline = blob.size() <= kInlineListBytes;
  Ends ends{};
  ByteWriter(bytes_).put_bytes(as_bytes(term));
  ends.term = bytes_.size();
  encode_term({{document_frequency, occurrences, 1}, is_inline ? blob : ByteView()}, bytes_);
  ends.record = bytes_.size();
  if (!is_inline) ByteWriter(bytes_).put_bytes(blob);
  ends.blob = bytes_.size();
  ends_.push_back(ends);
  return {};
}

void EncodedLists::reserve(std::size_t lists, std::size_t bytes) {
  constexpr std::size_t kUsualRecordBytes = 6;  // without a blob
  bytes_.reserve(bytes_.size() + bytes + lists * kUsualRecordBytes);
  ends_.reserve(ends_.size() + lists);
}

EncodedLists::List EncodedLists::list(std::size_t number) const {
  const Ends& ends = ends_[number];
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1].blob;
  const ByteView all(bytes_);
  return {as_text(all.subspan(begin, ends.term - begin)), all.subspan(ends.term, ends.record - ends.term),
          all.subspan(ends.record, ends.blob - ends.record)};
}

namespace {

// Writes a whole column.
template <class Number>
Result<void> write_column(SstTable& table, const Column& column, std::span<const Number> numbers) {
  for (std::size_t place = 0; place < numbers.size(); place += column.per_value()) {
    const auto some = numbers.subspan(place, std::min(column.per_value(), numbers.size() - place));
    FROND_TRY(table.put(numbered_key(column.prefix, place), std::as_bytes(some)));
  }
  return {};
}

// Writes a column number by number; holds back a value at most.
template <class Number>
class ColumnWriter {
 public:
  ColumnWriter(SstTable& table, const Column& column) : table_(table), column_(column) {}
  Result<void> add(Number number) {
    held_.push_back(number);
    return held_.size() == column_.per_value() ? flush() : Result<void>();
  }
  Result<void> flush() {
    if (held_.empty()) return {};
    FROND_TRY(table_.put(numbered_key(column_.prefix, written_), std::as_bytes(std::span(held_))));
    written_ += held_.size();
    held_.clear();
    return {};
  }
  std::uint64_t size() const { return written_ + held_.size(); }

 private:
  SstTable& table_;
  const Column column_;
  std::uint64_t written_ = 0;
  std::vector<Number> held_;
};

class Writer final : public PartitionWriter {
 public:
  Writer(std::filesystem::path folder, double built_average_length, std::size_t id_bytes, StoredCompression stored,
         std::shared_ptr<const schema::Schema> schema)
      : folder_(std::move(folder)),
        postings_(folder_, stem_of(Family::kPostings), kFileBytes),
        terms_(folder_, stem_of(Family::kTerms), kFileBytes),
        documents_(folder_, stored),
        heads_(folder_),
        prior_table_(folder_, std::string(kPriorFiles), kFileBytes),
        priors_(prior_table_, kPriors),
        ids_(folder_ / "ids.scratch", id_bytes),
        arrays_(folder_, stem_of(Family::kArrays), kFileBytes),
        lengths_(arrays_, kLengths) {
    summary_.built_average_length = built_average_length;
    if (schema != nullptr) values_ = std::make_unique<ValueTable>(folder_, std::move(schema));
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
      FROND_TRY(lengths_.flush());
      FROND_TRY(write_column(arrays_, kStoredBlocks, documents_.starts()));
      if (values_) FROND_TRY(write_column(arrays_, kStoredCodes, values_->code_starts()));
      FROND_TRY(write_column(arrays_, kStoredHeads, heads_.starts()));
      if (values_) FROND_TRY(write_column(arrays_, kStoredSources, values_->source_starts()));
      SummaryRecord record{summary_,
                           {terms_.entries(), postings_.entries(), documents_.starts().size(), *ids_written_},
                           priors_.size() > 0};
      if (values_) {
        record.schema = schema::schema_text(values_->schema());
        record.entries.values = values_->entries();
      }
      ByteBuffer bytes;
      encode_summary(record, bytes);
      FROND_TRY(arrays_.put(kSummaryKey, bytes));
      if (!digests_.empty() && digests_.size() != summary_.documents)
        return Error(Code::kInvalid, std::to_string(digests_.size()) + " term digests of " +
                                         std::to_string(summary_.documents) + " documents");
      FROND_TRY(write_column<std::uint64_t>(arrays_, kTermDigests, digests_));
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
    if (!values_ && !document.values.empty()) return Error(Code::kInvalid, where() + ": it has values, but no schema");
    if (summary_.documents + 1 >= kNoDoc) return Error(Code::kInvalid, where() + ": the partition is full");
    return {};
  }

  // Everything about a document but its block.
  Result<void> note(const StoredDocument& document, std::uint32_t length) {
    FROND_TRY(ids_.add(document.id, static_cast<DocId>(summary_.documents)));
    FROND_TRY(heads_.add(document));
    // Nothing is kept until a document has a prior.
    if (document.prior != 0 || priors_.size() > 0) {
      while (priors_.size() < summary_.documents) FROND_TRY(priors_.add(0));
      FROND_TRY(priors_.add(document.prior));
    }
    if (values_)
      if (auto added = values_->add(as_bytes(document.values)); !added)
        return std::move(added).error().within("document " + printable(document.id));
    ++summary_.documents;
    summary_.tokens += length;
    return lengths_.add(length);
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

  Result<void> try_end_documents() {
    const auto add = [this](std::vector<PartitionFile> files) {
      for (auto& file : files) document_files_.push_back(std::move(file));
    };
    add(FROND_TRY(documents_.finish()));
    if (values_) {
      add(FROND_TRY(values_->finish()));
      summary_.field_tokens = values_->field_tokens();
    }
    add(FROND_TRY(heads_.finish()));
    FROND_TRY(priors_.flush());
    add(FROND_TRY(prior_table_.finish()));
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
  SstTable prior_table_;
  ColumnWriter<scoring::Prior> priors_;
  std::unique_ptr<ValueTable> values_;  // null: no schema
  IdSorter ids_;
  std::optional<std::uint64_t> ids_written_;   // when documents have ended
  std::vector<PartitionFile> document_files_;  // then
  SstTable arrays_;
  ColumnWriter<std::uint32_t> lengths_;
  PartitionSummary summary_;
  std::string last_term_;
  ByteBuffer record_;
  ByteBuffer slack_;
  ByteBuffer dictionary_;
  std::vector<std::uint64_t> digests_;  // of all documents, or none
};

}  // namespace

bool PartitionSummary::has_priors() const {
  return std::any_of(files.begin(), files.end(),
                     [](const PartitionFile& file) { return file.name.starts_with(kPriorFiles); });
}

Result<std::unique_ptr<PartitionWriter>> PartitionWriter::create(const std::filesystem::path& folder,
                                                                 double built_average_length, std::size_t id_bytes,
                                                                 StoredCompression stored,
                                                                 std::shared_ptr<const schema::Schema> schema) {
  return guarded(folder.string(), [&]() -> Result<std::unique_ptr<PartitionWriter>> {
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (!failed) std::filesystem::create_directories(folder, failed);
    if (failed) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
    return std::unique_ptr<PartitionWriter>(
        std::make_unique<Writer>(folder, built_average_length, id_bytes, stored, std::move(schema)));
  });
}

}  // namespace frond::partition
