#include "common/partition/format/format.h"

#include <cmath>

#include "common/schema/schema.h"
#include "common/text/limits.h"

namespace frond::partition {

static_assert(schema::kMaxFields <= 256, "a byte says of which field a column, its lengths or a term are");

void encode_term(const TermRecord& record, ByteBuffer& out) {
  ByteWriter writer(out);
  writer.put_varint(record.statistics.document_frequency);
  writer.put_varint(record.statistics.occurrences);
  writer.put_varint(record.statistics.segments);
  writer.put_bytes(record.inline_list);
}

Result<TermRecord> decode_term(ByteView in) {
  ByteReader reader(in);
  TermRecord record;
  record.statistics.document_frequency = reader.get_varint();
  record.statistics.occurrences = reader.get_varint();
  const std::uint64_t segments = reader.get_varint();
  record.inline_list = reader.get_bytes(reader.left());
  if (!reader.ok()) return Error(Code::kCorrupt, "term record is cut short");
  const auto& statistics = record.statistics;
  if (statistics.document_frequency == 0 || statistics.document_frequency >= kNoDoc ||
      statistics.occurrences < statistics.document_frequency)
    return Error(Code::kCorrupt, "term record: document frequency " + std::to_string(statistics.document_frequency) +
                                     " with " + std::to_string(statistics.occurrences) + " occurrences");
  if (segments == 0 || segments > kMaxSegments || (segments > 1 && !record.inline_list.empty()))
    return Error(Code::kCorrupt, "term record: " + std::to_string(segments) + " segments with " +
                                     std::to_string(record.inline_list.size()) + " bytes inline");
  record.statistics.segments = static_cast<std::uint32_t>(segments);
  return record;
}

void encode_summary(const SummaryRecord& record, ByteBuffer& out) {
  ByteWriter writer(out);
  writer.put(kSummaryMagic);
  const bool schema = !record.schema.empty();
  writer.put(schema ? kFormatVersionWithSchema : record.priors ? kFormatVersionWithPriors : kFormatVersion);
  const auto& s = record.summary;
  const auto& e = record.entries;
  for (const std::uint64_t number :
       {s.documents, s.tokens, s.terms, s.postings, s.docid_bytes, s.frequency_bytes, s.index_bytes, s.bound_bytes,
        s.header_bytes, e.terms, e.segments, e.document_blocks, e.ids})
    writer.put_varint(number);
  writer.put(s.built_average_length);
  if (!schema) return;
  writer.put(static_cast<std::uint8_t>(record.priors));
  writer.put_text(record.schema);
  writer.put_varint(s.field_tokens.size());
  for (const std::uint64_t tokens : s.field_tokens) writer.put_varint(tokens);
  for (const std::uint64_t entries : e.values) writer.put_varint(entries);
}

Result<SummaryRecord> decode_summary(ByteView in) {
  ByteReader reader(in);
  const auto magic = reader.get<std::uint32_t>();
  const auto version = reader.get<std::uint32_t>();
  if (!reader.ok() || magic != kSummaryMagic) return Error(Code::kCorrupt, "summary: not a partition's");
  if (version < kFormatVersion || version > kFormatVersionWithSchema)
    return Error(Code::kCorrupt, "summary: format version " + std::to_string(version) + ", this build reads " +
                                     std::to_string(kFormatVersion) + " to " +
                                     std::to_string(kFormatVersionWithSchema));
  SummaryRecord record;
  record.priors = version == kFormatVersionWithPriors;
  auto& s = record.summary;
  auto& e = record.entries;
  for (auto* number :
       {&s.documents, &s.tokens, &s.terms, &s.postings, &s.docid_bytes, &s.frequency_bytes, &s.index_bytes,
        &s.bound_bytes, &s.header_bytes, &e.terms, &e.segments, &e.document_blocks, &e.ids})
    *number = reader.get_varint();
  s.built_average_length = reader.get<double>();
  if (version == kFormatVersionWithSchema) {
    record.priors = reader.get<std::uint8_t>() != 0;
    record.schema = reader.get_text();
    const std::uint64_t fields = reader.get_varint();
    if (!reader.ok() || record.schema.empty() || fields > schema::kMaxFields)
      return Error(Code::kCorrupt, "summary: not that of a partition with a schema");
    s.field_tokens.resize(fields);
    for (std::uint64_t& tokens : s.field_tokens) tokens = reader.get_varint();
    for (std::uint64_t& entries : e.values) entries = reader.get_varint();
  }
  if (!reader.ok() || !reader.at_end()) return Error(Code::kCorrupt, "summary: wrong size");
  if (s.documents >= kNoDoc || e.ids != s.documents || e.terms != s.terms)
    return Error(Code::kCorrupt, "summary: counts contradict each other");
  if (!std::isfinite(s.built_average_length) || s.built_average_length < 0)
    return Error(Code::kCorrupt, "summary: average length is not a length");
  return record;
}

Result<DocId> decode_docid(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t docid = reader.get_varint();
  if (!reader.ok() || !reader.at_end() || docid >= kNoDoc) return Error(Code::kCorrupt, "id record is not a docID");
  return static_cast<DocId>(docid);
}

void encode_totals(const TermTotals& totals, ByteBuffer& out) {
  ByteWriter writer(out);
  writer.put(kTotalsMagic);
  writer.put(kFormatVersion);
  for (const std::uint64_t number : {totals.terms, totals.postings, totals.occurrences}) writer.put_varint(number);
}

Result<TermTotals> decode_totals(ByteView in) {
  ByteReader reader(in);
  const auto magic = reader.get<std::uint32_t>();
  const auto version = reader.get<std::uint32_t>();
  TermTotals totals;
  for (auto* number : {&totals.terms, &totals.postings, &totals.occurrences}) *number = reader.get_varint();
  if (!reader.ok() || !reader.at_end() || magic != kTotalsMagic || version != kFormatVersion)
    return Error(Code::kCorrupt, "totals: not those of term statistics of format " + std::to_string(kFormatVersion));
  if (totals.postings < totals.terms || totals.occurrences < totals.postings)
    return Error(Code::kCorrupt, "totals: counts contradict each other");
  return totals;
}

const std::string& totals_key() {
  static const std::string key(text::kMaxTermBytes + 1, '\xff');
  return key;
}

// Zigzag: 1, -1, 2, -2 are 1, 2, 3, 4.
void encode_change(std::int64_t by, ByteBuffer& out) {
  const auto magnitude = static_cast<std::uint64_t>(by < 0 ? -by : by);
  ByteWriter(out).put_varint(by < 0 ? 2 * magnitude : 2 * magnitude - 1);
}

Result<std::int64_t> decode_change(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t value = reader.get_varint();
  if (!reader.ok() || !reader.at_end() || value == 0 || value > std::uint64_t{1} << 40)
    return Error(Code::kCorrupt, "not a change of a document frequency");
  const auto magnitude = static_cast<std::int64_t>((value + 1) / 2);
  return value % 2 == 0 ? -magnitude : magnitude;
}

void encode_hidden(std::span<const DocId> docids, ByteBuffer& out) {
  ByteWriter writer(out);
  writer.put_varint(docids.size());
  DocId next = 0;
  for (const DocId docid : docids) {
    writer.put_varint(docid - next);
    next = docid + 1;
  }
}

Result<std::vector<DocId>> decode_hidden(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t count = reader.get_varint();
  if (!reader.ok() || count == 0 || count > reader.left())
    return Error(Code::kCorrupt,
                 "hidden documents: " + std::to_string(count) + " in " + std::to_string(in.size()) + " bytes");
  std::vector<DocId> docids;
  docids.reserve(count);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint64_t gap = reader.get_varint();
    if (gap >= kNoDoc || next + gap >= kNoDoc) return Error(Code::kCorrupt, "hidden documents: not a docID");
    docids.push_back(static_cast<DocId>(next + gap));
    next += gap + 1;
  }
  if (!reader.ok() || !reader.at_end()) return Error(Code::kCorrupt, "hidden documents: wrong size");
  return docids;
}

}  // namespace frond::partition
