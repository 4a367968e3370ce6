#pragma once
// CIFF to runs and spools: what pipeline::invert_documents() makes of text. The rest of a build is the same.
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "common/base/result.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer::ciff {

// Where the lengths of documents come from.
enum class Lengths {
  kRecords,   // the file's records; each must be the sum of the document's frequencies
  kPostings,  // these sums
};

struct ImportOptions {
  std::filesystem::path input;
  std::uint32_t partitions = 1;
  Lengths lengths = Lengths::kRecords;
  pipeline::MemoryPlan memory;
};

struct Imported {
  pipeline::InvertedDocuments inverted;  // documents dealt as a build deals them
  std::string description;               // the file's
  ingest::Tally terms_left_out;          // of lists whose term no query can have: empty, too long, or with a NUL
};

// Writes into `folder`, which exists. Memory: 4 bytes a document, the ids' hashes (MemoryPlan::ids), and a run's
// buffers for each partition. kCorrupt: as CiffReader; kInvalid: two documents have one id, an id that is not allowed,
// terms that are not in order, a length that is not the sum of frequencies, or more documents than fit into the memory;
// kUnavailable: the disk, or stopped.
Result<Imported> import_ciff(const ImportOptions& options, const std::filesystem::path& folder,
                             pipeline::InvertProgress& progress, std::stop_token stop);

}  // namespace frond::indexer::ciff
