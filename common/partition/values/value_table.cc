#include "common/partition/values/value_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/partition/values/token_codes.h"

namespace frond::partition {

ValueTable::ValueTable(const std::filesystem::path& folder, std::shared_ptr<const schema::Schema> schema)
    : schema_(std::move(schema)), field_tokens_(schema_->fields.size()) {
  for (std::size_t kind = 0; kind < kValueKinds; ++kind)
    tables_[kind] = std::make_unique<SstTable>(folder, std::string(kValueFiles[kind].stem), kFileBytes);
  for (std::uint32_t field = 0; field < schema_->fields.size(); ++field) {
    const schema::Field& one = schema_->fields[field];
    if (schema::is_column(one.type))
      columns_.push_back({field, ColumnChunkWriter(one.type)});
    else if (one.type == schema::FieldType::kText && one.field_search)
      lengths_.push_back({field, {}});
  }
}

std::array<std::uint64_t, kValueKinds> ValueTable::entries() const {
  std::array<std::uint64_t, kValueKinds> entries;
  for (std::size_t kind = 0; kind < kValueKinds; ++kind) entries[kind] = tables_[kind]->entries();
  return entries;
}

Result<void> ValueTable::add(ByteView record) {
  if (record.size() > kMaxValuesBytes)
    return Error(Code::kInvalid,
                 std::to_string(record.size()) + " bytes of values, more than " + std::to_string(kMaxValuesBytes));
  const DocumentValues values = FROND_TRY(decode_values(record, *schema_));
  FROND_TRY(add_columns(values.columns));
  auto next = values.lengths.begin();
  for (FieldLengths& one : lengths_) {
    const bool has = next != values.lengths.end() && next->field == one.field;
    one.lengths.push_back(has ? next->tokens : 0);
    field_tokens_[one.field] += one.lengths.back();
    if (has) ++next;
  }
  if (next != values.lengths.end())
    return Error(Code::kInvalid, "a length in field " + std::to_string(next->field) + ", which cannot be searched");
  FROND_TRY(add_codes(values.codes));
  FROND_TRY(add_source(values.source));
  return ++documents_ % kValueGroup == 0 ? write_group() : Result<void>();
}

Result<void> ValueTable::add_columns(std::span<const DocumentValues::Column> columns) {
  auto next = columns.begin();
  for (FieldColumn& one : columns_) {
    if (next == columns.end() || next->field != one.field) {
      one.chunk.add({});
      continue;
    }
    one.chunk.add((next++)->values);
    if (one.chunk.bytes() > kMaxColumnChunkBytes)
      return Error(Code::kInvalid, "field '" + schema_->fields[one.field].name + "' has more than " +
                                       std::to_string(kMaxColumnChunkBytes >> 20) + " MiB of values in " +
                                       std::to_string(kValueGroup) + " adjacent documents");
  }
  return {};
}

Result<void> ValueTable::add_codes(ByteView codes) {
  if (!codes.empty() && !TokenCodes::open(codes)) return Error(Code::kInvalid, "its token codes are none");
  codes_.insert(codes_.end(), codes.begin(), codes.end());
  code_ends_.push_back(static_cast<std::uint32_t>(codes_.size()));
  return codes_.size() >= kCodesChunkBytes ? write_codes() : Result<void>();
}

Result<void> ValueTable::add_source(std::string_view source) {
  if (source.size() > kMaxSourceBytes)
    return Error(Code::kInvalid, "a source of " + std::to_string(source.size()) + " bytes, more than " +
                                     std::to_string(kMaxSourceBytes));
  append_document({.id = {}, .url = {}, .title = {}, .body = source}, sources_);
  ++sources_held_;
  any_source_ = any_source_ || !source.empty();
  return sources_.size() >= kSourceBlockBytes ? write_sources() : Result<void>();
}

Result<void> ValueTable::write_codes() {
  if (!codes_.empty()) {
    ByteBuffer chunk;
    ByteWriter out(chunk);
    out.put(static_cast<std::uint32_t>(code_ends_.size()));
    out.put_bytes(std::as_bytes(std::span(code_ends_)));
    out.put_bytes(codes_);
    FROND_TRY(table(ValueKind::kCodes).put(numbered_key(files_of(ValueKind::kCodes).prefix, code_first_), chunk));
    code_starts_.push_back(code_first_);
  }
  code_first_ += static_cast<DocId>(code_ends_.size());
  codes_.clear();
  code_ends_.clear();
  return {};
}

Result<void> ValueTable::write_sources() {
  if (any_source_) {
    const ByteBuffer block = compressor_.compress(sources_, sources_held_);
    FROND_TRY(table(ValueKind::kSources).put(numbered_key(files_of(ValueKind::kSources).prefix, source_first_), block));
    source_starts_.push_back(source_first_);
  }
  source_first_ += sources_held_;
  sources_.clear();
  sources_held_ = 0;
  any_source_ = false;
  return {};
}

// After the last document of a group.
Result<void> ValueTable::write_group() {
  FROND_TRY(write_codes());
  FROND_TRY(write_sources());
  const DocId first = (documents_ - 1) / kValueGroup * kValueGroup;
  const auto key = [&](std::uint32_t field) { return lengths_in_field(field).key(first); };
  auto column = columns_.begin();
  auto lengths = lengths_.begin();
  while (column != columns_.end() || lengths != lengths_.end()) {
    if (lengths == lengths_.end() || (column != columns_.end() && column->field < lengths->field)) {
      if (const ByteBuffer chunk = column->chunk.finish(); !chunk.empty())
        FROND_TRY(table(ValueKind::kColumns).put(key(column->field), chunk));
      ++column;
    } else {
      FROND_TRY(table(ValueKind::kColumns).put(key(lengths->field), std::as_bytes(std::span(lengths->lengths))));
      lengths->lengths.clear();
      ++lengths;
    }
  }
  return {};
}

Result<std::vector<PartitionFile>> ValueTable::finish() {
  if (documents_ % kValueGroup != 0) FROND_TRY(write_group());
  std::vector<PartitionFile> files;
  for (const auto& table : tables_) {
    auto made = FROND_TRY(table->finish());
    for (PartitionFile& file : made) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace frond::partition
