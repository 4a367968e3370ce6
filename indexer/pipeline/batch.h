#pragma once
// Consecutive records on their way through the pipeline, with what each stage makes of them.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "indexer/ingest/files/record_reader.h"
#include "indexer/invert/inverter.h"
#include "indexer/parse/parsed_batch.h"

namespace frond::indexer::pipeline {

// One thread at a time, until the sequencer gives it to the inverters and the spools, which only read it. Each member
// names the stage that sets it.
struct Batch {
  std::uint64_t sequence = 0;              // from 0, in input order
  std::uint64_t record_bytes = 0;          // of all records
  std::uint64_t alone_bytes = 0;           // not 0: a single record, so expensive that nothing else is in flight
  std::vector<ingest::RawRecord> records;  // reader
  std::vector<std::string> line_memory;    // of lines that it had, at most kLineMemory, for the reader to use again
  static constexpr std::size_t kLineMemory = 2;
  // reader: where the next batch begins, if the state behind this batch is to be kept; otherwise null
  std::unique_ptr<ingest::ReadPosition> position;
  std::uint64_t bad_left_out = 0;               // reader: bad records without details, before the last in parsed.bad
  parse::ParsedBatch parsed;                    // parser
  std::vector<invert::DocumentNumber> numbers;  // sequencer: of parsed.documents
  std::vector<std::vector<parse::TokenGroup>> shares;  // sequencer: by inverter
  bool has_duplicates = false;                         // sequencer: some numbers are kDropped
  std::atomic<std::uint32_t> readers_left = 0;         // inverters and spools that have not taken what they need

  void clear() {
    record_bytes = 0;
    alone_bytes = 0;
    position.reset();
    bad_left_out = 0;
    for (ingest::RawRecord& record : records)
      if (record.lines > 0 && line_memory.size() < kLineMemory) line_memory.push_back(std::move(record.bytes));
    records.clear();
    parsed.bad.clear();
    parsed.altered.clear();
    parsed.documents.clear();
    parsed.texts.clear();
    for (ByteBuffer& frame : parsed.frames) frame.clear();  // keeps their memory
  }
  // Also frees its memory.
  void drop() {
    clear();
    line_memory = {};
    records = {};
    parsed = {};
    numbers = {};
  }
};

}  // namespace frond::indexer::pipeline
