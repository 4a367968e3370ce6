#include "common/partition/values/value_reader.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "common/partition/files/number_arrays.h"
#include "common/partition/values/document_values.h"
#include "common/schema/schema_json.h"

namespace frond::partition {
namespace {

DocId group_start(DocId docid) { return docid / kValueGroup * kValueGroup; }

// The last of `starts` that is not behind `docid`; nothing if all are.
std::optional<DocId> start_of(const std::vector<DocId>& starts, DocId docid) {
  const auto behind = std::upper_bound(starts.begin(), starts.end(), docid);
  return behind == starts.begin() ? std::nullopt : std::optional(*std::prev(behind));
}

}  // namespace

Result<std::unique_ptr<const ValueReader>> ValueReader::open(std::shared_ptr<const Database> database,
                                                             const SummaryRecord& record,
                                                             std::shared_ptr<const Database> sources) {
  if (record.schema.empty()) return std::unique_ptr<const ValueReader>();
  const std::string name = database->folder().string();
  auto schema = schema::parse_schema(record.schema);
  if (!schema) return Error(Code::kCorrupt, name + ": its schema: " + schema.error().message());
  if (record.summary.field_tokens.size() != schema->fields.size())
    return Error(Code::kCorrupt, name + ": tokens of " + std::to_string(record.summary.field_tokens.size()) +
                                     " fields, of a schema of " + std::to_string(schema->fields.size()));
  std::unique_ptr<ValueReader> reader(
      new ValueReader(std::move(database), *std::move(schema), static_cast<std::uint32_t>(record.summary.documents)));
  reader->sources_ = std::move(sources);
  const auto entries = [&](ValueKind kind) { return record.entries.values[static_cast<std::size_t>(kind)]; };
  reader->code_starts_ = FROND_TRY(reader->read_starts(kStoredCodes, entries(ValueKind::kCodes)));
  reader->source_starts_ = FROND_TRY(reader->read_starts(kStoredSources, entries(ValueKind::kSources)));
  if (reader->database_->is_mapped()) {
    if (entries(ValueKind::kColumns) > 0) {
      FROND_TRY(reader->open_columns());
      FROND_TRY(reader->open_lengths(record.summary.field_tokens));
    }
    FROND_TRY(reader->open_codes());
  }
  return std::unique_ptr<const ValueReader>(std::move(reader));
}

bool ValueReader::has_lengths(std::uint32_t field) const {
  return schema_.fields[field].type == schema::FieldType::kText && schema_.fields[field].field_search;
}

Result<std::vector<DocId>> ValueReader::read_starts(const Column& column, std::uint64_t count) const {
  auto starts = FROND_TRY(read_column(*database_, column, documents_));
  const bool ascending = std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end();
  if (starts.size() == count && ascending && (starts.empty() || starts.back() < documents_)) return starts;
  return Error(Code::kCorrupt, database_->folder().string() + ": arrays: " + std::string(column.prefix) +
                                   " are not where " + std::to_string(count) + " values begin");
}

Result<std::optional<ByteView>> ValueReader::held(const std::string& key) {
  auto mapped = FROND_TRY(database_->get_mapped(Family::kArrays, key));
  if (mapped) return mapped;
  PinnedBytes copy = FROND_TRY(database_->get_if_there(Family::kArrays, key));
  if (copy.bytes().empty()) return std::optional<ByteView>();
  copies_.push_back(std::move(copy));
  return std::optional(copies_.back().bytes());
}

Result<void> ValueReader::open_columns() {
  columns_.resize(schema_.fields.size());
  for (std::uint32_t field = 0; field < columns_.size(); ++field) {
    if (!schema::is_column(schema_.fields[field].type)) continue;
    auto column = std::make_unique<ValueColumn>(schema_.fields[field].type, documents_);
    for (std::uint32_t group = 0; group < groups(); ++group) {
      const std::string key = lengths_in_field(field).key(group * kValueGroup);
      const auto bytes = FROND_TRY(held(key));
      if (!bytes) continue;
      if (auto put = column->put_chunk(group, *bytes); !put)
        return std::move(put).error().within(database_->where(Family::kArrays, key));
    }
    if (column->values() > 0) columns_[field] = std::move(column);
  }
  return {};
}

Result<void> ValueReader::open_lengths(std::span<const std::uint64_t> field_tokens) {
  lengths_.resize(schema_.fields.size());
  for (std::uint32_t field = 0; field < lengths_.size(); ++field) {
    if (field_tokens[field] == 0) continue;
    const auto made = std::make_shared<std::vector<std::uint32_t>>(documents_);
    lengths_[field] = made;
    std::vector<std::uint32_t>& lengths = *made;
    const Column column = lengths_in_field(field);
    for (DocId first = 0; first < documents_; first += std::min(kValueGroup, documents_ - first)) {
      const PinnedBytes value = FROND_TRY(database_->get_if_there(Family::kArrays, column.key(first)));
      const std::size_t bytes = std::min(kValueGroup, documents_ - first) * sizeof(std::uint32_t);
      if (value.bytes().size() != bytes)
        return Error(Code::kCorrupt, database_->where(Family::kArrays, column.key(first)) + ": not the lengths of " +
                                         std::to_string(bytes / sizeof(std::uint32_t)) + " documents");
      std::memcpy(lengths.data() + first, value.bytes().data(), bytes);
    }
    const std::uint64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
    if (tokens != field_tokens[field])
      return Error(Code::kCorrupt, database_->folder().string() + ": lengths in field '" + schema_.fields[field].name +
                                       "' sum to " + std::to_string(tokens) + ", the summary says " +
                                       std::to_string(field_tokens[field]) + " tokens");
  }
  return {};
}

Result<void> ValueReader::open_codes() {
  if (code_starts_.empty()) return {};
  std::vector<CodesChunk> chunks;
  chunks.reserve(code_starts_.size());
  for (std::size_t i = 0; i < code_starts_.size(); ++i) {
    const std::string key = numbered_key(files_of(ValueKind::kCodes).prefix, code_starts_[i]);
    const auto bytes = FROND_TRY(held(key));
    auto chunk = bytes ? CodesChunk::open(*bytes) : Result<CodesChunk>(Error(Code::kCorrupt, "it is not there"));
    const DocId end = i + 1 < code_starts_.size() ? code_starts_[i + 1] : documents_;
    if (chunk && chunk->documents() > end - code_starts_[i]) chunk = Error(Code::kCorrupt, "it has too many documents");
    if (!chunk) return std::move(chunk).error().within(database_->where(Family::kArrays, key));
    chunks.push_back(*chunk);
  }
  sequences_ = std::make_unique<const StoredSequences>(documents_, code_starts_, std::move(chunks));
  return {};
}

Result<PinnedBytes> ValueReader::get(ValueKind kind, DocId first) const {
  const Database& from = kind == ValueKind::kSources && sources_ != nullptr ? *sources_ : *database_;
  auto value = from.get(Family::kArrays, numbered_key(files_of(kind).prefix, first));
  if (!value && value.error().code() == Code::kNotFound) return Error(Code::kCorrupt, value.error().message());
  return value;
}

Result<std::optional<DocId>> ValueReader::read_sources(DocId docid, DocumentBlock& block) const {
  const auto first = start_of(source_starts_, docid);
  if (!first) return first;
  const PinnedBytes value = FROND_TRY(get(ValueKind::kSources, *first));
  if (auto read = decompressor_.decompress(value.bytes(), block); !read)
    return std::move(read).error().within(database_->folder().string() + ": source of document " +
                                          std::to_string(docid));
  return first;
}

Result<std::string> ValueReader::source(DocId docid) const {
  if (docid >= documents_) return Error(Code::kNotFound, "document " + std::to_string(docid));
  DocumentBlock block;
  const auto first = FROND_TRY(read_sources(docid, block));
  if (!first || docid - *first >= block.documents.size()) return std::string();
  return std::string(block.documents[docid - *first].body);
}

Result<void> ValueReader::load_group(DocId docid, Group& group) const {
  const DocId first = group_start(docid);
  if (group.first == first) return {};
  group.first.reset();
  group.columns.clear();
  group.lengths.clear();
  group.bytes.clear();
  const std::uint32_t documents = std::min(kValueGroup, documents_ - first);
  for (std::uint32_t field = 0; field < schema_.fields.size(); ++field) {
    const bool is_column = schema::is_column(schema_.fields[field].type);
    if (!is_column && !has_lengths(field)) continue;
    const std::string key = lengths_in_field(field).key(first);
    PinnedBytes value = FROND_TRY(database_->get_if_there(Family::kArrays, key));
    const ByteView bytes = value.bytes();
    if (bytes.empty()) continue;
    group.bytes.push_back(std::move(value));
    if (is_column) {
      ValueColumn column(schema_.fields[field].type, documents);
      if (auto put = column.put_chunk(0, bytes); !put)
        return std::move(put).error().within(database_->where(Family::kArrays, key));
      group.columns.emplace_back(field, std::move(column));
    } else if (bytes.size() == documents * sizeof(std::uint32_t)) {
      group.lengths.emplace_back(field, bytes);
    } else {
      return Error(Code::kCorrupt, database_->where(Family::kArrays, key) + ": not the lengths of its documents");
    }
  }
  group.first = first;
  return {};
}

Result<ByteView> ValueReader::codes_in(DocId docid, Group& group) const {
  const auto first = start_of(code_starts_, docid);
  if (!first) return ByteView();
  if (group.codes_first != first) {
    group.codes_first.reset();
    group.codes_bytes = FROND_TRY(get(ValueKind::kCodes, *first));
    auto chunk = CodesChunk::open(group.codes_bytes.bytes());
    if (!chunk)
      return std::move(chunk).error().within(database_->folder().string() + ": document " + std::to_string(docid));
    group.codes = *chunk;
    group.codes_first = first;
  }
  return docid - *first < group.codes.documents() ? group.codes.record(docid - *first) : ByteView();
}

Result<std::string_view> ValueReader::source_in(DocId docid, Group& group) const {
  if (start_of(source_starts_, docid) != group.sources_first) {
    group.sources_first.reset();
    group.sources_first = FROND_TRY(read_sources(docid, group.sources));
  }
  const auto first = group.sources_first;
  if (!first || docid - *first >= group.sources.documents.size()) return std::string_view();
  return group.sources.documents[docid - *first].body;
}

Result<ByteBuffer> ValueReader::values_of(DocId docid) const {
  if (docid >= documents_) return Error(Code::kNotFound, "document " + std::to_string(docid));
  const MutexLock lock(mutex_);
  FROND_TRY(load_group(docid, group_));
  DocumentValues values;
  for (const auto& [field, column] : group_.columns) {
    auto of_document = column.values_of(docid - *group_.first);
    if (!of_document.empty()) values.columns.push_back({field, std::move(of_document)});
  }
  for (const auto& [field, bytes] : group_.lengths)
    if (const auto tokens = load_le<std::uint32_t>(bytes.data() + (docid - *group_.first) * sizeof(std::uint32_t)))
      values.lengths.push_back({field, tokens});
  values.codes = FROND_TRY(codes_in(docid, group_));
  values.source = FROND_TRY(source_in(docid, group_));
  ByteBuffer record;
  encode_values(values, record);
  if (docid + 1 == documents_) group_ = {};  // who reads all documents, as a merge does, needs no more
  return record;
}

}  // namespace frond::partition
