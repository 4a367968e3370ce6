#pragma once
// Encodes and decodes the small records of a partition. Decoders survive any bytes. Layouts: docs/formats/partition.md.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  bool priors = false;  // the documents have priors
};
void encode_summary(const SummaryRecord& record, ByteBuffer& out);
Result<SummaryRecord> decode_summary(ByteView in);

// A value of table `ids`: a docID. Errors: kCorrupt unless it is exactly one varint below kNoDoc.
Result<DocId> decode_docid(ByteView in);

// The last entry of a file of term statistics.
void encode_totals(const TermTotals& totals, ByteBuffer& out);
Result<TermTotals> decode_totals(ByteView in);
// Its key: one 0xff more than the longest term has bytes, so above every term.
const std::string& totals_key();

// Values of a file of changes (change_file.h): by how much a document frequency changes, which is not 0; and hidden
// docIDs, ascending, at least one. Errors: kCorrupt unless it is exactly that.
void encode_change(std::int64_t by, ByteBuffer& out);
Result<std::int64_t> decode_change(ByteView in);
void encode_hidden(std::span<const DocId> docids, ByteBuffer& out);
Result<std::vector<DocId>> decode_hidden(ByteView in);

}  // namespace frond::partition
