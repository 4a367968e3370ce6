#include "indexer/parse/batch_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::parse {

IdHash hash_id(std::string_view id) {
  const XXH128_hash_t hash = XXH3_128bits(id.data(), id.size());
  return {hash.low64, hash.high64};
}

BatchParser::BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, const ParseLimits& limits,
                         ingest::ParseOptions options, TextUse use)
    : limits_(limits),
      options_(std::move(options)),
      use_(use),
      grouper_(limits.kept_bytes, use == TextUse::kCopy ? kMinTableBits : limits.table_bits),
      terms_(analyzer, use == TextUse::kCopy ? kMinTableBits : limits.table_bits, grouper_),
      frames_(partitions, runs::DocumentFrameWriter(limits.kept_bytes / partitions)) {
  if (analyzer.kind == text::AnalyzerKind::kStandard3) form_.emplace(/*keeps_places=*/false);
  if (options_.schema != nullptr && use == TextUse::kTokens) {
    schema_tokens_.emplace(options_.schema, analyzer);
    known_words_.emplace(grouper_);
  }
}

void BatchParser::parse(std::span<ingest::RawRecord> records, ParsedBatch& out, const std::stop_token& stop) {
  out.documents.clear();
  out.altered.clear();
  out.texts.clear();
  std::uint64_t record_bytes = 0;
  for (const ingest::RawRecord& record : records) record_bytes += record.bytes.size();
  // As much as of the batch before, so that few texts are moved while they grow, and whole large pages, so that most
  // take as many of them and find what others gave back.
  const auto expected = static_cast<std::size_t>(text_share_ * static_cast<double>(record_bytes));
  out.texts.bytes.reserve(std::max<std::size_t>(1, in_large_pages(expected + 1)) - 1);
  bool going_on = true;
  for (std::uint32_t i = 0; going_on && i < records.size(); ++i) {
    if (records[i].lines == 0) {
      going_on = parse_within_memory(records[i], {i, {}}, out, stop);
      continue;
    }
    ingest::LineRecords lines(records[i]);
    while (ingest::RawRecord* const line = going_on ? lines.next() : nullptr)
      going_on = parse_within_memory(*line, {i, lines.place()}, out, stop);
  }
  grouper_.finish(out.tokens);
  out.frames.resize(frames_.size());
  for (std::size_t j = 0; j < frames_.size(); ++j) frames_[j].finish(out.frames[j]);
  constexpr double kSpare = 1.01;
  text_share_ = std::min(1.0, kSpare * static_cast<double>(out.texts.bytes.size()) /
                                  static_cast<double>(std::max<std::uint64_t>(record_bytes, 1)));
}

bool BatchParser::parse_within_memory(ingest::RawRecord& record, Place place, ParsedBatch& out,
                                      const std::stop_token& stop) {
  const bool expensive = record.parse_bytes > kCheapRecordBytes && limits_.memory != nullptr;
  const std::optional<WorkingMemory::Lease> lease =
      expensive ? limits_.memory->take(record.parse_bytes, stop) : std::nullopt;
  if (expensive && !lease) return false;
  if (stop.stop_requested()) return false;
  record.stop = &stop;
  parse_one(record, place, out);
  record.stop = nullptr;
  return true;
}

void BatchParser::parse_one(ingest::RawRecord& record, Place place, ParsedBatch& out) {
  FROND_CHECK(out.documents.size() < kMaxBatchDocuments);
  Result<ingest::Document> document = document_of(record);
  if (!document && document.error().code() == Code::kUnavailable) return;  // stopped
  if (!document) {
    out.bad.push_back(ingest::bad_record(record, document.error()));
    return;
  }
  const bool left_out = document->fields.left_out != 0, cut = document->fields.impacts_cut;
  if (document->title_cut || document->url_dropped || document->not_utf8 || left_out || cut)
    out.altered.push_back(
        {place.record, place.line, document->title_cut, document->url_dropped, document->not_utf8, left_out, cut});
  values_.clear();
  const std::uint32_t length = schema_tokens_ ? take_fields(*document, out) : take_text(*document, out);
  const std::size_t field_bytes = frames_[out.documents.size() % frames_.size()].add(
      {document->id, document->url, document->title, options_.store_bodies ? document->body : std::string_view(),
       document->prior, as_text(values_)},
      length);
  out.documents.push_back({hash_id(document->id), length, place.record, place.line,
                           static_cast<std::uint32_t>(field_bytes), document->prior});
  ingest::give_text_memory(std::move(document->body));
}

// Of a collection with a schema. The texts of fields that have no place of their own among the stored ones end the
// body.
std::uint32_t BatchParser::take_fields(ingest::Document& document, ParsedBatch& out) {
  grouper_.begin_document(static_cast<std::uint32_t>(out.documents.size()));
  texts_.clear();
  for (const ingest::DocumentFields::Text& text : document.fields.texts) texts_.push_back({text.field, text.text});
  std::uint32_t length = schema_tokens_->take_words(document.title, document.body, texts_, *known_words_);
  known_words_->finish();
  for (const auto& [token, impact] : document.fields.weights) {
    grouper_.add(token, impact);
    length += impact;
  }
  partition::encode_values(
      {std::move(document.fields.columns), schema_tokens_->lengths(), schema_tokens_->codes(), document.fields.source},
      values_);
  for (const ingest::DocumentFields::Text& text : document.fields.texts)
    document.body.append(document.body.empty() ? "" : "\n").append(text.text);
  return length;
}

std::uint32_t BatchParser::take_text(const ingest::Document& document, ParsedBatch& out) {
  if (use_ == TextUse::kCopy) {
    out.texts.add(document.title, document.body, form_ ? &*form_ : nullptr);
    return 0;
  }
  grouper_.begin_document(static_cast<std::uint32_t>(out.documents.size()));
  // No word begins in the title and ends in the body, so they need not be joined.
  return terms_.add(document.title) + terms_.add(document.body);
}

Result<ingest::Document> BatchParser::document_of(ingest::RawRecord& record) const {
  Result<ingest::Document> document = ingest::parse_record(record, options_);
  if (record.parse_bytes > kCheapRecordBytes) std::string().swap(record.bytes);
  if (!document) return document;
  std::size_t bytes = document->id.size() + document->url.size() + document->title.size() + document->body.size() +
                      document->fields.source.size();
  for (const ingest::DocumentFields::Text& text : document->fields.texts) bytes += text.text.size();
  for (const ingest::DocumentFields::Weight& weight : document->fields.weights) bytes += weight.token.size();
  if (bytes > limits_.document_bytes)
    return Error(Code::kInvalid, "a document of " + ingest::in_mebibytes(bytes) + ", longer than the limit of " +
                                     ingest::in_mebibytes(limits_.document_bytes));
  return document;
}

}  // namespace frond::indexer::parse
