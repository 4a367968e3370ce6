#include "indexer/parse/batch_parser.h"

#include <optional>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"
#include "indexer/ingest/input_limits.h"

namespace frond::indexer::parse {

IdHash hash_id(std::string_view id) {
  const XXH128_hash_t hash = XXH3_128bits(id.data(), id.size());
  return {hash.low64, hash.high64};
}

BatchParser::BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, const ParseLimits& limits,
                         ingest::ParseOptions options, TextUse use)
    : limits_(limits),
      options_(options),
      use_(use),
      grouper_(limits.kept_bytes, use == TextUse::kCopy ? kMinTableBits : limits.table_bits),
      terms_(analyzer, use == TextUse::kCopy ? kMinTableBits : limits.table_bits, grouper_),
      frames_(partitions, runs::DocumentFrameWriter(limits.kept_bytes / partitions)) {}

void BatchParser::parse(std::span<ingest::RawRecord> records, ParsedBatch& out, std::stop_token stop) {
  FROND_CHECK(records.size() <= kMaxBatchDocuments);
  out.documents.clear();
  out.shortened.clear();
  out.texts.clear();
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (records[i].parse_bytes <= kCheapRecordBytes || limits_.memory == nullptr) {
      parse_one(records[i], i, out);
      continue;
    }
    const std::optional<WorkingMemory::Lease> lease = limits_.memory->take(records[i].parse_bytes, stop);
    if (!lease) break;
    parse_one(records[i], i, out);
  }
  grouper_.finish(out.tokens);
  out.frames.resize(frames_.size());
  for (std::size_t j = 0; j < frames_.size(); ++j) frames_[j].finish(out.frames[j]);
}

void BatchParser::parse_one(ingest::RawRecord& record, std::uint32_t place, ParsedBatch& out) {
  const Result<ingest::Document> document = document_of(record);
  if (!document) {
    out.bad.push_back(ingest::bad_record(record, document.error()));
    return;
  }
  if (document->title_cut || document->url_dropped)
    out.shortened.push_back({place, document->title_cut, document->url_dropped});
  const std::uint32_t length = take_text(*document, out);
  const std::size_t field_bytes = frames_[out.documents.size() % frames_.size()].add(
      {document->id, document->url, document->title, options_.store_bodies ? document->body : std::string_view(),
       document->prior},
      length);
  out.documents.push_back(
      {hash_id(document->id), length, place, static_cast<std::uint32_t>(field_bytes), document->prior});
}

std::uint32_t BatchParser::take_text(const ingest::Document& document, ParsedBatch& out) {
  if (use_ == TextUse::kCopy) {
    out.texts.add(document.title, document.body);
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
  const std::size_t bytes = document->id.size() + document->url.size() + document->title.size() + document->body.size();
  if (bytes > limits_.document_bytes)
    return Error(Code::kInvalid, "a document of " + ingest::in_mebibytes(bytes) + ", longer than the limit of " +
                                     ingest::in_mebibytes(limits_.document_bytes));
  return document;
}

}  // namespace frond::indexer::parse
