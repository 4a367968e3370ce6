#pragma once
// The small records of a partition: to bytes, and back from any bytes. Layouts: docs/formats/partition.md.
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/term_statistics.h"

namespace frond::partition {

// The value of `terms`: what a term has in this partition, and the whole list where that is short.
struct TermRecord {
  TermStatistics statistics;
  ByteView inline_list;  // empty: the segments lie in `postings`
};
void encode_term(const TermRecord& record, ByteBuffer& out);
// kCorrupt: short, or numbers that contradict each other. The view borrows `in`.
Result<TermRecord> decode_term(ByteView in);

// The value of `arrays`' "summary": counts that must agree with everything else. The files are not in it.
struct SummaryRecord {
  PartitionSummary summary;
  EntryCounts entries;
};
void encode_summary(const SummaryRecord& record, ByteBuffer& out);
Result<SummaryRecord> decode_summary(ByteView in);

// The value of `ids`: a docID. kCorrupt unless it is exactly one varint below kNoDoc.
Result<DocId> decode_docid(ByteView in);

// The last entry of a file of term statistics.
void encode_totals(const TermTotals& totals, ByteBuffer& out);
Result<TermTotals> decode_totals(ByteView in);

}  // namespace frond::partition
