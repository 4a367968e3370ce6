#pragma once
// Encodes and decodes the small records of a partition. Decoders survive any bytes. Layouts: docs/formats/partition.md.
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/term_statistics.h"

namespace frond::partition {

// A value of table `terms`: the term's statistics in this partition, and its whole list if that is short.
struct TermRecord {
  TermStatistics statistics;
  ByteView inline_list;  // empty: the segments are in table `postings`
};
void encode_term(const TermRecord& record, ByteBuffer& out);
// The view borrows `in`. Errors: kCorrupt if it is cut off or its numbers contradict each other.
Result<TermRecord> decode_term(ByteView in);

// The value of "summary" in table `arrays`: counts that the tables must agree with. Without files.
struct SummaryRecord {
  PartitionSummary summary;
  EntryCounts entries;
};
void encode_summary(const SummaryRecord& record, ByteBuffer& out);
Result<SummaryRecord> decode_summary(ByteView in);

// A value of table `ids`: a docID. Errors: kCorrupt unless it is exactly one varint below kNoDoc.
Result<DocId> decode_docid(ByteView in);

// The last entry of a file of term statistics.
void encode_totals(const TermTotals& totals, ByteBuffer& out);
Result<TermTotals> decode_totals(ByteView in);

}  // namespace frond::partition
