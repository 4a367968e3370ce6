#pragma once
// Indexes in the Common Index File Format. In: a file to runs and spools, what pipeline::invert_documents() makes of
// text; the rest of a build is the same. Out: a published generation to a file, all partitions merged, documents
// numbered by their ordinals.
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/repository/repository.h"
#include "indexer/ciff/ciff_file.h"
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
  Frequency max_frequency = ~Frequency{0};  // a higher one counts as this; a document that has one is told
};

struct Imported {
  pipeline::InvertedDocuments inverted;  // documents assigned to partitions as a build assigns them
  std::string description;               // the file's
  ingest::Tally terms_left_out;          // of lists whose term no query can have: empty, too long, or with a NUL
};

// Writes into `folder`, which exists. Memory: 4 bytes a document, with max_frequency 8, the ids' hashes
// (MemoryPlan::ids), and a run's buffers for each partition. kCorrupt: as CiffReader; kInvalid: two documents have one
// id, an id that is not allowed, terms that are not in order, a length that is not the sum of the file's frequencies,
// or more documents than fit into the memory; kUnavailable: the disk, or stopped.
Result<Imported> import_ciff(const ImportOptions& options, const std::filesystem::path& folder,
                             pipeline::InvertProgress& progress, std::stop_token stop);

struct Exported {
  Generation generation = 0;
  CiffHeader header;
  std::uint64_t postings = 0, bytes = 0;
};

// Writes generation `generation` (0: the current one) of a repository to `to`, which is replaced when the new file is
// whole. Hidden documents are left out. Files of an object store are fetched into objects.scratch (check::Scratch);
// published files are only read, and their blocks' checksums verified. Memory: 8 bytes a document, and a block of each
// partition. Errors: kNotFound: there is no such generation; kCorrupt; kInvalid: more than CIFF can hold; kUnavailable:
// the disk, or stopped.
Result<Exported> export_ciff(const std::filesystem::path& root, std::string_view collection, Generation generation,
                             const std::filesystem::path& to, std::stop_token stop,
                             const repository::ObjectWriting& objects = {});

}  // namespace frond::indexer::ciff
