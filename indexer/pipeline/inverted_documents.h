#pragma once
// What the first half of a build has made: runs and spools, for the second half.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "indexer/ingest/files/input_list.h"
#include "indexer/ingest/files/record_reader.h"
#include "indexer/ingest/files/skipped.h"
#include "indexer/pipeline/field_sample.h"

namespace frond::indexer::pipeline {

struct InvertedDocuments {
  struct Part {
    std::vector<std::filesystem::path> runs;  // of two with the same term, the earlier has the lower docIDs
    std::filesystem::path spool;
    std::uint64_t spool_bytes = 0;
  };
  std::vector<Part> partitions;
  FieldSample sample;          // of the stored fields
  ingest::InputSummary input;  // of all inputs, in the share or not
  ingest::FilesRead files_read;
  ingest::Skipped skipped, skipped_records;
  ingest::Tally titles_cut, urls_dropped, not_utf8;
  std::string order;     // the documents' order, by its name, if it was changed or chosen; empty: the input's
  std::string last_bad;  // the last bad record, as to_string(BadRecord)
  std::uint64_t documents = 0, tokens = 0, bytes = 0, bad_records = 0, duplicates = 0, runs = 0, run_bytes = 0;
  std::uint64_t resumed_documents = 0;  // of these, what a killed build had inverted
  // Processor time of all threads of a kind.
  double read_seconds = 0, parse_seconds = 0, sequence_seconds = 0, spool_seconds = 0, invert_seconds = 0;
};

}  // namespace frond::indexer::pipeline
