#pragma once
// What crosses from a parser to the sequencer and the inverters: some records in a row, parsed.
#include <cstdint>
#include <vector>

#include "common/base/bytes.h"
#include "indexer/ingest/raw_record.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::parse {

// XXH3-128 of an external id: what ids are told apart by (among 10^12 of them two alike have a chance of 10^-14).
struct IdHash {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const IdHash&, const IdHash&) = default;
};
IdHash hash_id(std::string_view id);

struct ParsedDocument {
  IdHash id;
  std::uint32_t length = 0;  // terms
  std::uint32_t record = 0;  // which of the batch's records
};

// A document with a field that was too long.
struct ShortenedDocument {
  std::uint32_t record = 0;  // which of the batch's records
  bool title_cut = false, url_dropped = false;
};

struct ParsedBatch {
  std::vector<ParsedDocument> documents;  // at most kMaxBatchDocuments, in input order
  TokenGroups tokens;                     // of them, by their place in `documents`
  // frames[j]: the documents whose place is j modulo the number of partitions (DocumentFrameWriter). Right as they are
  // where no document of the batch is a duplicate.
  std::vector<ByteBuffer> frames;
  std::vector<ingest::BadRecord> bad;  // in input order
  std::vector<ShortenedDocument> shortened;
};

}  // namespace frond::indexer::parse
