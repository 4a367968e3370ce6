#pragma once
// A published generation to CIFF: all partitions merged, documents numbered by
// their ordinals.
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/repository/repository.h"
#include "indexer/ciff/ciff_file.h"

namespace frond::indexer::ciff {

struct Exported {
  Generation generation = 0;
  CiffHeader header;
  std::uint64_t postings = 0, bytes = 0;
};

// Writes generation `generation` (0: the current one) of a repository to `to`,
// which is replaced when the new file is whole. Hidden documents are left out.
// Partitions are opened as scratch databases of hard links (check::Scratch), or
// fetched from an object store into objects.scratch; published files are only
// read, and their blocks' checksums verified. Memory: 8 bytes a document, and a
// block of each partition. Errors: kNotFound: there is no such generation;
// kCorrupt; kInvalid: more than CIFF can hold; kUnavailable: the disk, or
// stopped.
Result<Exported> export_ciff(const std::filesystem::path& root, std::string_view collection, Generation generation,
                             const std::filesystem::path& to, std::stop_token stop,
                             const repository::ObjectWriting& objects = {});

}  // namespace frond::indexer::ciff
