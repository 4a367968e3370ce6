#pragma once
// What a parser thread does with a batch: records to documents, their stored fields compressed, their title and body
// analyzed, the tokens regrouped by trie collection.
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/text/analyzer.h"
#include "indexer/ingest/parse_record.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/parse/working_memory.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer::parse {

// Records that take no more to parse (RawRecord::parse_bytes) do so from what a parser has anyway.
inline constexpr std::uint64_t kCheapRecordBytes = std::uint64_t{1} << 20;

struct ParseLimits {
  std::size_t document_bytes = partition::kMaxDocumentBytes;  // all fields; a document with more is malformed
  std::size_t kept_bytes = std::size_t{4} << 20;              // of tokens and fields, from batch to batch
  WorkingMemory* memory = nullptr;                            // asked for other than cheap records; null: nobody is
};

// One thread; keeps its memory from batch to batch.
class BatchParser {
 public:
  BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, const ParseLimits& limits = {},
              ingest::ParseOptions options = {});
  // At most kMaxBatchDocuments records; the bytes of other than cheap ones are gone afterwards. Records that give no
  // document are appended to out.bad. Stopped: the rest is left out.
  void parse(std::span<ingest::RawRecord> records, ParsedBatch& out, std::stop_token stop = {});

 private:
  void parse_one(ingest::RawRecord& record, std::uint32_t place, ParsedBatch& out);
  Result<ingest::Document> document_of(ingest::RawRecord& record) const;
  std::uint32_t analyze(const ingest::Document& document);

  ParseLimits limits_;
  ingest::ParseOptions options_;
  text::Analyzer analyzer_;
  TokenGrouper grouper_;
  runs::FrameCompressor compressor_;
  std::vector<runs::DocumentFrameWriter> frames_;  // one a partition
};

}  // namespace frond::indexer::parse
