#pragma once
// What travels through the pipeline: some records in a row, with what each stage makes of them.
#include <atomic>
#include <cstdint>
#include <vector>

#include "indexer/ingest/record_reader.h"
#include "indexer/invert/inverter.h"
#include "indexer/parse/parsed_batch.h"

namespace frond::indexer {

// One thread at a time, until the sequencer gives it to the inverters, which only read.
struct Batch {
  std::uint64_t sequence = 0;                   // from 0, in input order
  std::uint64_t record_bytes = 0;               // of all records
  std::vector<RawRecord> records;               // reader
  ParsedBatch parsed;                           // parser
  std::vector<DocumentNumber> numbers;          // sequencer: of parsed.documents
  std::vector<std::vector<TokenGroup>> shares;  // sequencer: by inverter
  std::atomic<std::uint32_t> inverters_left = 0;

  void clear() {
    record_bytes = 0;
    records.clear();
    parsed.bad.clear();
    parsed.shortened.clear();
    parsed.documents.clear();
    parsed.frames.clear();
  }
};

}  // namespace frond::indexer
