#pragma once
// What a parser thread does with a batch: records to documents, their stored fields compressed, their title and body
// analyzed, the tokens regrouped by trie collection.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer.h"
#include "indexer/ingest/record_reader.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer {

// One thread; keeps its memory from batch to batch.
class BatchParser {
 public:
  BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, ParseOptions options = {});
  // At most kMaxBatchDocuments records. Records that give no document are appended to out.bad.
  void parse(std::span<const RawRecord> records, ParsedBatch& out);

 private:
  std::uint32_t analyze(const Document& document);
  ParseOptions options_;
  text::Analyzer analyzer_;
  TokenGrouper grouper_;
  FrameCompressor compressor_;
  std::vector<DocumentFrameWriter> frames_;  // one a partition
};

}  // namespace frond::indexer
