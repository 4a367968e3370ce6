#pragma once
// Consecutive records on their way through the pipeline, with what each stage makes of them.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/invert/inverter.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/runs/document_frame.h"

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

// Calls visit(i, fields, values) for each document of the batch, in input order. `fields` and `values` borrow the
// batch.
template <class Visit>
void for_each_fields(const parse::ParsedBatch& batch, Visit&& visit) {
  const std::vector<ByteBuffer>& frames = batch.frames;
  std::vector<std::size_t> at(frames.size(), runs::kDocumentFrameHeaderBytes);
  std::vector<runs::FrameValues> values(frames.size());
  for (std::size_t j = 0; j < frames.size(); ++j)
    if (!frames[j].empty()) values[j] = runs::values_of_frame(frames[j]);
  for (std::size_t i = 0; i < batch.documents.size(); ++i) {
    const std::size_t j = i % frames.size(), bytes = batch.documents[i].field_bytes;
    ByteView of_document;
    if (auto& [all, sizes] = values[j]; !sizes.empty()) {
      of_document = all.first(load_le<std::uint32_t>(sizes.data()));
      all = all.subspan(of_document.size());
      sizes = sizes.subspan(sizeof(std::uint32_t));
    }
    visit(i, ByteView(frames[j]).subspan(at[j], bytes), of_document);
    at[j] += bytes;
  }
}

// All batches of a build; others borrow them. The pool bounds what is in flight: the number of batches, and the bytes
// of their records where records are larger than a batch should be. A record that needs the memory of all others is in
// flight alone. Any thread.
class BatchPool {
 public:
  BatchPool(std::size_t batches, std::uint64_t max_record_bytes);
  // A cleared batch; null: stopped.
  Batch* acquire(std::stop_token stop);
  // Waits until the filled batch fits beside those in flight, or none is in flight. False: stopped.
  bool admit(const Batch& batch, std::stop_token stop);
  // Waits until no batch with a record alone is in flight, or until `stop`.
  void wait_for_alone(std::stop_token stop);
  // Takes an admitted batch back.
  void release(Batch& batch);

 private:
  const std::uint64_t max_record_bytes_;
  std::vector<std::unique_ptr<Batch>> all_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Batch*> free_ FROND_GUARDED_BY(mutex_);
  std::uint64_t in_flight_ FROND_GUARDED_BY(mutex_) = 0;  // bytes of records; every batch has some
  bool alone_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::indexer::pipeline
